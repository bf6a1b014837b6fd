/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NUMA nodes and their zones as rows of a table. */
#ifndef BUFSTAT_ZONE_ROWS_H
#define BUFSTAT_ZONE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/zoneinfo.h"
#include "table/column.h"

struct error;
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

struct zone_rows {
	struct zoneinfo zones;
	struct zone_row *rows; /* each node before its zones */
	size_t *parents; /* for struct table_rows; NULL: a list */
	size_t count;
	int64_t missing_bytes; /* in no zone: zoneinfo_missing_pages() */
};

/* The rows are struct zone_row. */
extern const struct column_set zone_columns;

/*
 * Reads /proc/zoneinfo and sets *@page_size, in bytes (memory_page_size()).
 * Returns 0 or a negative errno; the caller deinits @zones in either case.
 */
int zones_read(struct zoneinfo *zones, uint64_t *page_size,
	       const struct sysroot *root, struct error *err);

/*
 * Reads /proc/zoneinfo. Returns 0 or a negative errno as zones_read() does; the
 * caller deinits @rows in either case.
 */
int zone_rows_init(struct zone_rows *rows, const struct sysroot *root,
		   bool is_list, struct error *err);
void zone_rows_deinit(struct zone_rows *rows);

#endif
