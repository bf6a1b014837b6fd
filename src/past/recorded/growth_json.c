// SPDX-License-Identifier: GPL-2.0-or-later
#include "recorded/growth_json.h"

static const struct field gap_list[] = {
	{ FIELD_MOMENT(struct gap, from_ms, "from"), .about = "UTC" },
	{ FIELD_MOMENT(struct gap, to_ms, "to"), .about = "UTC" },
	{ FIELD_TEXT(struct gap, cause, "cause", SAYS_MESSAGE) },
};

const struct fields gap_fields = FIELDS(struct gap, gap_list);

struct growth_filled growth_filled(const struct growth *growth,
				   const struct recorded_who *who,
				   const struct column_choice *columns)
{
	const struct fills *fills = &growth->fills;

	return (struct growth_filled){
		.rows = rows_of_table(&who->rows.head.rows),
		.columns = columns,
		.engine = fills->engine,
		.lost_events = fills->lost_events,
		.is_estimated = who->is_estimated,
		.was_traced = fills->report_count,
		.untraced = &fills->untraced,
	};
}

static const char *const engines[] = { "bpf", "perf", NULL };

static struct column_value get_engine(const void *data)
{
	const struct growth_filled *filled = data;

	return column_text(filled->was_traced ? filled->engine : NULL);
}

static const struct field untraced_list[] = {
	{ FIELD_LIST(struct gaps, gaps, count, "untraced", &gap_fields,
		     UINT64_MAX),
	  .about = "when readings were recorded, but not who filled caches" },
};

static const struct fields untraced_fields = FIELDS(struct gaps, untraced_list);

static const struct field filled_list[] = {
	{ FIELD_ROWS(struct growth_filled, rows, columns, "filled",
		     &who_columns),
	  FIELD_KNOWN(struct growth_filled, was_traced),
	  .null = "nobody was traced" },
	{ FIELD_VALUE("engine", COLUMN_TEXT), .value = get_engine,
	  .words = engines, .about = "perf: of version 1.0.0 only",
	  .null = "nobody was traced" },
	{ FIELD(struct growth_filled, lost_events, "lost_events", UINT64_MAX),
	  FIELD_KNOWN(struct growth_filled, was_traced),
	  .about = "if it is not 0, the rows are a lower bound",
	  .null = "nobody was traced" },
	{ FIELD(struct growth_filled, is_estimated, "estimated", 0),
	  FIELD_KNOWN(struct growth_filled, was_traced),
	  .about = "too much came in to trace all of it, so figures with an "
		   "error are estimates from 50 ms of each second",
	  .null = "nobody was traced" },
	{ FIELD_POINTED(struct growth_filled, untraced, &untraced_fields) },
};

const struct fields growth_filled_fields =
	FIELDS(struct growth_filled, filled_list);
