/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs other programs, from command lines with placeholders, and functions that
 * are safer in their own process. A child is killed when its parent ends,
 * however that happens.
 */
#ifndef BUFSTAT_CHILD_H
#define BUFSTAT_CHILD_H

#include <sys/types.h>

struct error;
struct progress;
struct stop;
struct string_list;

/* The value of a placeholder like "@device". A NULL name ends an array. */
struct word {
	const char *name;
	const char *value;
};

/*
 * Splits @line at its spaces and fills in the placeholders, anywhere in a word.
 * Values are not split. Returns 0 or -ENOMEM; the caller deinits @list in
 * either case.
 */
int words_fill(const char *line, const struct word *words,
	       struct string_list *list);

/*
 * Looks for the program in PATH and in the sbin directories. Runs nothing.
 * Returns 0, -ENOENT or -ENOMEM.
 */
int child_find_program(const char *name);

/*
 * Runs a program with its standard output discarded, and waits for it. Returns
 * 0 if its exit status is 0, else a negative errno with the last line of its
 * standard error. Returns -EINTR if we were asked to stop; the program was then
 * asked too.
 */
int child_run(struct stop *stop, struct progress *progress,
	      const struct string_list *words, struct error *err);

/* What is done beside a child that child_call() makes. */
struct child_company {
	/* Before it calls anything. Returns 0 or a negative errno. */
	int (*ready)(void *data, pid_t child, struct error *err);
	void (*serve)(void *data); /* some times in a second while it runs */
	void *data;
};

/*
 * Calls @call in a child process, because it may end by a signal. Returns what
 * @call returns, 0 or a negative errno; -EIO if a signal ended it; -EINTR if we
 * were asked to stop. @company may be NULL. @doing is for the error's text.
 */
int child_call(struct stop *stop, struct progress *progress,
	       const struct child_company *company, int (*call)(void *data),
	       void *data, const char *doing, struct error *err);

#endif
