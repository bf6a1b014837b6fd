/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of the kernel that are traced: which there are, and where they
 * are.
 */
#ifndef BUFSTAT_FUNCTIONS_H
#define BUFSTAT_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/string_list.h"

struct error;

struct function {
	const char *name; /* without what a compiler appended, as .isra.0 */
	uint64_t address;
	unsigned int roles; /* enum function_role */
	bool is_start; /* functions_mark_starts() */
	const char *driver; /* the module, if it may send packets; or NULL */
};

struct functions {
	struct function *list; /* sorted by address; the rest are the last's */
	size_t count;
	size_t capacity;
	char *filter; /* for set_ftrace_filter; NULL: every function */
	char *lines; /* what set_ftrace_filter says then */
	bool are_all; /* every function of the kernel */
};

struct function_wish {
	char *const *patterns; /* with * and ?; NULL: those of a path */
	size_t pattern_count;
	struct string_list starts; /* the caller's: more patterns */
	bool all; /* of the kernel */
};

/*
 * Chooses the functions to trace in @tracing, the top directory of tracefs.
 * Returns 0; -EOPNOTSUPP with the reason and the remedy if the kernel does not
 * tell where they are; -ENOENT if none matches a pattern; or another negative
 * errno. The caller deinits @functions in either case.
 */
int functions_init(struct functions *functions, int tracing,
		   const struct function_wish *wish, struct error *err);
void functions_deinit(struct functions *functions);

/*
 * Whether the filter, set in @directory, has the functions that were chosen.
 * Returns 0; -EAGAIN if the kernel's list has changed meanwhile; or another
 * negative errno.
 */
int functions_check(const struct functions *functions, int directory,
		    struct error *err);

/* Whether functions_init() would work, from some lines. Returns as that does. */
int functions_look(int tracing, struct error *err);

/*
 * Marks the functions that match one of @patterns, with * and ?. Returns 0, or
 * -ENOENT with the pattern that none matches, and the name that was perhaps
 * meant.
 */
int functions_mark_starts(struct functions *functions,
			  const struct string_list *patterns,
			  struct error *err);

/* Adds a function, for tests. Returns 0 or -ENOMEM. */
int functions_add(struct functions *functions, const char *name,
		  uint64_t address);
void functions_sort(struct functions *functions);

/*
 * Returns the function that begins at @address or a few bytes before it, as an
 * index of the list, or -1. The kernel calls the tracer from inside it.
 */
long functions_find(const struct functions *functions, uint64_t address);

#endif
