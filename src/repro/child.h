/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other programs, whose commands are lines with names in them, and what is
 * better done in a process of its own. A child ends when its parent does,
 * however that ends.
 */
#ifndef BUFSTAT_CHILD_H
#define BUFSTAT_CHILD_H

struct error;
struct progress;
struct stop;
struct string_list;

/* What stands for a name like "@device"; a NULL name ends an array. */
struct word {
	const char *name;
	const char *value;
};

/*
 * Splits @line at its spaces and fills in the names, at any place of a word;
 * what is filled in is not split. Returns 0 or -ENOMEM, with @list to be
 * deinited in either case.
 */
int words_fill(const char *line, const struct word *words,
	       struct string_list *list);

/*
 * Looks for the program in PATH and where the system's administration programs
 * are. Nothing is run. Returns 0, -ENOENT or -ENOMEM.
 */
int child_find_program(const char *name);

/*
 * Runs a program with its output discarded, and waits. Returns 0 if it ended
 * with status 0, else a negative errno with the last line it said; -EINTR if
 * we were asked to stop, and the program was too.
 */
int child_run(struct stop *stop, struct progress *progress,
	      const struct string_list *words, struct error *err);

/*
 * Runs @call in a process of its own: it may end by a signal. What it returns,
 * 0 or a negative errno, is returned; @doing is for the error's text.
 */
int child_call(struct stop *stop, struct progress *progress,
	       int (*call)(void *data), void *data, const char *doing,
	       struct error *err);

#endif
