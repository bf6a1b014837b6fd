// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/snapshot.h"
#include "measure/source.h"
#include "sources/source_rows.h"

static struct column_value get_name(const void *row)
{
	return column_text(((const struct source_row *)row)->name);
}

static struct column_value get_usable(const void *row)
{
	static const char *const texts[] = {
		[SOURCE_NOT_USABLE] = "no",
		[SOURCE_NOT_TRIED] = "not tried",
		[SOURCE_USABLE_IN_PART] = "in part",
		[SOURCE_USABLE] = "yes",
	};

	return column_text(texts[((const struct source_row *)row)->usable]);
}

static bool has_measured(const struct source_row *row)
{
	return row->usable == SOURCE_USABLE ||
	       row->usable == SOURCE_USABLE_IN_PART;
}

static struct column_value get_devices(const void *row)
{
	const struct source_row *source = row;

	return (struct column_value){
		.known = has_measured(source),
		.number = source->devices,
	};
}

static struct column_value get_pages(const void *row)
{
	const struct source_row *source = row;

	return (struct column_value){
		.known = has_measured(source) && source->pages >= 0,
		.number = source->pages,
	};
}

static struct column_value get_reason(const void *row)
{
	return column_text(((const struct source_row *)row)->reason);
}

static struct column_value get_remedy(const void *row)
{
	return column_text(((const struct source_row *)row)->remedy);
}

static const struct column columns[] = {
	{ "SOURCE", "source", "name, as --source takes it", COLUMN_TEXT,
	  COLUMN_USUAL, 0, false, get_name },
	{ "USABLE", "usable", "yes, in part, no, or not tried", COLUMN_TEXT,
	  COLUMN_USUAL, 0, false, get_usable },
	{ "DEVICES", "devices", "devices that it measured", COLUMN_COUNT,
	  COLUMN_USUAL, 2, false, get_devices },
	{ "PAGES", "pages", "the sum of their pages", COLUMN_COUNT,
	  COLUMN_USUAL, 1, false, get_pages },
	{ "REASON", "reason", "why it is not usable, or not for all",
	  COLUMN_PROSE, COLUMN_USUAL, 0, false, get_reason },
	{ "REMEDY", "remedy", "what would help", COLUMN_PROSE, COLUMN_USUAL, 0,
	  false, get_remedy },
};

const struct column_set source_columns = {
	.command = "sources",
	.columns = columns,
	.count = sizeof(columns) / sizeof(*columns),
};

/* A @remedy of "" is none. */
static int set_reason(struct source_row *row, const char *reason,
		      const char *remedy)
{
	row->reason = strdup(reason);
	row->remedy = *remedy ? strdup(remedy) : NULL;
	return row->reason && (row->remedy || !*remedy) ? 0 : -ENOMEM;
}

static int set_refused(struct source_row *row, const char *first, size_t count)
{
	if (count == 1) {
		row->reason = strdup(first);
	} else if (asprintf(&row->reason, "%s, and %zu more", first,
			    count - 1) < 0) {
		row->reason = NULL;
	}
	return row->reason ? 0 : -ENOMEM;
}

static int set_measured(struct source_row *row, const struct snapshot *snapshot)
{
	const char *refused = NULL;
	size_t refusals = 0;
	uint64_t pages;

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct sample *sample = &snapshot->devices[i];

		row->devices += sample_has(sample, FIGURE_PAGES);
		refusals += sample->refused != NULL;
		if (!refused)
			refused = sample->refused;
	}
	row->pages = row->devices && snapshot_sum(snapshot, &pages) ?
			     (int64_t)pages :
			     -1;
	row->usable = SOURCE_USABLE;
	if (!refusals && !snapshot->unsettled)
		return 0;
	row->usable = SOURCE_USABLE_IN_PART;
	if (refusals)
		return set_refused(row, refused, refusals);
	return set_reason(row,
			  "unsettled: the figures changed while they were read",
			  "try again");
}

/* Does not open every device only to see whether that works. */
static int leave_out(struct source_row *row, const struct source_row *best)
{
	row->usable = SOURCE_NOT_TRIED;
	if (asprintf(&row->reason,
		     "it opens every block device, and %s has measured them",
		     best->name) < 0)
		row->reason = NULL;
	row->remedy = strdup("bufstat devices --source cachestat");
	return row->reason && row->remedy ? 0 : -ENOMEM;
}

static int try_source(struct source_row *row, size_t which,
		      const struct sysroot *root, const struct source_row *best)
{
	struct snapshot snapshot = { 0 };
	char reason[ERROR_TEXT_SIZE];
	struct error err = { 0 };
	int ret;

	*row = (struct source_row){ .name = source_name(which) };
	if (best && best->usable == SOURCE_USABLE &&
	    source_opens_devices(which) && sysroot_is_live(root))
		return leave_out(row, best);
	ret = source_try(root, which, &snapshot, &err);
	if (ret == 0)
		ret = set_measured(row, &snapshot);
	else if (ret != -ENOMEM)
		ret = set_reason(row, error_text_without_remedy(&err, reason),
				 err.remedy);
	snapshot_deinit(&snapshot);
	return ret;
}

int source_rows_init(struct source_rows *rows, const struct sysroot *root)
{
	size_t count = source_count();
	int ret = 0;

	*rows = (struct source_rows){ .rows = calloc(count,
						     sizeof(*rows->rows)) };
	if (!rows->rows)
		return -ENOMEM;
	while (!ret && rows->count < count) {
		ret = try_source(&rows->rows[rows->count], rows->count, root,
				 source_rows_best(rows));
		rows->count++;
	}
	return ret;
}

void source_rows_deinit(struct source_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->rows[i].reason);
		free(rows->rows[i].remedy);
	}
	free(rows->rows);
	*rows = (struct source_rows){ 0 };
}

const struct source_row *source_rows_best(const struct source_rows *rows)
{
	const struct source_row *best = NULL;

	for (size_t i = 0; i < rows->count; i++) {
		const struct source_row *row = &rows->rows[i];

		if (has_measured(row) && (!best || row->usable > best->usable))
			best = row;
	}
	return best;
}
