// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "explain/explain_facts.h"
#include "explain/explain_rows.h"

/* How many owners of a cache are named; the others share a row. */
#define NAMED 3
/* A head with less than this part of MemTotal shares a row with others. */
#define SMALL_PART 100

struct making {
	struct memory_rows *rows;
	const struct explain_facts *facts;
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

/* A row below a head. Returns NULL when out of memory. */
static struct memory_row *add_owner(struct making *making, const char *key,
				    const char *name, int64_t pages,
				    uint64_t page_size)
{
	struct memory_row *row =
		memory_rows_add(making->rows, key, 2, "%s", name);

	if (!row)
		return NULL;
	mark_cut(row->what, sizeof(row->what), (int)strlen(name) + 2);
	row->bytes = (struct memory_number){ true, pages * (int64_t)page_size };
	return row;
}

/* "ext4 at /mnt" */
static void note_device(struct memory_row *row,
			const struct explain_device *device)
{
	const struct string_list *places = &device->names.mountpoints;
	const char *fstype = device->names.fstype;

	mark_cut(row->note, sizeof(row->note),
		 snprintf(row->note, sizeof(row->note), "%s%s%s",
			  fstype ? fstype : "",
			  fstype && places->count ? " at " : "",
			  places->count ? places->strings[0] : ""));
}

static int add_device(struct making *making,
		      const struct explain_device *device)
{
	const struct sample *sample = device->sample;
	char number[32];
	struct memory_row *row;

	snprintf(number, sizeof(number), "%u:%u", sample->major, sample->minor);
	row = add_owner(making, "device",
			device->names.name ? device->names.name : number,
			(int64_t)sample->figures[FIGURE_PAGES],
			making->facts->report.page_size);
	if (!row)
		return -ENOMEM;
	note_device(row, device);
	return 0;
}

/* What the named devices leave of Buffers. */
static int add_other_devices(struct making *making)
{
	const struct report *report = &making->facts->report;
	struct memory_row *row;
	uint64_t pages = 0;

	for (size_t i = NAMED; i < report->with_pages; i++)
		pages += report->rows[i]->figures[FIGURE_PAGES];
	if (pages && !add_owner(making, "devices", "other devices",
				(int64_t)pages, report->page_size))
		return -ENOMEM;
	if (!report->has_buffers || !report->has_attributed ||
	    (!report->unattributed_pages && !report->unsettled))
		return 0;
	row = add_owner(making, "unattributed",
			report->unsettled ? "unsettled" : "on no device",
			report->unattributed_pages, report->page_size);
	if (!row)
		return -ENOMEM;
	if (report->refused)
		snprintf(row->note, sizeof(row->note),
			 "%zu device%s could not be measured", report->refused,
			 report->refused == 1 ? "" : "s");
	return 0;
}

static int add_unmeasured(struct making *making, const char *name)
{
	struct memory_row *row =
		memory_rows_add(making->rows, "unattributed", 2, "%s", name);

	if (!row)
		return -ENOMEM;
	snprintf(row->note, sizeof(row->note), "not measured%s",
		 making->facts->is_dump ? "" : "; bufstat sources says why");
	return 0;
}

static int add_devices(struct making *making)
{
	const struct explain_facts *facts = making->facts;
	int ret = 0;

	if (!explain_is_measured(facts))
		return add_unmeasured(making, "devices");
	for (size_t i = 0; !ret && i < facts->report.with_pages && i < NAMED;
	     i++)
		ret = add_device(making, &facts->devices[i]);
	return ret ?: add_other_devices(making);
}

static int add_filesystem(struct making *making,
			  const struct filesystem *filesystem)
{
	struct memory_row *row =
		add_owner(making, "filesystem", filesystem_place(filesystem),
			  (int64_t)filesystem->sample.figures[FIGURE_PAGES],
			  making->facts->filesystems.page_size);

	if (!row)
		return -ENOMEM;
	snprintf(row->note, sizeof(row->note), "%s",
		 filesystem->type ?: FILESYSTEM_SHMEM_NOTE);
	return 0;
}

static int add_rest_of_cached(struct making *making)
{
	const struct filesystems *all = &making->facts->filesystems;
	const char *note = filesystems_rest_note(all);
	struct memory_row *row;
	int64_t rest;

	if (!filesystems_rest(all, &rest) || (!rest && !all->unsettled))
		return 0;
	row = add_owner(making, "unattributed",
			all->unsettled ? "unsettled" :
			all->silent || all->refused ?
					 "not measured, or on none" :
					 "on no filesystem",
			rest, all->page_size);
	if (!row)
		return -ENOMEM;
	if (all->silent || all->refused)
		snprintf(row->note, sizeof(row->note), "%zu did not answer",
			 all->silent + all->refused);
	else if (note)
		snprintf(row->note, sizeof(row->note), "%s", note);
	return 0;
}

/* Those whose pages are in Shmem, or the others. */
static int add_filesystems(struct making *making, bool is_shmem)
{
	const struct filesystems *all = &making->facts->filesystems;
	uint64_t others = 0;
	size_t named = 0;
	int ret = 0;

	if (!making->facts->has_filesystems)
		return add_unmeasured(making, "filesystems");
	for (size_t i = 0; !ret && i < all->count; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];
		uint64_t pages = filesystem->sample.figures[FIGURE_PAGES];

		if (filesystem->is_shmem != is_shmem || !pages)
			continue;
		if (named++ < NAMED)
			ret = add_filesystem(making, filesystem);
		else
			others += pages;
	}
	if (!ret && others &&
	    !add_owner(making, "filesystems", "other filesystems",
		       (int64_t)others, all->page_size))
		ret = -ENOMEM;
	return ret || is_shmem ? ret : add_rest_of_cached(making);
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
static int add_owners(struct making *making, struct memory_row *head)
{
	if (is_small(making, head)) {
		if (is_head(head, MEMORY_HEAD_BLOCK_CACHE))
			strcpy(head->note, "bufstat devices names its owners");
		return 0;
	}
	if (is_head(head, MEMORY_HEAD_BLOCK_CACHE))
		return add_devices(making);
	if (is_head(head, MEMORY_HEAD_FILE_CACHE))
		return add_filesystems(making, false);
	/* That they were not measured stands below the file cache. */
	if (is_head(head, MEMORY_HEAD_SHARED) && making->facts->has_filesystems)
		return add_filesystems(making, true);
	return 0;
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

static int add_head(struct making *making, const struct memory_row *head)
{
	struct memory_row *row =
		memory_rows_add(making->rows, NULL, 0, "%s", "");

	if (!row)
		return -ENOMEM;
	*row = *head;
	/* What gives it back is in the advice. */
	*row->note = '\0';
	/* The row moves when others are added, so its note comes first. */
	return add_owners(making, row);
}

/* The small heads, before what is unaccounted. */
static int add_small_row(struct making *making)
{
	const struct explain_facts *facts = making->facts;
	struct memory_row *row;

	if (!making->small)
		return 0;
	if (making->small == 1)
		return add_head(making, making->a_small_one);
	row = memory_rows_add(making->rows, "small", 0, "%zu smaller heads",
			      making->small);
	if (!row)
		return -ENOMEM;
	row->bytes = (struct memory_number){ true, making->small_bytes };
	row->reclaimable = making->small_reclaimable;
	row->has_share = facts->heads.total > 0;
	if (row->has_share)
		row->share = 100 * (double)making->small_bytes /
			     (double)(facts->heads.total *
				      (int64_t)facts->memory.page_size);
	snprintf(row->note, sizeof(row->note), "bufstat memory names them");
	return 0;
}

static int add_row(struct making *making, const struct memory_row *row)
{
	struct memory_row *copy;
	int ret = 0;

	if (row->kind == MEMORY_ROW_REST)
		ret = add_small_row(making);
	else if (row->kind == MEMORY_ROW_HEAD) {
		if (has_row(making, row))
			return add_head(making, row);
		add_small(making, row);
		return 0;
	}
	if (ret < 0)
		return ret;
	copy = memory_rows_add(making->rows, NULL, 0, "%s", "");
	if (!copy)
		return -ENOMEM;
	*copy = *row;
	return 0;
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
			ret = add_row(&making, &all.rows[i]);
	}
	memory_rows_deinit(&all);
	return ret;
}
