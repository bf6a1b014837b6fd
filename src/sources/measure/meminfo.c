// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "fields/fields.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/meminfo.h"
#include "measure/saved.h"

#define MEMINFO_PATH "/proc/meminfo"
#define MAX_SIZE (1U << 20)
/* A count may move by SETTLED_PAGES plus 1/SETTLED_PART of itself. */
#define SETTLED_PAGES 32
#define SETTLED_PART 1000
#define MAX_VALUE 40 /* "18446744073709551615 kB" and room for zeros */

static const char *const field_names[MEMINFO_FIELDS] = {
	[MEMINFO_MEM_TOTAL] = "MemTotal",
	[MEMINFO_MEM_FREE] = "MemFree",
	[MEMINFO_MEM_AVAILABLE] = "MemAvailable",
	[MEMINFO_BUFFERS] = "Buffers",
	[MEMINFO_CACHED] = "Cached",
	[MEMINFO_SWAP_CACHED] = "SwapCached",
	[MEMINFO_SHMEM] = "Shmem",
	[MEMINFO_SRECLAIMABLE] = "SReclaimable",
	[MEMINFO_SWAP_TOTAL] = "SwapTotal",
	[MEMINFO_SWAP_FREE] = "SwapFree",
	[MEMINFO_LOW_TOTAL] = "LowTotal",
	[MEMINFO_LOW_FREE] = "LowFree",
	[MEMINFO_HIGH_TOTAL] = "HighTotal",
	[MEMINFO_HIGH_FREE] = "HighFree",
	[MEMINFO_COMMIT_LIMIT] = "CommitLimit",
	[MEMINFO_COMMITTED_AS] = "Committed_AS",
	[MEMINFO_DIRTY] = "Dirty",
	[MEMINFO_WRITEBACK] = "Writeback",
	[MEMINFO_MAPPED] = "Mapped",
};

/* Returns MEMINFO_FIELDS for a name that bufstat does not use. */
static enum meminfo_field find_field(const char *name, size_t length)
{
	enum meminfo_field field;

	for (field = 0; field < MEMINFO_FIELDS; field++) {
		if (strlen(field_names[field]) == length &&
		    memcmp(field_names[field], name, length) == 0)
			break;
	}
	return field;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * Reads "   1882064 kB", which is not NUL-terminated. The unit may be missing,
 * as free allows. With any other unit the number means something else, so it is
 * refused.
 */
static bool parse_kib(const char *start, const char *end, uint64_t *kib)
{
	char text[MAX_VALUE + 1];
	const char *rest = text;
	size_t length;

	while (start < end && is_space(*start))
		start++;
	while (start < end && is_space(end[-1]))
		end--;
	length = (size_t)(end - start);
	if (length > MAX_VALUE || memchr(start, '\0', length))
		return false;
	memcpy(text, start, length);
	text[length] = '\0';

	if (!number_scan(&rest, UINT64_MAX, kib))
		return false;
	if (!*rest)
		return true;
	if (!is_space(*rest))
		return false;
	while (is_space(*rest))
		rest++;
	return strcmp(rest, "kB") == 0;
}

bool meminfo_next(const char **text, const char *end, struct meminfo_line *line)
{
	while (*text < end) {
		const char *start = *text;
		const char *line_end =
			memchr(start, '\n', (size_t)(end - start));
		const char *colon;

		if (!line_end)
			line_end = end;
		*text = line_end + 1;
		colon = memchr(start, ':', (size_t)(line_end - start));
		if (!colon)
			continue;
		*line = (struct meminfo_line){
			.name = start,
			.length = (size_t)(colon - start),
		};
		line->known = parse_kib(colon + 1, line_end, &line->kib);
		return true;
	}
	return false;
}

void meminfo_parse(struct meminfo *meminfo, const char *text, size_t size)
{
	const char *end = text + size;
	struct meminfo_line line;

	*meminfo = (struct meminfo){ 0 };
	while (meminfo_next(&text, end, &line)) {
		enum meminfo_field field = find_field(line.name, line.length);

		if (field == MEMINFO_FIELDS)
			continue;
		/* If two lines have the same name the last one counts, as in
		 * free. */
		if (line.known) {
			meminfo_set(meminfo, field, line.kib);
		} else {
			meminfo->present &= ~(UINT64_C(1) << field);
			meminfo->kib[field] = 0;
		}
	}
}

int64_t settled_allowance(uint64_t pages)
{
	return SETTLED_PAGES + (int64_t)(pages / SETTLED_PART);
}

bool settled_is_near(uint64_t pages, uint64_t others)
{
	int64_t apart = (int64_t)pages - (int64_t)others;
	int64_t allowed = settled_allowance(pages);

	return apart >= -allowed && apart <= allowed;
}

bool meminfo_pages(const struct meminfo *meminfo, enum meminfo_field field,
		   uint64_t page_size, uint64_t *pages)
{
	uint64_t page_kib = page_size / 1024;
	uint64_t kib = meminfo->kib[field];

	if (!meminfo_has(meminfo, field) || !page_kib ||
	    kib > INT64_MAX / 1024 || kib % page_kib)
		return false;
	*pages = kib / page_kib;
	return true;
}

struct column_value meminfo_value(const void *meminfo, size_t field)
{
	int64_t bytes = 0;
	bool known = meminfo_bytes(meminfo, field, &bytes);

	return column_number(known, bytes);
}

static const struct field saved_list[] = {
	{ FIELD_COUNTS_OR_NULL(struct meminfo, kib, present, field_names,
			       MEMINFO_FIELDS, UINT64_MAX) },
};

const struct fields meminfo_fields = FIELDS(struct meminfo, saved_list);

int meminfo_read_saved(struct json_value object, struct meminfo *meminfo)
{
	struct json_value fields;
	int ret = json_in_object(object, "meminfo_kib", &fields);

	if (ret <= 0)
		return ret;
	*meminfo = (struct meminfo){ 0 };
	return fields_read(fields, &meminfo_fields, meminfo) ?: 1;
}

/* Returns as saved_open(). */
static int read_saved(struct meminfo *meminfo, const struct sysroot *root,
		      struct error *err)
{
	struct saved saved;
	int ret = saved_open(&saved, root, err);

	if (ret <= 0)
		return ret;
	ret = meminfo_read_saved(saved.reading, meminfo);
	if (ret <= 0)
		ret = saved_failed(&saved, ret < 0 ? ret : -EBADMSG, err);
	saved_close(&saved);
	return ret;
}

int meminfo_read(struct meminfo *meminfo, const struct sysroot *root,
		 struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	_cleanup_(freep) char *path = NULL;
	size_t size;
	int ret = read_saved(meminfo, root, err);

	if (ret)
		return ret < 0 ? ret : 0;
	ret = sysroot_read(root, MEMINFO_PATH, MAX_SIZE, &text, &size);
	if (!ret && !size)
		ret = -EIO; /* the kernel's file is never empty */
	if (ret < 0) {
		path = sysroot_path(root, MEMINFO_PATH);
		return error_errno(err, -ret, "reading",
				   path ? path : MEMINFO_PATH);
	}
	meminfo_parse(meminfo, text, size);
	return 0;
}
