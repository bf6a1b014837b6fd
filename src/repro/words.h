/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands written as a line with names in it. */
#ifndef BUFSTAT_WORDS_H
#define BUFSTAT_WORDS_H

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

#endif
