/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_CAPTURE_OPENERS_H
#define BUFSTAT_CAPTURE_OPENERS_H

#include <stdio.h>

struct sysroot;

/*
 * Writes which processes have a block device open: their numbers, names and
 * those descriptors. Returns 0 or a negative errno.
 */
int capture_openers(FILE *out, const struct sysroot *root);

#endif
