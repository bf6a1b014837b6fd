/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was called how when a reading was recorded, by its STORE_NAMES. */
#ifndef BUFSTAT_PAST_NAMES_H
#define BUFSTAT_PAST_NAMES_H

#include <stdio.h>

/*
 * Adds to the tar file @out the files that a captured host would have the names
 * in: dm/name of the devices in sysfs, the mount table, and no swap. Returns 0
 * or -ENOMEM. Write errors show in ferror().
 */
int past_names_pack(FILE *out, const char *text);

#endif
