/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a row beyond its columns. */
#ifndef BUFSTAT_DETAILS_H
#define BUFSTAT_DETAILS_H

#include <stdio.h>

struct sysroot;
struct tab;

/*
 * Prints the processes that have a device open, and what bufstat explain says
 * about the row with this key and name. May take long; prints what failed as
 * text.
 */
void details_print(FILE *out, const struct tab *tab, const char *key,
		   const char *name, const struct sysroot *root);

#endif
