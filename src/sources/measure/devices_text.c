// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bufstat/devices.h>

#include "lib/error.h"
#include "lib/number.h"
#include "measure/devices_text.h"
#include "measure/snapshot.h"

#define MAX_COLUMNS 64
#define MAX_NAME 255

/* The columns that this reader knows; it skips others. */
enum column {
	COLUMN_MAJOR,
	COLUMN_MINOR,
	COLUMN_NAME,
	COLUMN_PAGES,
	COLUMN_DIRTY,
	COLUMN_WRITEBACK,
	COLUMN_OPENERS,
	COLUMN_WB_ERR,
	COLUMNS
};

static const char *const column_names[COLUMNS] = {
	[COLUMN_MAJOR] = BUFSTAT_COL_MAJOR,
	[COLUMN_MINOR] = BUFSTAT_COL_MINOR,
	[COLUMN_NAME] = BUFSTAT_COL_NAME,
	[COLUMN_PAGES] = BUFSTAT_COL_PAGES,
	[COLUMN_DIRTY] = BUFSTAT_COL_DIRTY,
	[COLUMN_WRITEBACK] = BUFSTAT_COL_WRITEBACK,
	[COLUMN_OPENERS] = BUFSTAT_COL_OPENERS,
	[COLUMN_WB_ERR] = BUFSTAT_COL_WB_ERR,
};

struct reader {
	char *next; /* where the next line begins */
	char *end;
	unsigned int line; /* number of the last line taken */
	struct snapshot *snapshot;
	struct error *err;
	uint64_t pages; /* the sum in the header */
	unsigned int width; /* number of fields in a row */
	int place[COLUMNS]; /* field of each known column, or -1 */
};

__attribute__((format(printf, 2, 3))) static int
damaged(struct reader *reader, const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return error_set(reader->err, EBADMSG, "line %u: %s", reader->line,
			 what);
}

/*
 * Ends the next line with a NUL and returns it. Returns NULL at the end of the
 * text, or if the last LF is missing.
 */
static char *take_line(struct reader *reader)
{
	char *line = reader->next;
	char *end;

	reader->line++;
	if (line >= reader->end)
		return NULL;
	end = memchr(line, '\n', (size_t)(reader->end - line));
	if (!end)
		return NULL;
	*end = '\0';
	reader->next = end + 1;
	return line;
}

static int cut_short(struct reader *reader)
{
	return damaged(reader, "cut short, there is no end marker");
}

int devices_text_version(const char *text, unsigned int *major,
			 unsigned int *minor)
{
	static const char format[] = BUFSTAT_DEVICES_FORMAT " ";
	uint64_t numbers[2];

	if (strncmp(text, format, sizeof(format) - 1) != 0)
		return -EBADMSG;
	text += sizeof(format) - 1;
	if (!number_scan(&text, UINT32_MAX, &numbers[0]) || *text++ != '.' ||
	    !number_scan(&text, UINT32_MAX, &numbers[1]) ||
	    (*text && *text != '\n'))
		return -EBADMSG;
	*major = (unsigned int)numbers[0];
	*minor = (unsigned int)numbers[1];
	return 0;
}

static int read_version(struct reader *reader)
{
	const char *line = take_line(reader);
	unsigned int major, minor;

	if (!line)
		return cut_short(reader);
	if (devices_text_version(line, &major, &minor) < 0)
		return damaged(reader,
			       "not the format " BUFSTAT_DEVICES_FORMAT);
	if (major != BUFSTAT_DEVICES_MAJOR)
		return error_doing(
			reader->err, EPROTO, "reading the module's figures",
			NULL,
			"format %u.%u: this bufstat reads %d.x: install a %s "
			"bufstat",
			major, minor, BUFSTAT_DEVICES_MAJOR,
			major > BUFSTAT_DEVICES_MAJOR ?
				"newer" :
				"newer module or an older");
	return 0;
}

/* Reads one "key figure" line and skips keys that this reader does not use. */
static int read_key(struct reader *reader, const char *line)
{
	static const struct {
		const char *key;
		uint64_t max;
	} keys[] = {
		{ BUFSTAT_KEY_PAGE_SIZE " ", PAGE_SIZE_MOST },
		{ BUFSTAT_KEY_PAGES " ", INT64_MAX },
	};
	uint64_t *const places[] = { &reader->snapshot->page_size,
				     &reader->pages };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		size_t length = strlen(keys[i].key);
		int word = (int)length - 1;

		if (strncmp(line, keys[i].key, length) != 0)
			continue;
		if (*places[i] != UINT64_MAX)
			return damaged(reader, "a second %.*s", word,
				       keys[i].key);
		if (!number_parse(line + length, keys[i].max, places[i]))
			return damaged(reader, "%.*s: not a number in range",
				       word, keys[i].key);
	}
	return 0;
}

static int read_columns(struct reader *reader, char *names)
{
	char *name;

	for (int i = 0; i < COLUMNS; i++)
		reader->place[i] = -1;

	while ((name = strsep(&names, " "))) {
		if (reader->width == MAX_COLUMNS)
			return damaged(reader, "more than %d columns",
				       MAX_COLUMNS);
		for (int i = 0; i < COLUMNS; i++) {
			if (strcmp(name, column_names[i]) != 0)
				continue;
			if (reader->place[i] >= 0)
				return damaged(reader, "a second column %s",
					       name);
			reader->place[i] = (int)reader->width;
		}
		reader->width++;
	}
	if (reader->place[COLUMN_MAJOR] < 0 ||
	    reader->place[COLUMN_MINOR] < 0 || reader->place[COLUMN_PAGES] < 0)
		return damaged(reader, "no column major, minor or pages");
	return 0;
}

static int read_header(struct reader *reader)
{
	static const char columns[] = BUFSTAT_KEY_COLUMNS " ";
	char *line;
	int ret;

	reader->snapshot->page_size = UINT64_MAX;
	reader->pages = UINT64_MAX;
	while ((line = take_line(reader))) {
		if (strncmp(line, columns, sizeof(columns) - 1) == 0)
			break;
		ret = read_key(reader, line);
		if (ret < 0)
			return ret;
	}
	if (!line)
		return cut_short(reader);

	if (!page_size_is_sound(reader->snapshot->page_size))
		return damaged(reader, "no usable " BUFSTAT_KEY_PAGE_SIZE);
	if (reader->pages == UINT64_MAX)
		return damaged(reader, "no " BUFSTAT_KEY_PAGES);
	return read_columns(reader, line + sizeof(columns) - 1);
}

static int read_name(struct reader *reader, struct sample *sample, char *name)
{
	if (strcmp(name, BUFSTAT_ABSENT) == 0)
		return 0;
	if (!*name || strlen(name) > MAX_NAME || !octal_unescape(name))
		return damaged(reader, "not a name");
	sample->kname = strdup(name);
	if (!sample->kname)
		return error_errno(reader->err, ENOMEM, "reading",
				   "the module's figures");
	return 0;
}

static int read_figure(struct reader *reader, struct sample *sample,
		       enum figure figure, const char *text)
{
	uint64_t max = figure == FIGURE_WRITE_ERROR ?
			       MAX_ERRNO :
			       INT64_MAX / reader->snapshot->page_size;
	uint64_t value;

	if (strcmp(text, BUFSTAT_ABSENT) == 0 && figure != FIGURE_PAGES)
		return 0;
	if (!number_parse(text, max, &value))
		return damaged(reader, "%.32s: not a number in range", text);
	sample_set(sample, figure, value);
	return 0;
}

static int read_row(struct reader *reader, char *const *fields)
{
	static const struct {
		enum column column;
		enum figure figure;
	} figures[] = {
		{ COLUMN_PAGES, FIGURE_PAGES },
		{ COLUMN_DIRTY, FIGURE_DIRTY },
		{ COLUMN_WRITEBACK, FIGURE_WRITEBACK },
		{ COLUMN_OPENERS, FIGURE_OPENERS },
		{ COLUMN_WB_ERR, FIGURE_WRITE_ERROR },
	};
	const int *place = reader->place;
	struct sample *sample;
	uint64_t major, minor;
	int ret = 0;

	if (!number_parse(fields[place[COLUMN_MAJOR]], UINT32_MAX, &major) ||
	    !number_parse(fields[place[COLUMN_MINOR]], UINT32_MAX, &minor))
		return damaged(reader, "not a device number");
	sample = snapshot_add(reader->snapshot, (unsigned int)major,
			      (unsigned int)minor);
	if (!sample)
		return error_errno(reader->err, ENOMEM, "reading",
				   "the module's figures");

	if (place[COLUMN_NAME] >= 0)
		ret = read_name(reader, sample, fields[place[COLUMN_NAME]]);
	for (size_t i = 0; !ret && i < sizeof(figures) / sizeof(*figures);
	     i++) {
		int field = place[figures[i].column];

		if (field >= 0)
			ret = read_figure(reader, sample, figures[i].figure,
					  fields[field]);
	}
	return ret;
}

static int read_rows(struct reader *reader)
{
	static const char end[] = BUFSTAT_KEY_END " ";
	char *fields[MAX_COLUMNS + 1];
	uint64_t count;
	char *line;

	while ((line = take_line(reader))) {
		unsigned int width = 0;
		int ret;

		if (strncmp(line, end, sizeof(end) - 1) == 0)
			break;
		while (width <= reader->width &&
		       (fields[width] = strsep(&line, " ")))
			width++;
		if (width != reader->width)
			return damaged(reader, "%s fields than columns",
				       width < reader->width ? "fewer" :
							       "more");
		ret = read_row(reader, fields);
		if (ret < 0)
			return ret;
	}
	if (!line)
		return cut_short(reader);
	if (!number_parse(line + sizeof(end) - 1, UINT64_MAX, &count) ||
	    count != reader->snapshot->count)
		return damaged(reader, "%.32s rows announced, %zu found",
			       line + sizeof(end) - 1, reader->snapshot->count);
	if (reader->next != reader->end)
		return damaged(reader, "something follows the end marker");
	return 0;
}

int devices_text_parse(char *text, size_t size, struct snapshot *snapshot,
		       struct error *err)
{
	struct reader reader = {
		.next = text,
		.end = text + size,
		.snapshot = snapshot,
		.err = err,
	};
	uint64_t sum;
	int ret;

	/* Lines become C strings below, so a NUL would hide what follows it. */
	if (memchr(text, '\0', size))
		return damaged(&reader, "a NUL byte in the text");

	ret = read_version(&reader) ?: read_header(&reader);
	if (!ret)
		ret = read_rows(&reader);
	if (!ret && (!snapshot_sum(snapshot, &sum) || sum != reader.pages))
		ret = damaged(&reader, "the rows do not add up to %llu pages",
			      (unsigned long long)reader.pages);
	return ret;
}
