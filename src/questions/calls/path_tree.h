/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folds what ftrace recorded into one tree of calls, in which each way through
 * the kernel is there once, with how often it was taken. It only computes.
 */
#ifndef BUFSTAT_PATH_TREE_H
#define BUFSTAT_PATH_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls/functions.h"
#include "calls/step.h"

/* What happened in a call, or in all calls of a kind. */
struct path_work {
	uint64_t pages_added;
	uint64_t adds; /* to the page cache; each may add several pages */
	uint64_t bios;
	uint64_t read_bytes; /* of these bios */
	uint64_t written_bytes;
};

void path_work_add(struct path_work *to, const struct path_work *work);

/* A function, as called on one way. The node 0 stands for all of them. */
struct path_node {
	long function; /* index of struct functions, or -1: not known */
	uint32_t parent, first_child, next; /* indexes; 0: none */
	uint32_t level; /* 1: an entry point */
	uint64_t calls;
	uint64_t unfinished; /* calls that did not return meanwhile */
	uint64_t total_ns; /* of calls that returned */
	uint64_t self_ns; /* total less those that it called */
	struct path_work own; /* in the function itself */
	struct path_work work; /* the same with its callees; path_tree_end() */
};

/* Which cache or device a call was about, as far as it shows. */
struct path_target {
	uint32_t device; /* major << 20 | minor; 0: not known */
	bool is_bdev; /* the device itself, not a filesystem */
	bool by_io; /* known only by where I/O went */
};

struct path_failed {
	uint64_t count;
	int error; /* the last errno of these */
	bool has_others;
};

/* Calls of one entry point that took the same kind of way. */
struct path_entry {
	long function; /* index of struct functions, or -1 */
	unsigned int roles; /* enum function_role, of all functions on the way */
	struct path_target target;
	uint64_t inode; /* of the first */
	bool has_many; /* inodes */
	uint64_t calls;
	/* Calls that returned an error, and requests of AIO or io_uring. */
	struct path_failed failed;
	bool moved; /* it is known that data was there to move */
	uint64_t bytes; /* that the calls returned, if they return bytes */
	uint64_t total_ns;
	uint64_t waited_ns; /* of these */
	struct path_work work;
};

struct each;
struct path_thread;

struct path_tree {
	/* Set by the caller before the first step. */
	const struct functions *functions;
	bool has_starts; /* only functions that are_start, and below */
	unsigned int most_levels; /* 0: no limit */
	bool has_all_threads; /* of the kernel, too */
	bool shows_softirqs; /* those that ran in a thread's context */
	uint32_t skipped_thread; /* bufstat's own */
	/* Whether a page's filesystem and inode are those of a device. */
	bool (*is_bdev)(void *data, uint32_t device, uint64_t inode);
	void *is_bdev_data;
	struct each *each; /* the calls one by one, too; NULL: no */

	struct path_node *nodes;
	size_t node_count, node_capacity;
	size_t counted; /* the others have what these have, once more */
	struct path_entry *entries;
	size_t entry_count, entry_capacity;
	struct path_thread *threads;
	size_t thread_count, thread_capacity;
	uint64_t calls; /* of functions that were recorded */
	uint64_t handed_over; /* calls that a kernel's thread goes on with */
};

/* Returns 0 or -ENOMEM; the caller deinits @tree in either case. */
int path_tree_init(struct path_tree *tree, const struct functions *functions);
void path_tree_deinit(struct path_tree *tree);

/*
 * Takes the next step, in the order of time. Steps may be missing: a return
 * ends what its function called, and one without an entry is ignored. Returns 0
 * or -ENOMEM.
 */
int path_tree_take(struct path_tree *tree, const struct step *step);

/*
 * After the last step: ends what has not returned, computes self times and adds
 * each node's work to its callers. Sorts entries by their rank.
 * Returns 0 or -ENOMEM.
 */
int path_tree_end(struct path_tree *tree);

/* The roles of a function, 0 if it is not known. */
unsigned int path_roles(const struct path_tree *tree, long function);

/* Returns the name of a function, owned by @tree's functions; never NULL. */
const char *path_function_name(const struct path_tree *tree, long function);

/* What the entries are sorted by, then by bytes. */
enum path_rank {
	PATH_IS_DIRECT,
	PATH_MOVES,
	PATH_LOADS, /* page faults, and the beginning of a program */
	PATH_MOVES_NOTHING,
};

enum path_rank path_entry_rank(const struct path_tree *tree,
			       const struct path_entry *entry);

/* Whether an entry moved data, and how much, in bytes, as far as is known. */
bool path_entry_moves(const struct path_entry *entry);
uint64_t path_entry_bytes(const struct path_entry *entry);

#endif
