/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the documents of a recording. */
#ifndef BUFSTAT_GROWTH_JSON_H
#define BUFSTAT_GROWTH_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "fields/fields.h"
#include "recorded/growth.h"
#include "recorded/recorded_who.h"
#include "table/column.h"

/* Who filled caches. */
struct growth_filled {
	struct table_rows rows;
	const struct column_choice *columns;
	const char *engine;
	uint64_t lost_events;
	bool is_estimated;
	bool was_traced; /* else the others are not known */
	const struct gaps *untraced;
};

/* @who is empty where nobody was traced. Refers to all that it is of. */
struct growth_filled growth_filled(const struct growth *growth,
				   const struct recorded_who *who,
				   const struct column_choice *columns);

/* "filled", "engine", "lost_events", "estimated" and "untraced". */
extern const struct fields growth_filled_fields;

/* Of struct gap. */
extern const struct fields gap_fields;

#endif
