/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a row beyond its columns. */
#ifndef BUFSTAT_DETAILS_H
#define BUFSTAT_DETAILS_H

#include <stdio.h>

struct sysroot;
struct question;

/*
 * Prints what bufstat explain says about the row with this key, and who uses
 * it: the processes that have a device open or are in a cgroup, or what a
 * process is. May take long, and a process that is stuck may not answer at all;
 * so what is known is flushed before. Prints what failed as text.
 */
void details_print(FILE *out, const struct question *tab, const char *key,
		   const struct sysroot *root);

#endif
