/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * free's table, byte for byte as procps-ng prints it since 4.0.1 ("used" is
 * total - available). A field that is absent counts as zero, as it does there;
 * that is why nothing but this table may be computed from it here.
 */
#ifndef BUFSTAT_FREE_TABLE_H
#define BUFSTAT_FREE_TABLE_H

#include <stdio.h>

struct free_options;
struct meminfo;

void free_table_print(FILE *out, const struct meminfo *meminfo,
		      const struct free_options *options);

#endif
