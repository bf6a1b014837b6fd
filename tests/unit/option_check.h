/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a table of options is sound. The program trusts its own, because it
 * would take the check's time at each start.
 */
#ifndef BUFSTAT_TESTS_OPTION_CHECK_H
#define BUFSTAT_TESTS_OPTION_CHECK_H

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "cli/option.h"
#include "lib/error.h"

static int is_wrong(const struct option_row *row, const char *what,
		    struct error *err)
{
	return error_doing(err, EINVAL, "bug in the table of options",
			   row->name ? row->name : "an option", "%s", what);
}

static bool is_name(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	return length > 1 && islower((unsigned char)*name) &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static bool takes_value(enum option_type type)
{
	return type == OPTION_TEXT || type == OPTION_CALL;
}

static int check_row(const struct option_row *row, struct error *err)
{
	if (!is_name(row->name))
		return is_wrong(row, "its name is none", err);
	if (row->letter && !isalnum((unsigned char)row->letter))
		return is_wrong(row, "its letter is none", err);
	if (!row->help || !*row->help)
		return is_wrong(row, "it has no help", err);
	if (row->type == OPTION_TEXT && !row->argument)
		return is_wrong(row, "its value has no name", err);
	if (row->argument && !takes_value(row->type) &&
	    row->type != OPTION_REFUSED)
		return is_wrong(row, "it takes no value, which has a name",
				err);
	if (!row->argument && (row->words != WORDS_NONE || row->word))
		return is_wrong(row, "it takes no value, which is completed",
				err);
	if ((row->type == OPTION_CALL) != (row->take != NULL))
		return is_wrong(row, "a function is missing or too many", err);
	if ((row->type == OPTION_BITS || row->type == OPTION_ANSWER) &&
	    !row->code)
		return is_wrong(row, "it changes nothing", err);
	return 0;
}

static int compare_rows(const struct option_row *row,
			const struct option_row *other, struct error *err)
{
	if (row->letter && row->letter == other->letter)
		return is_wrong(row, "another option has its letter", err);
	if (strcmp(row->name, other->name) == 0)
		return is_wrong(row, "there are two of the name", err);
	return 0;
}

/*
 * Checks that no letter or name occurs twice, exactly the options with a value
 * have a name for it, OPTION_CALL has a function, each row has a help text, and
 * there is room for all rows. Returns 0, or -EINVAL with @err set.
 */
static int option_list_check(const struct option_list *list, struct error *err)
{
	if (list->count > OPTIONS_ROOM)
		return error_doing(err, EINVAL, "bug in the table of options",
				   NULL, "%zu rows, and room for %d",
				   list->count, OPTIONS_ROOM);
	for (size_t i = 0; i < list->count; i++) {
		const struct option_row *row = list->slots[i].row;
		int ret = check_row(row, err);

		for (size_t j = 0; !ret && j < i; j++)
			ret = compare_rows(row, list->slots[j].row, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static bool begins_with(const char *name, const char *prefix, size_t length)
{
	return strncmp(name, prefix, length) == 0;
}

/* How many names in @rows, which have no groups, begin with the prefix. */
static size_t count_prefix(const struct option_row *rows, const char *prefix,
			   size_t length)
{
	size_t count = 0;

	for (; rows->type != OPTION_END; rows++)
		count += begins_with(rows->name, prefix, length);
	return count;
}

static bool is_among(const struct option_row *rows,
		     const struct option_row *row)
{
	for (; rows->type != OPTION_END; rows++) {
		if (rows == row)
			return true;
	}
	return false;
}

/*
 * Whether an abbreviation of @their that is unambiguous among @theirs also fits
 * @row.
 */
static bool takes_prefix(const struct option_row *row,
			 const struct option_row *theirs,
			 const struct option_row *their)
{
	if (*row->name != *their->name)
		return false;
	/* A full name is no abbreviation, whatever begins with it. */
	for (size_t length = 1; length < strlen(their->name); length++) {
		if (begins_with(row->name, their->name, length) &&
		    count_prefix(theirs, their->name, length) == 1)
			return true;
	}
	return false;
}

/*
 * Checks that every name of @theirs can be abbreviated in @list as much as in
 * @theirs alone. Returns 0, or -EINVAL with @err set.
 */
static int option_list_check_prefixes(const struct option_list *list,
				      const struct option_row *theirs,
				      struct error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct option_row *row = list->slots[i].row;

		if (is_among(theirs, row))
			continue;
		for (size_t j = 0; theirs[j].type != OPTION_END; j++) {
			if (takes_prefix(row, theirs, &theirs[j]))
				return is_wrong(row,
						"it makes an abbreviation of "
						"free's ambiguous",
						err);
		}
	}
	return 0;
}

#endif
