// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devices_file.h"

#define HEADING "columns major minor name pages dirty writeback openers wb_err"
#define COLUMNS 8

int devices_file_read(int fd, size_t step, struct devices_file *file)
{
	size_t room = 0;
	ssize_t got;

	memset(file, 0, sizeof(*file));
	do {
		if (file->size + step + 1 > room) {
			room = 2 * room + step + 65536;
			file->text = realloc(file->text, room);
			if (!file->text)
				return -ENOMEM;
		}
		got = read(fd, file->text + file->size, step);
		if (got < 0)
			return -errno;
		file->size += (size_t)got;
	} while (got > 0);
	file->text[file->size] = '\0';
	return 0;
}

void devices_file_free(struct devices_file *file)
{
	free(file->text);
}

/* Parses digits only, and sets *@end to what follows them. */
static int parse_number(const char *text, const char **end,
			unsigned long *value)
{
	char *stop;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	*value = strtoul(text, &stop, 10);
	*end = stop;
	return errno ? -1 : 0;
}

/* Parses "KEY NUMBER\n" and steps over it. */
static int take_key(const char **text, const char *key, unsigned long *value)
{
	size_t length = strlen(key);
	const char *end;

	if (strncmp(*text, key, length) != 0 || (*text)[length] != ' ' ||
	    parse_number(*text + length + 1, &end, value) || *end != '\n')
		return -1;
	*text = end + 1;
	return 0;
}

static const char *check_header(const char **text, struct devices_file *file)
{
	if (strncmp(*text, "bufstat-devices 1.", 18) != 0)
		return "first line";
	*text = strchr(*text, '\n');
	if (!*text || strncmp(++*text, "module_version ", 15) != 0)
		return "module_version";
	*text = strchr(*text, '\n');
	if (!*text)
		return "module_version is cut";
	++*text;
	if (take_key(text, "page_size", &file->page_size) ||
	    take_key(text, "devices", &file->devices) ||
	    take_key(text, "pages", &file->pages) ||
	    take_key(text, "bufferram_pages", &file->bufferram_pages) ||
	    take_key(text, "file_pages", &file->file_pages))
		return "the header's keys";
	if (strncmp(*text, HEADING "\n", strlen(HEADING) + 1) != 0)
		return "the columns";
	*text += strlen(HEADING) + 1;
	return NULL;
}

/* A field of a row. Figures may be "-", numbers may not; no spaces in names. */
static const char *check_field(const char **text, int column,
			       struct devices_file *file)
{
	static const char kinds[COLUMNS + 1] = "NNsNFFFF";
	const char *end = *text;
	unsigned long value = 0;

	if (kinds[column] == 's' || (kinds[column] == 'F' && *end == '-'))
		end += strcspn(end, " \n");
	else if (parse_number(*text, &end, &value))
		return "a figure is no number";
	if (end == *text || *end != (column == COLUMNS - 1 ? '\n' : ' '))
		return "fields of a row";
	if (column == 3 && value == 0)
		return "a row without pages";
	if (column == 3)
		file->row_pages += value;
	*text = end + 1;
	return NULL;
}

const char *devices_file_check(struct devices_file *file)
{
	const char *text = file->text;
	const char *wrong = check_header(&text, file);
	unsigned long rows;

	file->rows = 0;
	file->row_pages = 0;
	while (!wrong && isdigit((unsigned char)*text)) {
		for (int i = 0; !wrong && i < COLUMNS; i++)
			wrong = check_field(&text, i, file);
		file->rows++;
	}
	if (wrong)
		return wrong;
	if (take_key(&text, "end", &rows))
		return "no end";
	if (text != file->text + file->size)
		return "something after the end";
	if (rows != file->rows)
		return "another number of rows than the end says";
	if (file->row_pages != file->pages)
		return "the rows do not add up to pages";
	if (file->rows > file->devices)
		return "more rows than devices";
	return NULL;
}

unsigned long meminfo_buffers_kib(void)
{
	FILE *stream = fopen("/proc/meminfo", "re");
	unsigned long kib;
	char line[128];

	if (!stream)
		err(1, "/proc/meminfo");
	while (fgets(line, sizeof(line), stream)) {
		if (sscanf(line, "Buffers: %lu kB", &kib) != 1)
			continue;
		fclose(stream);
		return kib;
	}
	errx(1, "/proc/meminfo: no Buffers");
}
