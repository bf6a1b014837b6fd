/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a lab's directory holds. */
#ifndef BUFSTAT_LAB_FILES_H
#define BUFSTAT_LAB_FILES_H

#include "lab.h"

#define LAB_MOUNT_POINT "mnt"

extern const char *const lab_files[LAB_DEVICES];

/*
 * Removes what is in the directory @lab by its names, nothing else, and then
 * @path itself. Returns 0 or a negative errno.
 */
int lab_files_remove(int lab, const char *path, struct error *err);

#endif
