// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "nearest.h"
#include "option_error.h"

/*
 * Of letters that share a word, getopt moves on to the next word only with the
 * last one: is the refused letter inside the word that it stands at?
 */
static bool is_inside_word(const char *word)
{
	const char *letter;

	if (!word || word[0] != '-' || word[1] == '-')
		return false;
	letter = strchr(word + 1, optopt);
	return letter && letter[1];
}

/* The name of the long option that was probably meant, or NULL. */
static const char *nearest_name(const char *word, const struct option *names)
{
	struct nearest nearest;

	if (strncmp(word, "--", 2) != 0)
		return NULL;
	word += 2;
	nearest_init(&nearest, word, strcspn(word, "="));
	for (; names->name; names++)
		nearest_try(&nearest, names->name);
	return nearest.name;
}

int option_error(char *const *argv, int answer, const struct option *names,
		 const char *help, struct error *err)
{
	const char *meant, *word = argv[optind - 1];
	char letter[] = { '-', (char)optopt, '\0' };

	/*
	 * A long option has no letter, or a code above those of letters, or
	 * that of a short one if it is its value that is wrong.
	 */
	if (optopt > 0 && optopt <= CHAR_MAX &&
	    (strncmp(word, "--", 2) != 0 ||
	     (answer == '?' && is_inside_word(argv[optind]))))
		word = letter;
	if (answer == ':')
		return error_set(err, EINVAL,
				 "reading options: %s: its value is missing "
				 "(see %s)",
				 word, help);
	meant = nearest_name(word, names);
	return error_set(err, EINVAL,
			 "reading options: %s: no such option (%s%s%ssee %s)",
			 word, meant ? "did you mean --" : "",
			 meant ? meant : "", meant ? "? " : "", help);
}
