/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls one after the other, not folded: when each began, in which task and on
 * which processor, and what it called. path_tree.c fills it in.
 */
#ifndef BUFSTAT_EACH_H
#define BUFSTAT_EACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "calls/path_tree.h"
#include "calls/step.h"

/* Lines of one call, and of all, which take 100 MB; others are counted. */
#define EACH_LINES 5000
#define EACH_MOST_LINES 1000000
/* As the kernel's TASK_COMM_LEN. */
#define EACH_TASK 16

/* A function that was called, in the order of time. */
struct each_line {
	long function; /* index of struct functions, or -1 */
	uint32_t level; /* 0: the call itself */
	uint32_t after; /* the first line that it did not call */
	bool returned;
	uint64_t took_ns;
	struct path_work work; /* in the function itself */
};

struct each_call {
	uint64_t began_ns; /* CLOCK_MONOTONIC */
	uint64_t which; /* of the calls of its function, from 1 on */
	uint32_t thread;
	uint32_t processor;
	bool in_interrupt, in_softirq;
	bool has_result; /* of a system call */
	int64_t result;
	char task[EACH_TASK]; /* "": it has ended meanwhile */
	struct each_line *lines;
	size_t count, capacity;
	uint64_t cut; /* lines that are not kept */
};

struct each {
	uint64_t most; /* calls of a function to keep */
	struct each_call *calls; /* in the order of their beginnings */
	size_t count, capacity;
	size_t lines; /* of all calls */
	struct each_count {
		uint64_t kept, left_out; /* calls of a function */
	} * counts;
	size_t functions;
};

/* Those below that return an int or a long return -ENOMEM without memory. */
int each_init(struct each *each, uint64_t most, size_t functions);
void each_deinit(struct each *each);

/*
 * A call of an entry point begins. Returns 1 + its index, or 0 if as many of
 * that function are kept already, or too many lines of all.
 */
long each_begin(struct each *each, long function, const struct step *step);

/*
 * A function is called within @call, at @level. Returns 1 + the index of its
 * line, or 0 if there are too many.
 */
long each_enter(struct each *each, long call, long function, uint32_t level);

/* It has ended; @returned if it is known when. */
void each_leave(struct each *each, long call, long line, bool returned,
		uint64_t took_ns);

/* What happened in a function. */
void each_work(struct each *each, long call, long line,
	       const struct path_work *work);

/* What the system call returned that the call was. */
void each_result(struct each *each, long call, int64_t result);

/*
 * Names tasks that have ended meanwhile. @saved is what saved_cmdlines of
 * tracefs says: lines with the id and the name of a thread. It is changed.
 */
void each_name_tasks(struct each *each, char *saved);

/* Calls of a function that are not kept. */
uint64_t each_left_out(const struct each *each, long function);

/* Prints the calls as function_graph does, with what happened in them. */
void each_print(FILE *out, const struct path_tree *tree, uint64_t began_ns);

/* "interrupt", "softirq", or NULL: the task itself called. */
const char *each_context(const struct each_call *call);

#endif
