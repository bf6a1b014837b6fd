// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "filesystems/fs_rows.h"
#include "filesystems/selection.h"
#include "filesystems/measured_filesystems.h"

/*
 * The kernel's own tmpfs, for memfds and System V shared memory, has no mount.
 */
static const char own_tmpfs[] = "[shared memory]";

static bool is_measured(const struct fs_row *row)
{
	return row->filesystem && !row->filesystem->sample.refused;
}

static bool has_pages(const struct fs_row *row)
{
	return sample_has(&row->filesystem->sample, FIGURE_PAGES);
}

static int64_t size_of(const struct fs_row *row, int64_t pages)
{
	return pages * (int64_t)row->all->page_size;
}

const char *fs_row_source(const struct fs_row *row)
{
	if (!row->filesystem)
		return row->all->unsettled ? "unsettled" : "unattributed";
	return row->filesystem->source ?: own_tmpfs;
}

static struct column_value get_source(const void *data)
{
	return column_text(fs_row_source(data));
}

static struct column_value get_fstype(const void *data)
{
	const struct fs_row *row = data;

	if (!row->filesystem)
		return column_text(NULL);
	return column_text(row->filesystem->source ? row->filesystem->type :
						     "tmpfs");
}

static struct column_value get_mountpoints(const void *data)
{
	static const struct string_list none;
	const struct fs_row *row = data;

	return (struct column_value){
		.known = !row->filesystem || !row->all->lacks_mounts,
		.list = row->filesystem ? &row->filesystem->mountpoints : &none,
	};
}

static struct column_value get_pages(const void *data)
{
	const struct fs_row *row = data;
	int64_t pages = 0;
	bool known;

	if (!row->filesystem) {
		known = filesystems_rest(row->all, &pages);
		return column_number(known, pages);
	}
	return column_number(
		has_pages(row),
		(int64_t)row->filesystem->sample.figures[FIGURE_PAGES]);
}

static struct column_value get_cached(const void *data)
{
	struct column_value value = get_pages(data);

	value.number = size_of(data, value.number);
	return value;
}

static struct column_value get_share(const void *data)
{
	const struct fs_row *row = data;
	struct column_value value = get_cached(data);
	int64_t cached;

	value.known &=
		meminfo_bytes(&row->all->meminfo, MEMINFO_CACHED, &cached) &&
		cached > 0;
	if (value.known)
		value.percent = 100 * (double)value.number / (double)cached;
	return value;
}

static struct column_value get_change(const void *data, size_t which)
{
	const struct fs_row *row = data;
	const struct sample *sample =
		row->filesystem ? &row->filesystem->sample : &row->all->rest;

	return column_number(sample_has(sample, which),
			     size_of(row, (int64_t)sample->figures[which]));
}

static struct column_value get_figure(const void *data, size_t which)
{
	const struct fs_row *row = data;
	const struct sample *sample;

	if (!is_measured(row))
		return column_number(false, 0);
	sample = &row->filesystem->sample;
	return column_number(sample_has(sample, which),
			     size_of(row, (int64_t)sample->figures[which]));
}

/*
 * The pages that are neither dirty, under writeback nor unevictable; 0 for
 * tmpfs and ramfs. If not all unevictable pages were counted, it is an upper
 * bound, and the note says so.
 */
static struct column_value get_reclaimable(const void *data)
{
	const struct fs_row *row = data;
	struct column_value value = get_cached(row);
	struct column_value dirty = get_figure(row, FIGURE_DIRTY);
	struct column_value writeback = get_figure(row, FIGURE_WRITEBACK);

	if (!is_measured(row))
		return column_number(false, 0);
	if (row->filesystem->keeps_pages)
		return column_number(true, 0);
	value.known = dirty.known && writeback.known;
	value.number -= dirty.number + writeback.number +
			size_of(row, (int64_t)row->filesystem->unevictable);
	/* Dirty pages are counted a moment later and may be more. */
	if (value.number < 0)
		value.number = 0;
	return value;
}

/* @place: of the count in the filesystem. */
static struct column_value get_count(const void *data, size_t place)
{
	const struct fs_row *row = data;
	const void *count;

	if (!is_measured(row))
		return column_number(false, 0);
	count = (const char *)row->filesystem + place;
	return column_number(true, (int64_t) * (const uint64_t *)count);
}

static struct column_value get_note(const void *data)
{
	const struct fs_row *row = data;
	const struct filesystem *filesystem = row->filesystem;

	if (!filesystem)
		return column_text(filesystems_rest_note(row->all));
	if (filesystem->sample.refused)
		return column_text(filesystem->sample.refused);
	if (filesystem->is_unmounted)
		return column_text("not mounted, but in use");
	if (filesystem->is_shmem)
		return column_text("in shared too");
	if (filesystem->keeps_pages)
		return column_text(NULL);
	if (!sample_has(&filesystem->sample, FIGURE_DIRTY))
		return column_text(filesystem->uncounted ?
					   "inodes were being freed" :
					   "this kernel's are not counted");
	/* A filesystem without pages needs no note. */
	if (!filesystem->has_unevictable &&
	    filesystem->sample.figures[FIGURE_PAGES])
		return column_text("reclaimable at most");
	return column_text(NULL);
}

static const struct column columns[] = {
	{ "SOURCE", "source", "what is mounted, usually a device", COLUMN_TEXT,
	  COLUMN_USUAL, .value = get_source },
	{ "MAJ:MIN", "maj:min", "device number of the filesystem", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, .leave = 2,
	  COLUMN_AT(column_chars_at, struct fs_row, number) },
	{ "FSTYPE", "fstype", "filesystem type", COLUMN_TEXT, COLUMN_USUAL,
	  .leave = 5, .value = get_fstype },
	{ "PAGES", "pages", "pages of its files in the page cache",
	  COLUMN_COUNT, COLUMN_USUAL, .leave = 3, .value = get_pages },
	{ "CACHED", "cached_bytes", "the same as a size", COLUMN_BYTES,
	  COLUMN_USUAL, .value = get_cached },
	{ "SHARE", "share_percent", "part of Cached in /proc/meminfo",
	  COLUMN_PERCENT, COLUMN_USUAL, .leave = 9, .has_bar = true,
	  .value = get_share },
	{ "CHANGE", "change_bytes", "change since the last sample",
	  COLUMN_CHANGE, COLUMN_WITH_HISTORY, .leave = 11,
	  .value_of = get_change, .which = FIGURE_CHANGE },
	{ "SINCE", "since_bytes", "change since the first sample or --since",
	  COLUMN_CHANGE, COLUMN_WITH_HISTORY, .leave = 10,
	  .value_of = get_change, .which = FIGURE_SINCE },
	{ "DIRTY", "dirty_bytes", "dirty: changed and not yet written",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 6, .value_of = get_figure,
	  .which = FIGURE_DIRTY },
	{ "WRITEBACK", "writeback_bytes", "under writeback: being written now",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = FIGURE_WRITEBACK },
	{ "RECLAIMABLE", "reclaimable_bytes",
	  "can be dropped: clean, not mlocked, not tmpfs or ramfs",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 7, .value = get_reclaimable },
	{ "INODES", "inodes", "inodes in memory", COLUMN_COUNT, COLUMN_USUAL,
	  .leave = 4, COLUMN_AT(get_count, struct filesystem, inodes) },
	{ "HOLD", "longest_hold_ns",
	  "longest hold of the inode list's lock, in nanoseconds", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, .leave = 1,
	  COLUMN_AT(get_count, struct filesystem, longest_hold_ns) },
	{ "NOTE", "note", "why it has no figures, or a remark", COLUMN_TEXT,
	  COLUMN_USUAL, .leave = 8, .value = get_note },
	{ "MOUNTPOINTS", "mountpoints", "where it is mounted", COLUMN_LIST,
	  COLUMN_USUAL, .leave = 12, .value = get_mountpoints },
};

const struct column_set fs_columns = COLUMN_SET("filesystems", columns);

int fs_rows_init(struct fs_rows *rows, const struct filesystems *filesystems,
		 bool all_of_them)
{
	*rows = (struct fs_rows){
		.rows = calloc(filesystems->count + 1, sizeof(*rows->rows)),
	};
	if (!rows->rows)
		return -ENOMEM;
	for (size_t i = 0; i < filesystems->count; i++) {
		const struct filesystem *filesystem =
			&filesystems->filesystems[i];
		const struct sample *sample = &filesystem->sample;
		struct fs_row *row = &rows->rows[rows->count];

		if (!all_of_them && !sample->refused && !sample->had_pages &&
		    !sample->figures[FIGURE_PAGES])
			continue;
		rows->count++;
		*row = (struct fs_row){ filesystems, filesystem, "" };
		snprintf(row->number, sizeof(row->number), "%u:%u",
			 sample->major, sample->minor);
	}
	rows->rows[rows->count].all = filesystems;
	return 0;
}

void fs_rows_deinit(struct fs_rows *rows)
{
	free(rows->rows);
	*rows = (struct fs_rows){ 0 };
}

void fs_rows_select(struct fs_rows *rows, struct selection *selection)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct filesystem *filesystem = rows->rows[i].filesystem;
		const struct called called = {
			.major = filesystem->sample.major,
			.minor = filesystem->sample.minor,
			.source = fs_row_source(&rows->rows[i]),
			.mountpoints = &filesystem->mountpoints,
		};

		if (selection_has(selection, &called))
			rows->rows[kept++] = rows->rows[i];
	}
	rows->rows[kept] = rows->rows[rows->count];
	rows->count = kept;
	rows->is_selected = true;
}

/* Those that could not be measured are not in the sum. */
static void add_filesystem(struct filesystem *sum,
			   const struct filesystem *filesystem)
{
	const uint64_t *figures = filesystem->sample.figures;

	if (filesystem->sample.refused)
		return;
	sample_add(&sum->sample, &filesystem->sample);
	sum->inodes += filesystem->inodes;
	if (filesystem->longest_hold_ns > sum->longest_hold_ns)
		sum->longest_hold_ns = filesystem->longest_hold_ns;
	sum->uncounted += filesystem->uncounted;
	sum->has_unevictable &= filesystem->has_unevictable ||
				filesystem->keeps_pages;
	/* None of these pages is reclaimable; get_reclaimable() subtracts. */
	if (filesystem->keeps_pages)
		sum->unevictable += figures[FIGURE_PAGES] -
				    figures[FIGURE_DIRTY] -
				    figures[FIGURE_WRITEBACK];
	else
		sum->unevictable += filesystem->unevictable;
}

/* Puts a row, "N @what", in place of the filesystems from @first on. */
static void add_up(struct fs_rows *rows, size_t first, const char *what)
{
	struct fs_row *row = &rows->rows[first];
	struct fs_row rest = rows->rows[rows->count];

	rows->others = rows->count - first;
	rows->sum = (struct filesystem){
		.source = rows->sum_name,
		.has_unevictable = true,
	};
	sample_sum_begin(&rows->sum.sample);
	for (size_t i = first; i < rows->count; i++)
		add_filesystem(&rows->sum, rows->rows[i].filesystem);
	snprintf(rows->sum_name, sizeof(rows->sum_name), "%zu %s", rows->others,
		 what);
	*row = (struct fs_row){ .all = rest.all, .filesystem = &rows->sum };
	row[1] = rest;
	rows->count = first;
}

static bool is_unchanged(const void *data)
{
	const struct fs_row *row = data;

	return sample_is_unchanged(&row->filesystem->sample);
}

void fs_rows_arrange(struct fs_rows *rows, const struct column_order *order,
		     size_t top, bool only_changed)
{
	const char *others;
	size_t shown = column_sort_shown(rows->rows, rows->count,
					 sizeof(*rows->rows), order, top,
					 only_changed ? is_unchanged : NULL,
					 &others);

	if (shown < rows->count)
		add_up(rows, shown, others);
}

struct table_rows fs_rows_of_table(const struct fs_rows *rows)
{
	return (struct table_rows)TABLE_ROWS(rows->rows,
					     rows->count + (rows->others > 0) +
						     !rows->is_selected);
}
