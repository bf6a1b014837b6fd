/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call of an entry point while it goes on, and the thread that it is in. Only
 * path_tree.c, which follows threads, and path_call.c, which tells what a call
 * was about, include this.
 */
#ifndef BUFSTAT_PATH_CALL_H
#define BUFSTAT_PATH_CALL_H

#include "calls/path_tree.h"

/* The kernel's own limit is 50, and less than 4096 bytes since Linux 6.11. */
#define MOST_FRAMES 128
#define MOST_TARGETS 4
#define MOST_FILES 8

struct frame {
	long function;
	uint64_t address;
	int32_t depth; /* as the kernel counts it */
	uint32_t node; /* 0: not shown */
	long line; /* 1 + its index in the call of struct each, or 0 */
	bool goes_past; /* the page cache, here or in what it called */
};

/* A call of an entry point that goes on. */
struct call {
	long function; /* -1: not known */
	unsigned int roles;
	uint64_t total_ns;
	uint64_t waited_ns;
	struct path_work work;
	uint32_t bio_device;
	struct seen_target {
		uint32_t device;
		uint64_t inode;
		uint64_t pages;
	} targets[MOST_TARGETS];
	unsigned int target_count;
	bool wrote; /* I/O that writes or flushes was submitted */
	bool committed; /* it waited for a journal's thread */
	bool synced; /* after either, what is to wait for that returned */
	struct path_failed failed; /* requests of AIO and io_uring */
	bool moved; /* one of them succeeded, and says how much it was */
};

/* What a descriptor stood for when it was last used. */
struct known_file {
	bool is_known;
	uint64_t fd;
	struct path_target target;
	uint64_t inode;
};

struct path_thread {
	uint64_t id; /* with where it was interrupted, see path_tree.c */
	long each; /* 1 + the index in struct each, or 0 */
	uint64_t fd; /* the first argument of the system call */
	struct known_file files[MOST_FILES];
	unsigned int next_file; /* to be replaced */
	struct frame frames[MOST_FRAMES];
	unsigned int count;
	unsigned int shown; /* frames from here on have nodes; count: none */
	bool in_syscall;
	bool has_ended; /* the call has returned, the system call has not */
	size_t queue; /* 1 + the entry of the last call with ROLE_QUEUE */
	struct call call;
};

/* Notes which cache a step of the call touched. */
void path_call_note(struct call *call, const struct step *step);

/*
 * Counts the thread's call, which has ended, for an entry of the tree. @result
 * is what the system call returned, or 0. Returns 0 or -ENOMEM.
 */
int path_call_count(struct path_tree *tree, struct path_thread *thread,
		    int64_t result);

/*
 * Counts a request of AIO or io_uring that ended: for the thread's call, or, if
 * there is none, for the last one that could have asked.
 */
void path_request_count(struct path_tree *tree, struct path_thread *thread,
			int64_t result);

/* Forgets what @fd, or @all, stands for, in all threads: they may share it. */
void path_files_forget(struct path_tree *tree, uint64_t fd, bool all);

void path_entries_sort(struct path_tree *tree);

#endif
