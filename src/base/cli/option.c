// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <string.h>

#include "cli/option.h"
#include "lib/error.h"
#include "lib/nearest.h"

/* getopt_long() returns a letter, or for a long name this plus its slot. */
#define LONG_BASE (CHAR_MAX + 1)

/* Characters before the letters change how getopt_long() reads. */
static const char how[] = "+:";

static void add_rows(struct option_list *list, const struct option_row *rows,
		     size_t place)
{
	for (; rows->type != OPTION_END; rows++) {
		if (rows->type == OPTION_GROUP)
			add_rows(list, rows->group, place + rows->place);
		else if (list->count++ < OPTIONS_ROOM)
			list->slots[list->count - 1] = (struct option_slot){
				.row = rows,
				.place = place + rows->place,
			};
	}
}

static void fill_getopt(struct option_list *list)
{
	char *letter = stpcpy(list->letters, how);

	for (size_t i = 0; i < list->count; i++) {
		const struct option_row *row = list->slots[i].row;

		list->names[i] = (struct option){
			.name = row->name,
			.has_arg = row->argument ? required_argument :
						   no_argument,
			.val = LONG_BASE + (int)i,
		};
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		if (row->argument)
			*letter++ = ':';
	}
	*letter = '\0';
	list->names[list->count] = (struct option){ 0 };
}

void option_list_init(struct option_list *list, const struct option_row *rows)
{
	list->count = 0;
	add_rows(list, rows, 0);
	fill_getopt(list);
}

static int find_letter(const struct option_list *list, int letter)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->slots[i].row->letter == letter)
			return (int)i;
	}
	return OPTION_UNKNOWN;
}

static int find_slot(const struct option_list *list, int value)
{
	return value >= LONG_BASE ? value - LONG_BASE :
				    find_letter(list, value);
}

int option_list_incomplete(const struct option_list *list)
{
	return find_slot(list, optopt);
}

int option_list_next(const struct option_list *list, int argc, char **argv,
		     enum option_reading reading)
{
	static const size_t skip[] = {
		[OPTIONS_FIRST] = 0,
		[OPTIONS_ANYWHERE] = 1,
		[OPTIONS_AS_FREE] = sizeof(how) - 1,
	};
	int prints = opterr, value;

	if (reading != OPTIONS_AS_FREE)
		opterr = 0;
	value = getopt_long(argc, argv, list->letters + skip[reading],
			    list->names, NULL);
	opterr = prints;
	if (value == -1)
		return OPTION_NO_MORE;
	if (value == ':')
		return OPTION_WITHOUT_VALUE;
	return find_slot(list, value);
}

int option_list_take(const struct option_list *list, int slot, void *options,
		     const char *value, struct error *err)
{
	const struct option_row *row = list->slots[slot].row;
	void *place = (char *)options + list->slots[slot].place;
	const struct option_given given = { row, value };

	switch (row->type) {
	case OPTION_FLAG:
		*(bool *)place = true;
		break;
	case OPTION_BITS:
		*(unsigned int *)place |= (unsigned int)row->code;
		break;
	case OPTION_TEXT:
		*(const char **)place = value;
		break;
	case OPTION_CALL:
		return row->take(place, &given, err);
	case OPTION_ANSWER:
		*(int *)place = row->code;
		return 1;
	case OPTION_REFUSED:
		return error_object(err,
				    error_option(err, NULL, "%s", row->help),
				    "--%s", row->name);
	case OPTION_GROUP:
	case OPTION_END:
		break;
	}
	return 0;
}

/*
 * Whether the refused letter is inside @word, the one that getopt is still at:
 * it goes on to the next word only after the last letter of a word.
 */
static bool is_inside_word(const char *word)
{
	const char *letter;

	if (!word || word[0] != '-' || word[1] == '-')
		return false;
	letter = strchr(word + 1, optopt);
	return letter && letter[1];
}

const char *option_nearest(const struct option_list *list, const char *word)
{
	/* What others call an option that takes a time. */
	static const char *const times[][2] = {
		{ "since", "from" }, { "until", "to" }, { "since", "at" },
		{ "until", "at" },   { "from", "at" },	{ "to", "at" },
		{ "at", "from" },
	};
	struct nearest nearest;
	size_t length;

	if (strncmp(word, "--", 2) != 0)
		return NULL;
	word += 2;
	length = strcspn(word, "=");
	for (size_t i = 0; i < sizeof(times) / sizeof(*times) * list->count;
	     i++) {
		const char *const *time = times[i / list->count];
		const char *name = list->slots[i % list->count].row->name;

		if (strncmp(word, time[0], length) == 0 && !time[0][length] &&
		    strcmp(name, time[1]) == 0)
			return name;
	}
	nearest_init(&nearest, word, length);
	for (size_t i = 0; i < list->count; i++) {
		if (option_is_shown(list->slots[i].row))
			nearest_try(&nearest, list->slots[i].row->name);
	}
	return nearest.name;
}

/* Sets @err for the option that getopt_long() has just refused. */
static int refuse(const struct option_list *list, char *const *argv, int answer,
		  const char *help, struct error *err)
{
	const char *meant, *word = argv[optind - 1];
	char letter[] = { '-', (char)optopt, '\0' };

	/* For a known long option, optopt is above CHAR_MAX; for an unknown
	 * one, it is 0. */
	if (optopt > 0 && optopt <= CHAR_MAX &&
	    (strncmp(word, "--", 2) != 0 ||
	     (answer == OPTION_UNKNOWN && is_inside_word(argv[optind]))))
		word = letter;
	if (answer == OPTION_WITHOUT_VALUE)
		return error_remedy(
			err, error_option(err, word, "its value is missing"),
			"see %s", help);
	meant = option_nearest(list, word);
	return error_remedy(err, error_option(err, word, "no such option"),
			    "%s%s%ssee %s", meant ? "did you mean --" : "",
			    meant ? meant : "", meant ? "? " : "", help);
}

int options_read(const struct option_list *list, void *options, int argc,
		 char **argv, const char *help, struct error *err)
{
	optind = 0; /* glibc: start anew */
	for (;;) {
		int ret, slot = option_list_next(list, argc, argv,
						 OPTIONS_ANYWHERE);

		if (slot == OPTION_NO_MORE)
			return 0;
		if (slot < 0)
			return refuse(list, argv, slot, help, err);
		ret = option_list_take(list, slot, options, optarg, err);
		if (ret)
			return ret;
	}
}
