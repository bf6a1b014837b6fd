/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of bufstat history: what grew most, then the gaps. */
#ifndef BUFSTAT_GROWTH_ROWS_H
#define BUFSTAT_GROWTH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/moment.h"
#include "lib/utc.h"
#include "recorded/growth.h"
#include "recorded/recorded_who.h"
#include "table/column.h"

enum { GROWTH_GRAPH = 24 }; /* cells */

struct growth_row {
	/* NULL: a gap. One without points has only a name and @who. */
	const struct growth_series *series;
	const struct gap *gap; /* or a time when nobody was traced */
	bool is_untraced; /* the latter */
	char number[24]; /* "major:minor", or "" */
	int64_t start_bytes;
	int64_t end_bytes;
	int64_t most_bytes;
	/* The largest rise, and when it began and ended. */
	int64_t rise_bytes;
	int64_t kept_bytes; /* of that, at least, until the end */
	char since[MOMENT_TEXT_SIZE];
	char until[MOMENT_TEXT_SIZE];
	char since_utc[UTC_TEXT_SIZE];
	char until_utc[UTC_TEXT_SIZE];
	char who[BEHIND_TEXT]; /* was behind the rise; "": not known */
	char graph[GROWTH_GRAPH * 3 + 1];
};

struct growth_rows {
	struct growth_row *rows;
	size_t count;
};

/* The rows are struct growth_row. */
extern const struct column_set growth_columns;

/*
 * Makes the rows: what grew most comes first, what stood still is left out
 * unless @all, gaps are last. Returns 0 or -ENOMEM. @growth must outlive @rows;
 * the caller deinits in either case.
 */
int growth_rows_init(struct growth_rows *rows, const struct growth *growth,
		     const struct growth_span *span, bool all);
void growth_rows_deinit(struct growth_rows *rows);

/* Leaves the rows of what is in @selection, and the gaps. */
void growth_rows_select(struct growth_rows *rows, struct selection *selection);

#endif
