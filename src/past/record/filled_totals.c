// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/utf8.h"
#include "record/filled.h"
#include "record/filled_totals.h"

/* What a command has to bring in from one report to the next to get a row. */
#define LEAST_BYTES (UINT64_C(1) << 20)

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static struct store_total *find(struct filled_totals *totals,
				const struct trace_fill *fill,
				const char *command)
{
	for (size_t i = 0; i < totals->count; i++) {
		struct store_total *row = &totals->rows[i];

		if (row->major == fill->major && row->minor == fill->minor &&
		    row->is_bdev == fill->is_bdev &&
		    strcmp(row->command, command) == 0)
			return row;
	}
	return NULL;
}

static struct store_total *add(struct filled_totals *totals,
			       const struct trace_fill *fill,
			       const char *command)
{
	struct store_total *row = &totals->rows[totals->count++];

	*row = (struct store_total){
		.major = fill->major,
		.minor = fill->minor,
		.is_bdev = fill->is_bdev,
	};
	snprintf(row->command, sizeof(row->command), "%s", command);
	totals->commands += *command != '\0';
	return row;
}

/* Labels of metrics are text, and "other" stands for the others there. */
static bool can_be_named(const char *command)
{
	const unsigned char *at = (const unsigned char *)command;
	size_t length;

	while (*at && (length = utf8_length(at)))
		at += length;
	return *command && !*at && strcmp(command, "other") != 0;
}

/* Returns NULL if what the cache gets is not told apart. */
static struct store_total *row_for(struct filled_totals *totals,
				   const struct trace_fill *fill)
{
	bool is_named = can_be_named(fill->command);
	struct store_total *row = is_named ? find(totals, fill, fill->command) :
					     NULL;

	if (!row && is_named && totals->commands < TOTALS_COMMANDS &&
	    trace_fill_in(fill) * page_size() >= LEAST_BYTES)
		row = add(totals, fill, fill->command);
	if (!row)
		row = find(totals, fill, "");
	if (!row && totals->count - totals->commands < TOTALS_CACHES)
		row = add(totals, fill, "");
	return row;
}

void filled_totals_add(struct filled_totals *totals,
		       const struct filled *filled)
{
	for (size_t i = 0; i < filled->count; i++) {
		const struct trace_fill *fill = &filled->rows[i].fill;
		uint64_t bytes = trace_fill_in(fill) * page_size();
		struct store_total *row = bytes ? row_for(totals, fill) : NULL;

		if (row)
			row->bytes += bytes;
		else
			totals->elsewhere_bytes += bytes;
	}
}
