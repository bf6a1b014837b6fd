// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "fs_text.h"
#include "measured_filesystems.h"
#include "mountinfo.h"
#include "number.h"
#include "sysroot.h"

#define FIRST_LINE "bufstat-filesystems 1"
#define ABSENT "-"
#define SHMEM "shmem"
#define KEEPS "keeps"
#define UNEVICTABLE "unevictable"
#define UNMOUNTED "unmounted"
#define MAX_FILE (64U << 20)
#define MAX_PAGE_SIZE (1U << 30)

static const struct {
	const char *key;
	enum meminfo_field field;
} totals[] = {
	{ "Cached", MEMINFO_CACHED },
	{ "SwapCached", MEMINFO_SWAP_CACHED },
	{ "Shmem", MEMINFO_SHMEM },
};

#define TOTALS (sizeof(totals) / sizeof(*totals))

static void put_line(FILE *out, const char *key, const char *value)
{
	fprintf(out, "%s ", key);
	for (; *value; value++) {
		if (strchr("\n\\", *value))
			fprintf(out, "\\%03o", (unsigned char)*value);
		else
			putc(*value, out);
	}
	putc('\n', out);
}

static void put_figures(FILE *out, const struct filesystem *filesystem)
{
	const struct device_sample *sample = filesystem->sample;

	fprintf(out, "filesystem %u:%u", sample->major, sample->minor);
	for (int i = FIGURE_PAGES; i <= FIGURE_WRITEBACK; i++) {
		if (sample_has(sample, (enum figure)i))
			fprintf(out, " %" PRIu64, sample->figures[i]);
		else
			fputs(" " ABSENT, out);
	}
	fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n",
		filesystem->inodes, filesystem->longest_hold_ns,
		filesystem->uncounted,
		filesystem->is_shmem	? SHMEM "," KEEPS :
		filesystem->keeps_pages ? KEEPS :
					  ABSENT);
}

static void put_filesystem(FILE *out, const struct filesystem *filesystem)
{
	const struct mounted *mounted = filesystem->mounted;

	put_figures(out, filesystem);
	if (filesystem->sample->refused)
		put_line(out, "refused", filesystem->sample->refused);
	else if (filesystem->has_unevictable)
		fprintf(out, UNEVICTABLE " %" PRIu64 "\n",
			filesystem->unevictable);
	if (filesystem->is_unmounted)
		fprintf(out, UNMOUNTED " yes\n");
	if (!mounted)
		return;
	put_line(out, "type", mounted->type);
	put_line(out, "source", mounted->source);
	for (size_t i = 0; i < mounted->mountpoints.count; i++)
		put_line(out, "at", mounted->mountpoints.strings[i]);
}

void fs_text_write(FILE *out, const struct filesystems *filesystems)
{
	const struct meminfo *meminfo = &filesystems->meminfo;

	fprintf(out, FIRST_LINE "\npage_size %" PRIu64 "\n",
		filesystems->snapshot.page_size);
	for (size_t i = 0; i < TOTALS; i++) {
		if (meminfo_has(meminfo, totals[i].field))
			fprintf(out, "%s %" PRIu64 "\n", totals[i].key,
				meminfo->kib[totals[i].field]);
	}
	for (size_t i = 0; i < filesystems->count; i++)
		put_filesystem(out, &filesystems->filesystems[i]);
	fprintf(out, "end %zu\n", filesystems->count);
}

/* What is being read. */
struct reader {
	struct filesystems *all;
	struct filesystem *filesystem; /* the last one, or NULL */
	struct mounted *mounted; /* of that one, or NULL */
	uint64_t sums[FIGURE_WRITEBACK + 1];
	bool ended;
};

static size_t count_lines(const char *text)
{
	size_t lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* A field that must be there and be a number; the sum of its kind is a size. */
static bool read_pages(struct reader *reader, char **fields, enum figure figure)
{
	uint64_t most = INT64_MAX / 4 / reader->all->snapshot.page_size;
	const char *field = strsep(fields, " ");
	uint64_t pages;

	if (!field)
		return false;
	if (strcmp(field, ABSENT) == 0)
		return true;
	if (!number_parse(field, most - reader->sums[figure], &pages))
		return false;
	reader->sums[figure] += pages;
	sample_set(reader->filesystem->sample, figure, pages);
	return true;
}

static bool read_count(char **fields, uint64_t *count)
{
	const char *field = strsep(fields, " ");

	return field && number_parse(field, INT64_MAX, count);
}

static int add_filesystem(struct reader *reader, unsigned int major,
			  unsigned int minor)
{
	struct filesystems *all = reader->all;
	struct device_sample *sample =
		snapshot_add(&all->snapshot, major, minor);

	if (!sample)
		return -ENOMEM;
	reader->mounted = NULL;
	reader->filesystem = &all->filesystems[all->count++];
	reader->filesystem->sample = sample;
	return 0;
}

static int read_filesystem(struct reader *reader, char *fields)
{
	const char *number = strsep(&fields, " ");
	struct filesystem *filesystem;
	uint64_t major, minor;
	int ret;

	if (!number_scan(&number, UINT32_MAX, &major) || *number++ != ':' ||
	    !number_parse(number, UINT32_MAX, &minor))
		return -EBADMSG;
	ret = add_filesystem(reader, (unsigned int)major, (unsigned int)minor);
	if (ret < 0)
		return ret;
	filesystem = reader->filesystem;
	for (int i = FIGURE_PAGES; i <= FIGURE_WRITEBACK; i++) {
		if (!read_pages(reader, &fields, (enum figure)i))
			return -EBADMSG;
	}
	if (!read_count(&fields, &filesystem->inodes) ||
	    !read_count(&fields, &filesystem->longest_hold_ns) ||
	    !read_count(&fields, &filesystem->uncounted) || !fields)
		return -EBADMSG;
	filesystem->is_shmem = strcmp(fields, SHMEM "," KEEPS) == 0;
	filesystem->keeps_pages = filesystem->is_shmem ||
				  strcmp(fields, KEEPS) == 0;
	return 0;
}

static int read_type(struct reader *reader, const char *type)
{
	struct all_mounts *mounts = &reader->all->mounts;
	struct mounted *mounted;

	if (!reader->filesystem || reader->mounted)
		return -EBADMSG;
	mounted = &mounts->mounts[mounts->count++];
	*mounted = (struct mounted){
		.major = reader->filesystem->sample->major,
		.minor = reader->filesystem->sample->minor,
		.type = strdup(type),
	};
	reader->mounted = mounted;
	reader->filesystem->mounted = mounted;
	return mounted->type ? 0 : -ENOMEM;
}

static int read_source(struct reader *reader, const char *source)
{
	if (!reader->mounted || reader->mounted->source)
		return -EBADMSG;
	reader->mounted->source = strdup(source);
	return reader->mounted->source ? 0 : -ENOMEM;
}

static int read_mountpoint(struct reader *reader, const char *path)
{
	int ret;

	if (!reader->mounted)
		return -EBADMSG;
	ret = string_list_add(&reader->mounted->mountpoints, path);
	return ret < 0 ? ret : string_list_add(&reader->mounted->roots, "/");
}

static int read_refused(struct reader *reader, const char *why)
{
	struct device_sample *sample;

	if (!reader->filesystem || reader->filesystem->sample->refused ||
	    reader->filesystem->sample->present)
		return -EBADMSG;
	sample = reader->filesystem->sample;
	sample->refused = strdup(why);
	if (strcmp(why, FILESYSTEM_SILENT) == 0)
		reader->all->silent++;
	else
		reader->all->refused++;
	return sample->refused ? 0 : -ENOMEM;
}

static int read_unevictable(struct reader *reader, const char *value)
{
	struct filesystem *filesystem = reader->filesystem;

	if (!filesystem || filesystem->has_unevictable ||
	    !sample_has(filesystem->sample, FIGURE_PAGES) ||
	    !number_parse(value, filesystem->sample->figures[FIGURE_PAGES],
			  &filesystem->unevictable))
		return -EBADMSG;
	filesystem->has_unevictable = true;
	return 0;
}

static int read_unmounted(struct reader *reader)
{
	if (!reader->filesystem)
		return -EBADMSG;
	reader->filesystem->is_unmounted = true;
	return 0;
}

static int read_end(struct reader *reader, const char *value)
{
	uint64_t count;

	if (!number_parse(value, SIZE_MAX, &count) ||
	    count != reader->all->count)
		return -EBADMSG;
	reader->ended = true;
	return 0;
}

static int read_total(struct reader *reader, const char *key, const char *value)
{
	uint64_t kib;

	for (size_t i = 0; i < TOTALS; i++) {
		if (strcmp(key, totals[i].key) != 0)
			continue;
		if (!number_parse(value, UINT64_MAX, &kib))
			return -EBADMSG;
		meminfo_set(&reader->all->meminfo, totals[i].field, kib);
	}
	/* A later version may say more. */
	return 0;
}

static int read_line(struct reader *reader, char *line)
{
	const char *key = strsep(&line, " ");

	if (!line || reader->ended)
		return -EBADMSG;
	if (strcmp(key, "filesystem") == 0)
		return read_filesystem(reader, line);
	if (strcmp(key, "end") == 0)
		return read_end(reader, line);
	if (strcmp(key, UNEVICTABLE) == 0)
		return read_unevictable(reader, line);
	if (strcmp(key, UNMOUNTED) == 0)
		return read_unmounted(reader);
	mountinfo_unescape(line);
	if (strcmp(key, "type") == 0)
		return read_type(reader, line);
	if (strcmp(key, "source") == 0)
		return read_source(reader, line);
	if (strcmp(key, "at") == 0)
		return read_mountpoint(reader, line);
	if (strcmp(key, "refused") == 0)
		return read_refused(reader, line);
	return read_total(reader, key, line);
}

/* The snapshot has moved its samples while it grew. */
static int check(const struct filesystems *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct filesystem *filesystem = &all->filesystems[i];
		const struct mounted *mounted = filesystem->mounted;

		filesystem->sample = &all->snapshot.devices[i];
		if (mounted &&
		    (!mounted->source || !mounted->mountpoints.count))
			return -EBADMSG;
		if (!filesystem->sample->refused &&
		    !sample_has(filesystem->sample, FIGURE_PAGES))
			return -EBADMSG;
	}
	return 0;
}

static int read_text(struct reader *reader, char *text)
{
	struct filesystems *all = reader->all;
	size_t lines = count_lines(text);
	const char *size;
	uint64_t page_size;
	char *line;
	int ret = 0;

	all->filesystems = calloc(lines, sizeof(*all->filesystems));
	all->mounts.mounts = calloc(lines, sizeof(*all->mounts.mounts));
	if (!all->filesystems || !all->mounts.mounts)
		return -ENOMEM;
	line = strsep(&text, "\n");
	size = strsep(&text, "\n");
	if (strcmp(line, FIRST_LINE) != 0 || !size ||
	    strncmp(size, "page_size ", 10) != 0 ||
	    !number_parse(size + 10, MAX_PAGE_SIZE, &page_size) || !page_size)
		return -EBADMSG;
	all->snapshot.page_size = page_size;
	while (!ret && (line = strsep(&text, "\n")) && (*line || text))
		ret = read_line(reader, line);
	if (!ret && !reader->ended)
		ret = -EBADMSG;
	all->attributed_pages = reader->sums[FIGURE_PAGES];
	return ret < 0 ? ret : check(all);
}

int fs_text_read(const struct sysroot *root, struct filesystems *filesystems,
		 struct error *err)
{
	struct reader reader = { .all = filesystems };
	_cleanup_(freep) char *text = NULL;
	int ret;

	if (sysroot_read(root, FS_TEXT_PATH, MAX_FILE, &text, NULL) < 0)
		return error_set(err, EOPNOTSUPP,
				 "module: %s" FS_TEXT_PATH ": not in this tree",
				 root->prefix);
	ret = read_text(&reader, text);
	if (ret == -EBADMSG)
		return error_set(err, EBADMSG,
				 "reading: %s" FS_TEXT_PATH ": damaged",
				 root->prefix);
	return ret < 0 ? error_errno(err, -ret, "reading", FS_TEXT_PATH) : 0;
}
