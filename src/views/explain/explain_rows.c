// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "explain/explain_facts.h"
#include "explain/explain_rows.h"
#include "lib/sentence.h"

/* How many owners of a cache are named; the others share a row. */
#define NAMED 3
/* A head with less than this part of MemTotal shares a row with others. */
#define SMALL_PART 100

struct making {
	struct memory_rows *rows;
	const struct explain_facts *facts;
	bool failed; /* there was no memory for a row */
	/* The heads that have no row of their own, and one of them. */
	size_t small;
	const struct memory_row *a_small_one;
	int64_t small_bytes;
	struct memory_number small_reclaimable;
};

/* Ends what was cut with three dots, between two characters. */
static void mark_cut(char *text, size_t room, int length)
{
	size_t end = room - sizeof("...");

	if (length < (int)room)
		return;
	while (end && (text[end] & 0xc0) == 0x80)
		end--;
	strcpy(text + end, "...");
}

static struct memory_number bytes_of(int64_t pages, uint64_t page_size)
{
	return (struct memory_number){ true, pages * (int64_t)page_size };
}

/* A row below a head, with a note. */
__attribute__((format(printf, 5, 6))) static void
add_owner(struct making *making, const char *key, const char *name,
	  struct memory_number bytes, const char *note, ...)
{
	struct memory_row *row =
		memory_rows_add(making->rows, key, 2, "%s", name);
	va_list args;

	making->failed |= !row;
	if (!row)
		return;
	mark_cut(row->what, sizeof(row->what), (int)strlen(name) + 2);
	row->bytes = bytes;
	va_start(args, note);
	mark_cut(row->note, sizeof(row->note),
		 vsnprintf(row->note, sizeof(row->note), note, args));
	va_end(args);
}

/* Its note is "ext4 at /mnt". */
static void add_device(struct making *making,
		       const struct explain_device *device)
{
	const struct string_list *places = &device->of.names.mountpoints;
	const char *fstype = device->of.names.fstype;

	add_owner(making, "device", device->of.names.name ?: device->of.number,
		  bytes_of((int64_t)device->of.sample.figures[FIGURE_PAGES],
			   device->of.page_size),
		  "%s%s%s", fstype ?: "", fstype && places->count ? " at " : "",
		  places->count ? places->strings[0] : "");
}

/* What the named devices leave of Buffers. */
static void add_other_devices(struct making *making)
{
	const struct devices *devices = &making->facts->buffers;
	uint64_t page_size = devices->page_size, pages = 0;
	const char *name = devices->unsettled ? "unsettled" : "on no device";
	struct memory_number rest = { true, devices_rest_bytes(devices) };

	for (size_t i = NAMED; i < devices->with_pages; i++)
		pages += making->facts->devices[i]
				 .of.sample.figures[FIGURE_PAGES];
	if (pages)
		add_owner(making, "devices", "other devices",
			  bytes_of((int64_t)pages, page_size), "%s", "");
	if (!devices_have_rest(devices) ||
	    (!rest.number && !devices->unsettled))
		return;
	if (devices->refused)
		add_owner(making, "unattributed", name, rest,
			  "%zu device%s could not be measured",
			  devices->refused, plural(devices->refused));
	else
		add_owner(making, "unattributed", name, rest, "%s", "");
}

static void add_unmeasured(struct making *making, const char *name)
{
	add_owner(making, "unattributed", name, (struct memory_number){ 0 },
		  "not measured%s",
		  making->facts->is_dump ? "" : "; bufstat sources says why");
}

static void add_devices(struct making *making)
{
	const struct explain_facts *facts = making->facts;

	if (!explain_is_measured(facts)) {
		add_unmeasured(making, "devices");
		return;
	}
	for (size_t i = 0; i < facts->buffers.with_pages && i < NAMED; i++)
		add_device(making, &facts->devices[i]);
	add_other_devices(making);
}

static void add_rest_of_cached(struct making *making)
{
	const struct filesystems *all = &making->facts->filesystems;
	const size_t unmeasured = all->silent + all->refused;
	int64_t rest;

	if (!filesystems_rest(all, &rest) || (!rest && !all->unsettled))
		return;
	if (unmeasured)
		add_owner(making, "unattributed",
			  all->unsettled ? "unsettled" :
					   "not measured, or on none",
			  bytes_of(rest, all->page_size), "%zu did not answer",
			  unmeasured);
	else
		add_owner(making, "unattributed",
			  all->unsettled ? "unsettled" : "on no filesystem",
			  bytes_of(rest, all->page_size), "%s",
			  filesystems_rest_note(all) ?: "");
}

/* Those whose pages are in Shmem, or the others. */
static void add_filesystems(struct making *making, bool is_shmem)
{
	const struct filesystems *all = &making->facts->filesystems;
	uint64_t others = 0;
	size_t named = 0;

	if (!making->facts->has_filesystems) {
		add_unmeasured(making, "filesystems");
		return;
	}
	for (size_t i = 0; i < all->count; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];
		uint64_t pages = filesystem->sample.figures[FIGURE_PAGES];

		if (filesystem->is_shmem != is_shmem || !pages)
			continue;
		if (named++ < NAMED)
			add_owner(making, "filesystem",
				  filesystem_place(filesystem),
				  bytes_of((int64_t)pages, all->page_size),
				  "%s",
				  filesystem->type ?: FILESYSTEM_SHMEM_NOTE);
		else
			others += pages;
	}
	if (others)
		add_owner(making, "filesystems", "other filesystems",
			  bytes_of((int64_t)others, all->page_size), "%s", "");
	if (!is_shmem)
		add_rest_of_cached(making);
}

/* Whether a row of bufstat memory is that of a head. */
static bool is_head(const struct memory_row *row, enum memory_head_id id)
{
	return row->kind == MEMORY_ROW_HEAD && row->head == id;
}

/* Whether a head has less than a part of MemTotal that is worth a row. */
static bool is_small(const struct making *making, const struct memory_row *head)
{
	const struct explain_facts *facts = making->facts;
	int64_t total = facts->heads.total * (int64_t)facts->memory.page_size;

	return head->bytes.number < total / SMALL_PART;
}

/* A cache has a row however small it is, but then without its owners. */
static void add_owners(struct making *making, struct memory_row *head)
{
	const bool is_block_cache = is_head(head, MEMORY_HEAD_BLOCK_CACHE);

	if (is_block_cache && is_small(making, head))
		strcpy(head->note, "bufstat devices names its owners");
	else if (is_small(making, head))
		return;
	else if (is_block_cache)
		add_devices(making);
	else if (is_head(head, MEMORY_HEAD_FILE_CACHE))
		add_filesystems(making, false);
	/* That they were not measured stands below the file cache. */
	else if (is_head(head, MEMORY_HEAD_SHARED) &&
		 making->facts->has_filesystems)
		add_filesystems(making, true);
}

/* The caches are what is asked about, so they always have a row. */
static bool has_row(const struct making *making, const struct memory_row *head)
{
	return is_head(head, MEMORY_HEAD_BLOCK_CACHE) ||
	       is_head(head, MEMORY_HEAD_FILE_CACHE) ||
	       is_head(head, MEMORY_HEAD_FREE) || !is_small(making, head);
}

static void add_small(struct making *making, const struct memory_row *head)
{
	making->small++;
	making->a_small_one = head;
	making->small_bytes += head->bytes.number;
	making->small_reclaimable.known &= head->reclaimable.known;
	making->small_reclaimable.number += head->reclaimable.number;
}

/* Returns NULL when out of memory. */
static struct memory_row *add_copy(struct making *making,
				   const struct memory_row *row)
{
	struct memory_row *copy =
		memory_rows_add(making->rows, NULL, 0, "%s", "");

	making->failed |= !copy;
	if (copy)
		*copy = *row;
	return copy;
}

static void add_head(struct making *making, const struct memory_row *head)
{
	struct memory_row *row = add_copy(making, head);

	if (!row)
		return;
	/* What gives it back is in the advice. */
	*row->note = '\0';
	/* The row moves when others are added, so its note comes first. */
	add_owners(making, row);
}

/* The small heads, before what is unaccounted. */
static void add_small_row(struct making *making)
{
	const struct explain_facts *facts = making->facts;
	struct memory_row row = {
		.key = "small",
		.bytes = { true, making->small_bytes },
		.reclaimable = making->small_reclaimable,
		.has_share = facts->heads.total > 0,
		.note = "bufstat memory names them",
	};

	if (making->small == 1)
		add_head(making, making->a_small_one);
	if (making->small <= 1)
		return;
	snprintf(row.what, sizeof(row.what), "%zu smaller heads",
		 making->small);
	if (row.has_share)
		row.share = 100 * (double)making->small_bytes /
			    (double)(facts->heads.total *
				     (int64_t)facts->memory.page_size);
	add_copy(making, &row);
}

static void add_row(struct making *making, const struct memory_row *row)
{
	if (row->kind == MEMORY_ROW_REST)
		add_small_row(making);
	if (row->kind != MEMORY_ROW_HEAD)
		add_copy(making, row);
	else if (has_row(making, row))
		add_head(making, row);
	else
		add_small(making, row);
}

int explain_rows_init(struct memory_rows *rows,
		      const struct explain_facts *facts)
{
	const struct memory_rows_of of = {
		.reading = &facts->memory,
		.heads = &facts->heads,
	};
	struct making making = {
		.rows = rows,
		.facts = facts,
		.small_reclaimable = { .known = true },
	};
	struct memory_rows all;
	int ret = memory_rows_init(&all, &of, MEMORY_VIEW_HEADS);

	*rows = (struct memory_rows){ 0 };
	for (size_t i = 0; !ret && i < all.count; i++) {
		/* Some of a head's pages, or of what is unaccounted. */
		if (!all.rows[i].indent)
			add_row(&making, &all.rows[i]);
	}
	memory_rows_deinit(&all);
	return making.failed ? -ENOMEM : ret;
}
