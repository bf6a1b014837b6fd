/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a path says in words, and the figures that sum it up. */
#ifndef BUFSTAT_PATH_WORDS_H
#define BUFSTAT_PATH_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct path_entry;
struct path_names;
struct path_tree;
struct string_list;

/*
 * What is said of an entry, or of all that was recorded, and how: words after a
 * number, or all of it.
 */
/* clang-format off */
#define PATH_REASONS_LIST(REASON) \
	REASON(NO_REASON, "") \
	REASON(CACHED, " through the page cache") \
	REASON(PAST, " with O_DIRECT, past the page cache") \
	/* One request took both ways. */ \
	REASON(FELL_BACK, " with O_DIRECT, which fell back to the page cache") \
	/* Some data went past the cache, and other through it. */ \
	REASON(MIXED, " partly with O_DIRECT and partly through the page cache") \
	REASON(GREW, " added") \
	/* There was data, and no page came in for it. */ \
	REASON(WAS_THERE, "no pages added, all were there") \
	REASON(GREW_NOT, "nothing added to the page cache") \
	REASON(FAILED, " failed") \
	REASON(FAILED_VARIOUSLY, " failed, not all with the same error") \
	REASON(SYNCED, "; the calls waited until the device had the data") \
	REASON(RECORDED_NOTHING, "No call was recorded.") \
	REASON(MOVED_NOTHING, "No call that was recorded moved data.") \
	REASON(ADDED_NOTHING, "No pages were added to the page cache.") \
	REASON(ADDED_OUTSIDE, "Pages were added outside of what was traced.") \
	REASON(SUBMITTED_NOTHING, "No I/O was submitted.") \
	REASON(SUBMITTED_OUTSIDE, "I/O was submitted outside of what was traced.") \
	REASON(NEVER_WAITED, "It never waited.") \
	REASON(WAITED_BELOW, "It waited deeper than what is shown.") \
	REASON(WAITS_UNTRACED, "Whether it waited was not traced.")
/* clang-format on */

enum path_reason {
#define REASON(id, text) PATH_##id,
	PATH_REASONS_LIST(REASON)
#undef REASON
		PATH_REASONS
};

/* Static. */
const char *path_reason_text(enum path_reason reason);

/* Which way the data of an entry took, what it left in the cache, its end. */
enum path_reason path_way(const struct path_entry *entry);
enum path_reason path_outcome(const struct path_tree *tree,
			      const struct path_entry *entry);
enum path_reason path_end(const struct path_entry *entry);

/* The name of an entry point: of a system call without what is in front. */
const char *path_entry_name(const struct path_tree *tree,
			    const struct path_entry *entry);

/*
 * Returns one sentence about the entry, without a full stop. The caller frees
 * it; NULL when out of memory.
 */
char *path_sentence(const struct path_tree *tree,
		    const struct path_entry *entry,
		    const struct path_names *names);

/*
 * Whether an entry deserves a sentence: it moved much of all that was moved, or
 * tried to go past the page cache.
 */
bool path_deserves_sentence(const struct path_tree *tree,
			    const struct path_entry *entry);

/*
 * Adds the sentences about the entries that deserve one to @sentences, at most
 * four: more are not read. Then, with functions to begin at or if there is
 * nothing else to say, one about packets. Returns 0 or -ENOMEM.
 */
int path_sentences(const struct path_tree *tree, const struct path_names *names,
		   struct string_list *sentences);

/* What one function did, on all ways. */
struct path_sum {
	long function;
	uint64_t calls; /* adds, bios or calls that waited */
	uint64_t amount; /* pages, bytes or nanoseconds */
	const char *name; /* of the function */
};

enum path_sum_kind {
	PATH_ADDED, /* pages, by the function that was traced last */
	PATH_SUBMITTED, /* bytes of bios, by the same */
	PATH_WAITED, /* nanoseconds, by who called schedule() or the like */
};

/*
 * Sets *@sums to the functions that did this, those that did most first.
 * Returns 0 or -ENOMEM; the caller frees *@sums in either case.
 */
int path_sums(const struct path_tree *tree, enum path_sum_kind kind,
	      struct path_sum **sums, size_t *count);

/* After path_tree_end(), why there are no such functions or no sentences. */
enum path_reason path_none(const struct path_tree *tree,
			   enum path_sum_kind kind);
enum path_reason path_silence(const struct path_tree *tree);

#endif
