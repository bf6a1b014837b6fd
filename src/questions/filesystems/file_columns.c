// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/stat.h>

#include "filesystems/file_columns.h"
#include "filesystems/measured_files.h"

static struct column_value number(uint64_t figure)
{
	return (struct column_value){ .known = true,
				      .number = (int64_t)figure };
}

static struct column_value get_number(const void *row, size_t place)
{
	return column_number_at(((const struct file_row *)row)->file, place);
}

static struct column_value get_cached(const void *data)
{
	const struct file_row *row = data;

	return number(row->file->pages * row->page_size);
}

static struct column_value get_cached_part(const void *data)
{
	const struct file_row *row = data;

	if (!row->file->size_bytes)
		return (struct column_value){ .known = false };
	return column_part((int64_t)(row->file->pages * row->page_size),
			   row->file->size_bytes, row->page_size);
}

static struct column_value get_fstype(const void *data)
{
	const struct file_row *row = data;

	return column_text(row->file->mounted ? row->file->mounted->type :
						"tmpfs");
}

static struct column_value get_source(const void *data)
{
	const struct file_row *row = data;

	return column_text(row->file->mounted ? row->file->mounted->source :
						"[shared memory]");
}

static const char *type_of(unsigned int mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "file";
	case S_IFDIR:
		return "directory";
	case S_IFLNK:
		return "link";
	}
	return "other";
}

static struct column_value get_type(const void *data)
{
	const struct file_row *row = data;

	return column_text(type_of(row->file->mode));
}

static struct column_value get_state(const void *data)
{
	const struct file_row *row = data;

	return column_text(row->file->is_deleted ? "deleted" : NULL);
}

static struct column_value get_users(const void *data)
{
	const struct file_row *row = data;

	return (struct column_value){ .known = row->has_users,
				      .list = &row->file->users };
}

static struct column_value get_path(const void *data)
{
	const struct file_row *row = data;

	return column_text(row->file->path);
}

static const struct column columns[] = {
	{ "PAGES", "pages", "pages of the file in the page cache", COLUMN_COUNT,
	  COLUMN_USUAL, 4, false, .value_of = get_number,
	  .which = offsetof(struct cached_file, pages) },
	{ "CACHED", "cached_bytes", "the same as a size", COLUMN_BYTES,
	  COLUMN_USUAL, 0, false, .value = get_cached },
	{ "SIZE", "size_bytes", "size of the file", COLUMN_BYTES, COLUMN_USUAL,
	  5, false, .value_of = get_number,
	  .which = offsetof(struct cached_file, size_bytes) },
	{ "CACHED%", "cached_percent",
	  "part of the file that is cached (!: more than its size)",
	  COLUMN_PERCENT, COLUMN_USUAL, 6, false, .value = get_cached_part },
	{ "INODE", "inode", "its number in the filesystem", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, 1, false, .value_of = get_number,
	  .which = offsetof(struct cached_file, ino) },
	{ "TYPE", "type", "file, directory, link or other", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, 1, false, .value = get_type },
	{ "FSTYPE", "fstype", "filesystem type", COLUMN_TEXT, COLUMN_USUAL, 3,
	  false, .value = get_fstype },
	{ "SOURCE", "source", "what is mounted, usually a device", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, 2, false, .value = get_source },
	{ "STATE", "state", "deleted: it lasts as long as it is open",
	  COLUMN_TEXT, COLUMN_USUAL, 7, false, .value = get_state },
	{ "USERS", "users", "processes that have it open or mapped",
	  COLUMN_LIST, COLUMN_USUAL, 8, false, .value = get_users },
	{ "PATH", "path", "its path, or only a name", COLUMN_PATH, COLUMN_USUAL,
	  0, false, .value = get_path },
};

_Static_assert(sizeof(columns) / sizeof(*columns) <= COLUMN_CHOICE_ROOM,
	       "a choice must have room for all columns");

const struct column_set file_columns = {
	.command = "files",
	.columns = columns,
	.count = sizeof(columns) / sizeof(*columns),
};
