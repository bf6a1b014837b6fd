// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/kernel-page-flags.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/kernel.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "memory/census.h"
#include "memory/census_pages.h"
#include "memory/census_pipes.h"
#include "worker/patience.h"

#define PATH "/proc/kpageflags"
#define COUNTS "/proc/kpagecount"
#define IOMEM "/proc/iomem"
#define MAX_IOMEM (1U << 20)
/* A machine has a range of RAM per hole and per added DIMM. */
#define RANGES_ROOM 4096
/* Page frames a read: the kernel may stop between two of them. */
#define PIECE 8192

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

/* What is read at once, and what is known from before it. */
struct piece {
	struct memory_census *census;
	struct census_look look;
	struct census_pipes *pipes; /* or NULL */
	int flags_fd, counts_fd;
	uint64_t flags[PIECE];
	uint64_t counts[PIECE];
	bool unflagged[PIECE];
	enum census_kind before; /* of the last frame */
	uint64_t compound; /* frames so far of one without a flag; 0: none */
};

/* A compound page that changes while it is counted may have any length. */
static void end_compound(struct piece *piece)
{
	unsigned int order = 0;

	while (piece->compound >> (order + 1) && order + 1 < CENSUS_ORDERS)
		order++;
	piece->census->orders[order] += (int64_t)piece->compound;
	piece->compound = 0;
}

static void count_order(struct piece *piece, uint64_t flags)
{
	bool is_later = has(flags, KPF_COMPOUND_TAIL);

	if (!is_later)
		end_compound(piece);
	piece->compound++;
	if (!is_later && !has(flags, KPF_COMPOUND_HEAD))
		end_compound(piece);
}

/* Returns whether any frame has no flag. */
static bool count_flags(struct piece *piece, size_t frames)
{
	bool any = false;

	for (size_t i = 0; i < frames; i++) {
		const uint64_t flags = piece->flags[i];

		piece->unflagged[i] = false;
		if (has(flags, KPF_NOPAGE)) {
			end_compound(piece);
			continue;
		}
		piece->before = kind_of(flags, piece->before);
		piece->census->pages[piece->before]++;
		piece->unflagged[i] = piece->before == CENSUS_OTHER;
		any |= piece->unflagged[i];
		if (piece->unflagged[i])
			count_order(piece, flags);
		else
			end_compound(piece);
	}
	return any;
}

static void no_counts(struct piece *piece, int number)
{
	struct memory_census *census = piece->census;

	census->has_mapped = false;
	snprintf(census->why_not_mapped, sizeof(census->why_not_mapped),
		 "needs " COUNTS ": %s", strerror(number));
}

/* How often programs have mapped each frame. */
static void count_mapped(struct piece *piece, uint64_t first, size_t frames)
{
	size_t size = frames * sizeof(*piece->counts);
	ssize_t got;

	if (!piece->census->has_mapped)
		return;
	got = pread(piece->counts_fd, piece->counts, size,
		    (off_t)(first * sizeof(*piece->counts)));
	if (got != (ssize_t)size) {
		no_counts(piece, got < 0 ? errno : EIO);
		return;
	}
	for (size_t i = 0; i < frames; i++)
		piece->census->mapped += piece->unflagged[i] &&
					 piece->counts[i];
}

static void count_piece(struct piece *piece, uint64_t first, size_t frames)
{
	census_pipes_look(piece->pipes, first, piece->flags, frames);
	if (!count_flags(piece, frames))
		return;
	count_mapped(piece, first, frames);
	if (piece->look.buffer)
		census_look_at(&piece->look, first, piece->flags,
			       piece->unflagged, frames);
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

static int count_range(struct piece *piece, const struct range *range,
		       const struct sysroot *root, struct error *err)
{
	uint64_t at = range->first;

	piece->before = CENSUS_OTHER;
	while (at < range->end && !patience_is_over(root->patience)) {
		uint64_t frames = range->end - at;
		ssize_t got;

		if (frames > PIECE)
			frames = PIECE;
		got = pread(piece->flags_fd, piece->flags,
			    frames * sizeof(*piece->flags),
			    (off_t)(at * sizeof(*piece->flags)));
		if (got < 0)
			return error_errno(err, errno, "counting page frames",
					   PATH);
		frames = (uint64_t)got / sizeof(*piece->flags);
		if (!frames)
			break;
		count_piece(piece, at, frames);
		at += frames;
	}
	end_compound(piece);
	return 0;
}

static int count_all(struct piece *piece, const struct sysroot *root,
		     struct error *err)
{
	_cleanup_(freep) struct ranges *ranges = calloc(1, sizeof(*ranges));
	int ret;

	if (!ranges)
		return error_errno(err, ENOMEM, "counting page frames", PATH);
	patience_set_about(root->patience, "page frames");
	ret = read_ranges(ranges, root, err);
	for (size_t i = 0; !ret && i < ranges->count; i++)
		ret = count_range(piece, &ranges->ranges[i], root, err);
	piece->census->complete = !ret && !patience_is_over(root->patience);
	return ret;
}

/* Returns 0 or -ENOMEM: without the kernel's memory the rest is as good. */
static int begin_look(struct piece *piece, struct kernel *kernel,
		      const struct sysroot *root)
{
	struct census_pages *other = &piece->census->other;
	struct census_layout layout;
	char text[ERROR_TEXT_SIZE];
	struct error why;
	int ret = kernel_open(kernel, root, NULL, &why);

	if (ret < 0) {
		snprintf(other->why, sizeof(other->why), "%.*s",
			 (int)sizeof(other->why) - 1, error_text(&why, text));
		return only_enomem(ret);
	}
	census_layout_init(&layout, &kernel->btf);
	ret = census_look_begin(&piece->look, kernel, &layout, other);
	if (!ret)
		piece->pipes =
			census_pipes_begin(&piece->look, piece->flags_fd);
	return only_enomem(ret);
}

static int count_with_kernel(struct piece *piece, const struct sysroot *root,
			     struct error *err)
{
	struct kernel kernel;
	int ret = begin_look(piece, &kernel, root);

	ret = ret < 0 ? error_errno(err, -ret, "counting page frames", PATH) :
			count_all(piece, root, err);
	census_pipes_end(piece->pipes, root, piece->census->complete);
	census_look_end(&piece->look);
	kernel_close(&kernel, 0, NULL);
	return ret;
}

static int open_files(struct piece *piece, const struct sysroot *root,
		      struct error *err)
{
	piece->flags_fd = sysroot_open(root, PATH, O_RDONLY);
	if (piece->flags_fd == -EACCES || piece->flags_fd == -EPERM)
		return needs_root(err, PATH, "only root may read it");
	if (piece->flags_fd < 0)
		return error_errno(err, -piece->flags_fd,
				   "counting page frames", PATH);
	piece->counts_fd = sysroot_open(root, COUNTS, O_RDONLY);
	piece->census->has_mapped = piece->counts_fd >= 0;
	if (piece->counts_fd < 0)
		no_counts(piece, -piece->counts_fd);
	return 0;
}

int census_take(struct memory_census *census, const struct sysroot *root,
		struct error *err)
{
	_cleanup_(freep) struct piece *piece = calloc(1, sizeof(*piece));
	int ret;

	*census = (struct memory_census){ 0 };
	if (!piece)
		return error_errno(err, ENOMEM, "counting page frames", PATH);
	if (!sysroot_is_live(root))
		return error_doing(err, ERROR_UNUSABLE, "counting page frames",
				   root->prefix,
				   "only the running host has page frames to "
				   "count");
	*piece = (struct piece){ .census = census,
				 .flags_fd = -1,
				 .counts_fd = -1 };
	ret = open_files(piece, root, err);
	if (!ret)
		ret = count_with_kernel(piece, root, err);
	closep(&piece->flags_fd);
	closep(&piece->counts_fd);
	return ret;
}
