// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fs_rows.h"
#include "history.h"
#include "measured_filesystems.h"

static bool is_chosen(const struct device_sample *sample,
		      const struct history *history)
{
	if (sample->refused || sample->figures[FIGURE_PAGES])
		return true;
	return history && (baseline_had_pages(&history->last, sample) ||
			   baseline_had_pages(&history->first, sample));
}

static struct fs_row *add_row(struct fs_rows *rows,
			      const struct filesystems *all,
			      const struct history *history)
{
	struct fs_row *row = &rows->rows[rows->count++];

	row->all = all;
	row->history = history;
	return row;
}

int fs_rows_init(struct fs_rows *rows, const struct filesystems *filesystems,
		 const struct history *history, bool all_of_them)
{
	/* One more for the unattributed rest. */
	*rows = (struct fs_rows){
		.rows = calloc(filesystems->count + 1, sizeof(*rows->rows)),
	};
	if (!rows->rows)
		return -ENOMEM;
	for (size_t i = 0; i < filesystems->count; i++) {
		const struct filesystem *filesystem =
			&filesystems->filesystems[i];
		const struct device_sample *sample = filesystem->sample;
		struct fs_row *row;

		if (!all_of_them && !is_chosen(sample, history))
			continue;
		row = add_row(rows, filesystems, history);
		row->filesystem = filesystem;
		snprintf(row->number, sizeof(row->number), "%u:%u",
			 sample->major, sample->minor);
	}
	return 0;
}

void fs_rows_deinit(struct fs_rows *rows)
{
	free(rows->rows);
	*rows = (struct fs_rows){ 0 };
}

void fs_rows_add_rest(struct fs_rows *rows,
		      const struct filesystems *filesystems,
		      const struct history *history)
{
	add_row(rows, filesystems, history);
}
