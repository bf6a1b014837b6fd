// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "lib/number.h"
#include "top/bar.h"
#include "top/cells.h"
#include "top/sheet.h"
#include "top/tab.h"

static const struct {
	char letter;
	const char *label;
	const char *heads[10]; /* keys of bufstat memory */
} infos[BAR_PARTS] = {
	[BAR_PROGRAMS] = { 'p', "programs", { "programs" } },
	[BAR_SHARED] = { 's', "shared", { "shared" } },
	[BAR_CLEAN] = { 'c', "cache", { "file_cache" } },
	[BAR_DIRTY] = { 'd', "dirty", { NULL } },
	[BAR_BUFFERS] = { 'b', "buffers", { "block_cache" } },
	[BAR_KERNEL] = { 'k',
			 "kernel",
			 { "slab_reclaimable", "slab_unreclaimable",
			   "kernel_reclaimable", "page_tables", "kernel_stacks",
			   "vmalloc", "per_cpu", "memmap", "bounce" } },
	[BAR_HUGE] = { 'h', "huge", { "huge_pages" } },
	/* And every head that has no part here. */
	[BAR_OTHER] = { 'o', "other", { NULL } },
	[BAR_FREE] = { '.', "free", { "free", "free_per_cpu" } },
	[BAR_UNACCOUNTED] = { '?', "unaccounted", { "unaccounted" } },
};

static enum bar_part_id part_of(const char *key)
{
	for (enum bar_part_id id = 0; id < BAR_PARTS; id++) {
		for (size_t i = 0; i < 10 && infos[id].heads[i]; i++) {
			if (strcmp(infos[id].heads[i], key) == 0)
				return id;
		}
	}
	return BAR_OTHER;
}

/* What of the file cache is clean, and the rest of it. */
static void split_cache(struct bar *bar, const struct sheet *memory,
			size_t bytes, size_t what)
{
	for (size_t i = 0; i < memory->count; i++) {
		const struct sheet_row *row = &memory->rows[i];
		struct bar_part *parts = bar->parts;

		if (strcmp(row->key, "file_cache/clean") != 0 ||
		    !row->values[bytes].known)
			continue;
		parts[BAR_DIRTY].known = true;
		parts[BAR_DIRTY].bytes =
			parts[BAR_CLEAN].bytes - row->values[bytes].number;
		parts[BAR_CLEAN].bytes = row->values[bytes].number;
		bar->is_bound = strstr(row->values[what].text, "at least");
	}
}

void bar_init(struct bar *bar, const struct sheet *memory)
{
	const size_t bytes = sheet_column(tab_memory.columns, "bytes");
	const size_t what = sheet_column(tab_memory.columns, "what");

	*bar = (struct bar){ 0 };
	for (size_t i = 0; i < memory->count; i++) {
		const struct sheet_row *row = &memory->rows[i];
		const struct column_value *value = &row->values[bytes];
		struct bar_part *part = &bar->parts[part_of(row->key)];

		if (!value->known || strchr(row->key, '/'))
			continue;
		if (strcmp(row->key, "total") == 0) {
			bar->has_total = true;
			bar->total_bytes = value->number;
			continue;
		}
		part->known = true;
		part->bytes += value->number;
	}
	split_cache(bar, memory, bytes, what);
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
