/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All of MemTotal, in heads that have no page in common. What no head claims is
 * the unaccounted rest, which may be negative: heads and rest always add up.
 */
#ifndef BUFSTAT_MEMORY_HEADS_H
#define BUFSTAT_MEMORY_HEADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory_fields.h"

struct memory_reading;

enum memory_head_id {
	MEMORY_HEAD_PROGRAMS,
	MEMORY_HEAD_SHARED,
	MEMORY_HEAD_FILE_CACHE,
	MEMORY_HEAD_BLOCK_CACHE,
	MEMORY_HEAD_SWAP_CACHE,
	MEMORY_HEAD_ORPHANS,
	MEMORY_HEAD_SLAB_RECLAIMABLE,
	MEMORY_HEAD_SLAB_UNRECLAIMABLE,
	MEMORY_HEAD_KERNEL_RECLAIMABLE,
	MEMORY_HEAD_PAGE_TABLES,
	MEMORY_HEAD_STACKS,
	MEMORY_HEAD_VMALLOC,
	MEMORY_HEAD_PER_CPU,
	MEMORY_HEAD_HUGE_PAGES,
	MEMORY_HEAD_COMPRESSED,
	MEMORY_HEAD_BALLOON,
	MEMORY_HEAD_MEMMAP,
	MEMORY_HEAD_GPU,
	MEMORY_HEAD_ZFS,
	MEMORY_HEAD_BOUNCE,
	MEMORY_HEAD_CORRUPTED,
	MEMORY_HEAD_FREE_PER_CPU,
	MEMORY_HEAD_FREE,
	MEMORY_HEADS
};

/* How a part's figure stands to the truth. */
enum memory_bound {
	MEMORY_EXACT,
	MEMORY_AT_LEAST,
	MEMORY_AT_MOST, /* the kernel counts it for several heads together */
	MEMORY_ESTIMATE, /* not counted: worked out */
	MEMORY_UNKNOWN, /* it is there, and nobody knows its size */
};

/* Some of a head's pages. Parts may overlap and need not add up to the head. */
struct memory_part {
	const char *key; /* for JSON */
	char label[64];
	int64_t pages;
	enum memory_bound bound;
};

#define MEMORY_PARTS_ROOM 24
#define MEMORY_REST_PARTS (10 + MEMORY_STRAYS)

struct memory_head {
	bool known; /* the kernel counts it; else it is in the rest */
	int64_t pages;
	/* What can be got back of it at most; -1: not known. */
	int64_t reclaimable;
	struct memory_part parts[MEMORY_PARTS_ROOM];
	size_t part_count;
};

#define MEMORY_HIDDEN_BALLOON "balloon of vmw_balloon"

/* What cannot be of the counts; contradiction.h says it. */
enum memory_contradiction {
	CONTRADICTION_NONE,
	CONTRADICTION_PART, /* wrong_field is more than wrong_whole */
	CONTRADICTION_CACHE, /* the file cache is less than nothing */
	CONTRADICTION_SUM, /* the heads are more than the total */
	CONTRADICTION_POOL, /* of huge pages: memory_reading.wrong_pool */
	CONTRADICTION_HEAD, /* the head "wrong" is more than others leave */
};

/* Why it is not known what is unaccounted. */
enum memory_unknown {
	MEMORY_KNOWN,
	MEMORY_TOTAL_IS_0,
	MEMORY_OTHER_MEMORY, /* MemTotal is not what the zones manage */
	MEMORY_LACKS_ZONES, /* the same, where some are not listed */
	MEMORY_DUMP_LACKS, /* a count, of a dump */
	MEMORY_LACKS_FREE,
	MEMORY_LACKS_PROGRAMS,
	MEMORY_LACKS_CACHES,
	MEMORY_UNKNOWNS
};

/* The reason as a sentence without a full stop; "" if it is known. */
const char *memory_unknown_text(enum memory_unknown why);

struct memory_heads {
	uint64_t page_size; /* bytes; 0: none were made */
	int64_t total; /* MemTotal */
	struct memory_head heads[MEMORY_HEADS];
	/* False: a large head is not counted, or not about the same memory. */
	bool has_rest;
	enum memory_unknown why_no_rest; /* MEMORY_KNOWN with has_rest */
	int64_t rest;
	/* What of it has a name. They may overlap, like all parts. */
	struct memory_part rest_parts[MEMORY_REST_PARTS];
	size_t rest_part_count;
	/* One of them, which nobody says the size of, and may be most of it. */
	bool has_hidden_balloon;
	/*
	 * What cannot be reclaimed, at least: of the heads, without the rest,
	 * which may have pages of both kinds. Swap that is free counts as room
	 * for programs and shared memory.
	 */
	int64_t kept;
	/* The rest is known to within so many pages; -1: nobody knows. */
	int64_t uncertainty;
	/*
	 * Pages that a balloon has taken out of MemTotal; -1: not known. A dump
	 * does not tell whether a balloon's pages are in MemTotal.
	 */
	int64_t missing_from_total;
	enum memory_contradiction contradiction;
	enum memory_head_id wrong; /* in no sum; MEMORY_HEADS: none */
	enum memory_field wrong_field, wrong_whole;
};

/* What each head is, whatever the host. */
struct memory_head_info {
	const char *key; /* for JSON */
	const char *label;
	const char *remedy; /* what gives it back; or NULL */
	const char *note; /* without a remedy: who says more; or NULL */
	/* Its fields, each with its sign, up to the first 0. */
	struct memory_term {
		int sign;
		enum memory_field field;
	} terms[6];
};

const struct memory_head_info *memory_head_info(enum memory_head_id id);

/* Makes the heads of a reading. Reads nothing. */
void memory_heads_init(struct memory_heads *heads,
		       const struct memory_reading *reading);

/* Earlier samples. */
struct memory_history {
	struct memory_heads last, first; /* the first may be a saved one */
};

/*
 * Sets *@pages to what a head, or with MEMORY_HEADS the rest, has gained since
 * @before. Returns false if that is not known.
 */
bool memory_heads_change(const struct memory_heads *before,
			 const struct memory_heads *heads,
			 enum memory_head_id id, int64_t *pages);

/* The sum of all heads, in pages, without the rest and what cannot be right. */
int64_t memory_heads_sum(const struct memory_heads *heads);

#endif
