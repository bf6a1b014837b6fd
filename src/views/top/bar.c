// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "lib/lesser.h"
#include "lib/number.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "top/bar.h"
#include "top/cells.h"

#define HEAD(id) (1U << MEMORY_HEAD_##id)

static const struct {
	char letter;
	const char *label;
	unsigned int heads;
} infos[BAR_PARTS] = {
	[BAR_PROGRAMS] = { 'p', "programs", HEAD(PROGRAMS) },
	[BAR_SHARED] = { 's', "shared", HEAD(SHARED) },
	[BAR_CLEAN] = { 'c', "cache", HEAD(FILE_CACHE) },
	[BAR_DIRTY] = { 'd', "dirty", 0 },
	[BAR_BUFFERS] = { 'b', "buffers", HEAD(BLOCK_CACHE) },
	[BAR_KERNEL] = { 'k', "kernel",
			 HEAD(SLAB_RECLAIMABLE) | HEAD(SLAB_UNRECLAIMABLE) |
				 HEAD(KERNEL_RECLAIMABLE) | HEAD(PAGE_TABLES) |
				 HEAD(STACKS) | HEAD(VMALLOC) | HEAD(PER_CPU) |
				 HEAD(MEMMAP) | HEAD(BOUNCE) },
	[BAR_HUGE] = { 'h', "huge", HEAD(HUGE_PAGES) },
	/* And every head that has no part here. */
	[BAR_OTHER] = { 'o', "other", 0 },
	[BAR_FREE] = { '.', "free", HEAD(FREE) | HEAD(FREE_PER_CPU) },
	[BAR_UNACCOUNTED] = { '?', "unaccounted", 0 },
};

static enum bar_part_id bar_part_of(enum memory_head_id id)
{
	for (enum bar_part_id part = 0; part < BAR_PARTS; part++) {
		if (infos[part].heads & 1U << id)
			return part;
	}
	return BAR_OTHER;
}

static void bar_add(struct bar *bar, enum bar_part_id id, int64_t bytes)
{
	bar->parts[id].known = true;
	bar->parts[id].bytes += bytes;
}

/* What of the file cache is clean, and the rest of it. */
static void bar_split_cache(struct bar *bar, const struct memory_head *cache,
			    const struct memory_reading *reading)
{
	int64_t unclean = memory_unclean(&reading->fields);

	if (!cache->known || !memory_has(&reading->fields, MEMORY_NR_DIRTY))
		return;
	bar->is_bound = unclean;
	unclean = lesser(unclean, cache->pages) * (int64_t)reading->page_size;
	bar_add(bar, BAR_DIRTY, unclean);
	bar_add(bar, BAR_CLEAN, -unclean);
}

void bar_init(struct bar *bar, const struct memory_heads *heads,
	      const struct memory_reading *reading)
{
	const int64_t size = (int64_t)reading->page_size;

	*bar = (struct bar){ .has_total = true,
			     .total_bytes = heads->total * size };
	for (enum memory_head_id id = 0; id < MEMORY_HEADS; id++) {
		if (heads->heads[id].known)
			bar_add(bar, bar_part_of(id),
				heads->heads[id].pages * size);
	}
	bar_split_cache(bar, &heads->heads[MEMORY_HEAD_FILE_CACHE], reading);
	if (heads->has_rest)
		bar_add(bar, BAR_UNACCOUNTED, heads->rest * size);
}

#define BAR_TEXT_SIZE 64

/* "p programs 1.2G", or "p 1.2G". */
static const char *part_text(const struct bar *bar, enum bar_part_id id,
			     bool is_brief, char text[BAR_TEXT_SIZE])
{
	const struct bar_part *part = &bar->parts[id];
	const char *bound = "";

	if (bar->is_bound && id == BAR_CLEAN)
		bound = ">";
	else if (bar->is_bound && id == BAR_DIRTY)
		bound = "<";
	snprintf(text, BAR_TEXT_SIZE, "%c %s%s%s%s", infos[id].letter,
		 is_brief ? "" : infos[id].label, is_brief ? "" : " ", bound,
		 part->known ? SIZE(part->bytes) : "not known");
	return text;
}

/* A part without pages says nothing, but what is not known does. */
static bool is_shown(const struct bar *bar, enum bar_part_id id)
{
	return bar->parts[id].known ? bar->parts[id].bytes != 0 :
				      bar->has_total && id == BAR_UNACCOUNTED;
}

void bar_draw(const struct bar *bar, struct cells *cells, size_t y)
{
	const size_t width = cells->width;
	int64_t sum = 0;
	size_t x = 0;

	for (enum bar_part_id id = 0; id < BAR_PARTS && bar->total_bytes > 0;
	     id++) {
		const char letter[] = { infos[id].letter, '\0' };
		size_t end;

		if (bar->parts[id].bytes > 0)
			sum += bar->parts[id].bytes;
		end = (size_t)((double)sum / (double)bar->total_bytes *
				       (double)width +
			       0.5);
		while (x < end && x < width)
			x += cells_put(cells, y, x, 1, STYLE_BAR + id, letter);
	}
}

size_t bar_draw_legend(const struct bar *bar, struct cells *cells, size_t width,
		       size_t y, size_t lines, bool is_low)
{
	bool is_brief = is_low &&
			bar_draw_legend(bar, NULL, width, 0, 0, false) > 1;
	size_t x = 0, line = 0;

	for (enum bar_part_id id = 0; id < BAR_PARTS; id++) {
		char text[BAR_TEXT_SIZE];
		size_t needed = strlen(part_text(bar, id, is_brief, text));

		if (!is_shown(bar, id))
			continue;
		if (x && x + 2 + needed > width) {
			line++;
			x = 0;
		} else if (x) {
			x += 2;
		}
		if (cells && line < lines) {
			cells_put(cells, y + line, x, needed, STYLE_PLAIN,
				  text);
			cells_paint(cells, y + line, x, 1, STYLE_BAR + id);
		}
		x += needed;
	}
	return x ? line + 1 : 0;
}
