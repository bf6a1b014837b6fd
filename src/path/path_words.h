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

/* What is said of an entry, or of all that was recorded. */
enum path_reason {
	PATH_NO_REASON,
	PATH_CACHED,
	PATH_PAST,
	PATH_FELL_BACK, /* one request took both ways */
	PATH_MIXED, /* some data went past the cache, and other through it */
	PATH_GREW,
	PATH_WAS_THERE, /* there was data, and no page came in for it */
	PATH_GREW_NOT, /* whatever that means */
	PATH_FAILED,
	PATH_FAILED_VARIOUSLY,
	PATH_SYNCED,
	PATH_RECORDED_NOTHING,
	PATH_MOVED_NOTHING,
	PATH_ADDED_NOTHING,
	PATH_ADDED_OUTSIDE, /* of every call that was recorded */
	PATH_SUBMITTED_NOTHING,
	PATH_SUBMITTED_OUTSIDE,
	PATH_NEVER_WAITED,
	PATH_WAITED_BELOW, /* what is shown */
	PATH_WAITS_UNTRACED, /* no function was traced in which it could */
	PATH_REASONS
};

/* Static; with what has a number, the words after it. */
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

/* After path_tree_end(), why there is no such sentence, or PATH_NO_REASON. */
enum path_reason path_silence(const struct path_tree *tree);

/*
 * Adds the sentences about the entries that deserve one to @sentences, at most
 * four: more are not read. Returns 0 or -ENOMEM.
 */
int path_sentences(const struct path_tree *tree, const struct path_names *names,
		   struct string_list *sentences);

/* What one function did, on all ways. */
struct path_sum {
	long function;
	uint64_t calls; /* adds, bios or calls that waited */
	uint64_t amount; /* pages, bytes or nanoseconds */
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

/* After path_tree_end(), why there are no such functions. */
enum path_reason path_none(const struct path_tree *tree,
			   enum path_sum_kind kind);

#endif
