/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NUMA nodes and their zones as rows of a table. */
#ifndef BUFSTAT_ZONE_ROWS_H
#define BUFSTAT_ZONE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/zoneinfo.h"
#include "table/column.h"

struct command_line;
struct error;
struct fields;
struct question;
struct sysroot;

struct zone_row {
	char name[40]; /* "node0", then "Normal"; "node0/Normal" in a list */
	const struct zone *zone; /* NULL: a node */
	unsigned int node;
	/* Pages; of a node, the sum of its zones. */
	struct zone figures;
	struct available available; /* of a node; not known of a zone */
	uint64_t page_size; /* bytes */
};

/* The rows are struct zone_row, each node before its zones. */
extern const struct column_set zone_columns;

/*
 * Reads /proc/zoneinfo and sets *@page_size, in bytes (memory_page_size()).
 * Returns 0 or a negative errno; the caller deinits @zones in either case.
 */
int zones_read(struct zoneinfo *zones, uint64_t *page_size,
	       const struct sysroot *root, struct error *err);

/* Reads /proc/zoneinfo. Fails as zones_read() does. */
extern const struct question zone_question;
extern const struct command_line command_zones;

/* Of a document whose answer is that of this question. */
extern const struct fields zone_document;

#endif
