/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * free's table, byte for byte as procps-ng has printed it since 4.0.1 ("used"
 * is total - available). As in free, an absent field counts as zero, so these
 * values are for this table only.
 */
#ifndef BUFSTAT_FREE_TABLE_H
#define BUFSTAT_FREE_TABLE_H

#include <stdio.h>

struct free_options;
struct meminfo;

void free_table_print(FILE *out, const struct meminfo *meminfo,
		      const struct free_options *options);

#endif
