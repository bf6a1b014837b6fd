// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/stat.h>

#include "filesystems/file_columns.h"
#include "filesystems/measured_files.h"

static struct column_value get_number(const void *row, size_t place)
{
	return column_number_at(((const struct file_row *)row)->file, place);
}

static struct column_value get_path(const void *row, size_t place)
{
	return column_text_at(((const struct file_row *)row)->file, place);
}

static struct column_value get_cached(const void *data)
{
	const struct file_row *row = data;

	return column_number(true,
			     (int64_t)(row->file->pages * row->page_size));
}

static struct column_value get_cached_part(const void *data)
{
	const struct file_row *row = data;

	if (!row->file->size_bytes)
		return column_number(false, 0);
	return column_part(get_cached(row).number, row->file->size_bytes,
			   row->page_size);
}

static struct column_value get_fstype(const void *data)
{
	const struct file_row *row = data;

	return column_text(row->file->type ?: "tmpfs");
}

static struct column_value get_source(const void *data)
{
	const struct file_row *row = data;

	return column_text(row->file->source ?: "[shared memory]");
}

static struct column_value get_type(const void *row)
{
	switch (((const struct file_row *)row)->file->mode & S_IFMT) {
	case S_IFREG:
		return column_text("file");
	case S_IFDIR:
		return column_text("directory");
	case S_IFLNK:
		return column_text("link");
	}
	return column_text("other");
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

static const char *const types[] = { "file", "directory", "link", "other",
				     NULL };
static const char *const states[] = { "deleted", NULL };

static const struct column columns[] = {
	{ "PAGES", "pages", "pages of the file in the page cache", COLUMN_COUNT,
	  COLUMN_USUAL, .leave = 4,
	  COLUMN_AT(get_number, struct cached_file, pages) },
	{ "CACHED", "cached_bytes", "the same as a size", COLUMN_BYTES,
	  COLUMN_USUAL, .value = get_cached },
	{ "SIZE", "size_bytes", "size of the file", COLUMN_BYTES, COLUMN_USUAL,
	  .leave = 5, COLUMN_AT(get_number, struct cached_file, size_bytes) },
	{ "CACHED%", "cached_percent",
	  "part of the file that is cached (!: more than its size)",
	  COLUMN_PERCENT, COLUMN_USUAL, .leave = 6, .value = get_cached_part },
	{ "INODE", "inode", "its number in the filesystem", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, .leave = 1,
	  COLUMN_AT(get_number, struct cached_file, ino) },
	{ "TYPE", "type", "file, directory, link or other", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, .always = true, .words = types, .leave = 1,
	  .value = get_type },
	{ "FSTYPE", "fstype", "filesystem type", COLUMN_TEXT, COLUMN_USUAL,
	  .leave = 3, .value = get_fstype },
	{ "SOURCE", "source", "what is mounted, usually a device", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, .leave = 2, .value = get_source },
	{ "STATE", "state", "deleted: it lasts as long as it is open",
	  COLUMN_TEXT, COLUMN_USUAL, .words = states, .leave = 7,
	  .value = get_state },
	{ "USERS", "users", "processes that have it open or mapped",
	  COLUMN_LIST, COLUMN_USUAL, .leave = 8, .value = get_users },
	{ "PATH", "path", "its path, or only a name", COLUMN_PATH, COLUMN_USUAL,
	  COLUMN_AT(get_path, struct cached_file, path) },
};

const struct column_set file_columns = COLUMN_SET("files", columns);
