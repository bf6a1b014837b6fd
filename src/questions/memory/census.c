// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/kernel-page-flags.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "memory/census.h"
#include "memory/memory_rows.h"
#include "worker/patience.h"

#define PATH "/proc/kpageflags"
#define IOMEM "/proc/iomem"
#define MAX_IOMEM (1U << 20)
/* A machine has a range of RAM per hole and per added DIMM. */
#define RANGES_ROOM 4096
/* Page frames a read: the kernel may stop between two of them. */
#define PIECE 8192

/* Not in the header: fs/proc/page.c has it for those who debug the kernel. */
#define KPF_RESERVED 32

static bool has(uint64_t flags, unsigned int bit)
{
	return flags >> bit & 1;
}

/* Later pages of a compound page have only some of the first one's flags. */
static enum census_kind kind_of(uint64_t flags, enum census_kind before)
{
	if (has(flags, KPF_RESERVED))
		return CENSUS_RESERVED;
	if (has(flags, KPF_HWPOISON))
		return CENSUS_BROKEN;
	if (has(flags, KPF_BUDDY))
		return CENSUS_FREE;
	if (has(flags, KPF_SLAB))
		return CENSUS_SLAB;
	if (has(flags, KPF_HUGE))
		return CENSUS_HUGE;
	if (has(flags, KPF_PGTABLE))
		return CENSUS_PAGE_TABLES;
	if (has(flags, KPF_OFFLINE))
		return CENSUS_OFFLINE;
	if (has(flags, KPF_LRU))
		return CENSUS_LRU;
	return has(flags, KPF_COMPOUND_TAIL) ? before : CENSUS_OTHER;
}

static void count(struct memory_census *census, const uint64_t *flags,
		  size_t frames, enum census_kind *before)
{
	for (size_t i = 0; i < frames; i++) {
		if (has(flags[i], KPF_NOPAGE))
			continue;
		*before = kind_of(flags[i], *before);
		census->pages[*before]++;
	}
}

static int needs_root(struct error *err, const char *path, const char *why)
{
	return error_advise(err, ERROR_UNUSABLE, "counting page frames", path,
			    "use sudo", "%s", why);
}

/* Page frames of RAM, from @first up to but without @end. */
struct range {
	uint64_t first, end;
};

struct ranges {
	struct range ranges[RANGES_ROOM];
	size_t count;
};

/* Parses "00100000-1fffffff : System RAM", or an indented one. */
static bool parse_range(const char *line, uint64_t page_size,
			struct range *range)
{
	uint64_t first, last;

	if (sscanf(line, " %lx-%lx : System RAM", &first, &last) != 2 ||
	    last <= first || !strstr(line, " : System RAM"))
		return false;
	range->first = (first + page_size - 1) / page_size;
	range->end = (last + 1) / page_size;
	return range->end > range->first;
}

/*
 * Other page frames have no memory, or memory that the page allocator does not
 * have, such as persistent memory. From Linux 7 on, some of them look like
 * pages in use.
 */
static int read_ranges(struct ranges *ranges, const struct sysroot *root,
		       struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	char *rest, *line;
	int ret = sysroot_read(root, IOMEM, MAX_IOMEM, &text, NULL);

	if (ret < 0)
		return error_errno(err, -ret, "counting page frames", IOMEM);
	rest = text;
	while ((line = strsep(&rest, "\n")) && ranges->count < RANGES_ROOM) {
		if (parse_range(line, page_size,
				&ranges->ranges[ranges->count]))
			ranges->count++;
	}
	/* Without privileges, all addresses are 0. */
	return ranges->count ? 0 :
			       needs_root(err, IOMEM, "it hides its addresses");
}

static int count_range(struct memory_census *census, int fd,
		       const struct range *range, const struct sysroot *root,
		       struct error *err)
{
	enum census_kind before = CENSUS_OTHER;
	uint64_t flags[PIECE];
	uint64_t at = range->first;

	while (at < range->end && !patience_is_over(root->patience)) {
		uint64_t frames = range->end - at;
		ssize_t got;

		if (frames > PIECE)
			frames = PIECE;
		got = pread(fd, flags, frames * sizeof(*flags),
			    (off_t)(at * sizeof(*flags)));
		if (got < 0)
			return error_errno(err, errno, "counting page frames",
					   PATH);
		if (!got)
			break;
		count(census, flags, (size_t)got / sizeof(*flags), &before);
		at += (uint64_t)got / sizeof(*flags);
	}
	return 0;
}

int census_take(struct memory_census *census, const struct sysroot *root,
		struct error *err)
{
	_cleanup_(closep) int fd = -1;
	_cleanup_(freep) struct ranges *ranges = calloc(1, sizeof(*ranges));
	int ret;

	*census = (struct memory_census){ 0 };
	if (!ranges)
		return error_errno(err, ENOMEM, "counting page frames", PATH);
	if (!sysroot_is_live(root))
		return error_doing(err, ERROR_UNUSABLE, "counting page frames",
				   root->prefix,
				   "only the running host has page frames to "
				   "count");
	fd = sysroot_open(root, PATH, O_RDONLY);
	if (fd == -EACCES || fd == -EPERM)
		return needs_root(err, PATH, "only root may read it");
	if (fd < 0)
		return error_errno(err, -fd, "counting page frames", PATH);
	patience_set_about(root->patience, "page frames");
	ret = read_ranges(ranges, root, err);
	for (size_t i = 0; !ret && i < ranges->count; i++)
		ret = count_range(census, fd, &ranges->ranges[i], root, err);
	census->complete = !ret && !patience_is_over(root->patience);
	return ret;
}

/* What of it is in MemTotal. */
static int64_t census_sum(const struct memory_census *census)
{
	int64_t pages = 0;

	for (size_t i = 0; i < CENSUS_RESERVED; i++)
		pages += census->pages[i];
	return pages;
}

int census_rows(struct memory_rows *rows, const struct memory_rows_of *of)
{
	static const struct {
		const char *key, *what, *note;
	} kinds[CENSUS_KINDS] = {
		[CENSUS_FREE] = { "free", "free", NULL },
		[CENSUS_SLAB] = { "slab", "slab", NULL },
		[CENSUS_LRU] = { "lru", "file and anonymous pages",
				 "on the LRU lists" },
		[CENSUS_PAGE_TABLES] = { "page_tables", "page tables", NULL },
		[CENSUS_HUGE] = { "huge", "huge page pools", NULL },
		[CENSUS_OFFLINE] = { "offline", "offline",
				     "given away by a balloon" },
		[CENSUS_BROKEN] = { "broken", "broken pages", NULL },
		[CENSUS_OTHER] = { "other", "without a flag",
				   "vmalloc, kernel stacks, per-CPU lists and "
				   "memory, drivers, unaccounted" },
		[CENSUS_RESERVED] = { "reserved", "reserved",
				      "since the boot, not in MemTotal" },
	};
	const int64_t sum = census_sum(of->census);
	struct memory_row *row;

	for (size_t i = 0; i < CENSUS_KINDS; i++) {
		row = memory_rows_add_pages(rows, of, kinds[i].key, 0,
					    kinds[i].what,
					    of->census->pages[i]);
		if (!row)
			return -ENOMEM;
		if (kinds[i].note)
			snprintf(row->note, sizeof(row->note), "%s",
				 kinds[i].note);
	}
	row = memory_rows_add_pages(rows, of, "sum", 0, "sum without reserved",
				    sum);
	if (!row)
		return -ENOMEM;
	if (!of->census->complete)
		snprintf(row->note, sizeof(row->note), "%s",
			 "incomplete: the time limit ended it");
	row = memory_rows_add_pages(rows, of, "total", 0, "total (MemTotal)",
				    of->heads->total);
	if (row)
		row = memory_rows_add_pages(rows, of, "difference", 0,
					    "difference",
					    of->heads->total - sum);
	return row ? 0 : -ENOMEM;
}
