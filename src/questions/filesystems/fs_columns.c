// SPDX-License-Identifier: GPL-2.0-or-later
#include "filesystems/fs_rows.h"
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
