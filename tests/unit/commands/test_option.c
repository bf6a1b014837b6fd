// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command_line.h"
#include "cli/option.h"
#include "commands/command.h"
#include "free/free_options.h"
#include "lib/error.h"
#include "option_check.h"
#include "test.h"

struct values {
	bool json;
	const char *sysroot;
	unsigned int bits;
	int answer;
	int number;
};

static int take_number(void *place, const struct option_given *given,
		       struct error *err)
{
	if (given->value[0] < '0' || given->value[0] > '9')
		return error_set(err, EINVAL, "%s is no number", given->value);
	*(int *)place = given->value[0] - '0';
	return 0;
}

static const struct option_row shared[] = {
	ROW_FLAG('n', "noheadings", struct values, json, "x"),
	ROW_TEXT('\0', "sysroot", struct values, sysroot, "DIR",
		 WORDS_DIRECTORIES, "x"),
	{ 0 },
};

static const struct option_row option_rows[] = {
	ROW_FLAG('J', "json", struct values, json, "x"),
	ROW_CALL('o', "output", struct values, number, "N", take_number, "x"),
	ROW_FLAG('O', "output-all", struct values, json, "x"),
	{ .type = OPTION_GROUP, .group = shared },
	{ .type = OPTION_BITS,
	  .name = "bit",
	  .code = 4,
	  .place = OPTION_PLACE(unsigned int, struct values, bits),
	  .help = "x" },
	{ .type = OPTION_ANSWER,
	  .name = "help",
	  .code = 7,
	  .place = OPTION_PLACE(int, struct values, answer),
	  .help = "x" },
	ROW_REFUSED('z', "zip", "FILE", "there is none"),
	{ 0 },
};

/* Reads the words as a command line. */
static int read_words(const char *words, struct values *values,
		      struct error *err)
{
	static struct option_list list;
	static char copy[256];
	char *argv[16] = { (char *)"bufstat" };
	char *rest = copy;
	int argc = 1;

	strcpy(copy, words);
	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	*values = (struct values){ 0 };
	option_list_init(&list, option_rows);
	return options_read(&list, values, argc, argv, "bufstat --help", err);
}

/* The message of a command that refuses these words. */
static const char *say(const char *words)
{
	static struct error err;
	struct values values;

	assert_int_equal(read_words(words, &values, &err), -EINVAL);
	return text_of(&err);
}

#define NO_SUCH(word)                                                          \
	"reading options: " word ": no such option (see bufstat --help)"
#define MEANT(word, name)                                                      \
	"reading options: " word ": no such option (did you mean " name        \
	"? see bufstat --help)"
#define NO_VALUE(word)                                                         \
	"reading options: " word ": its value is missing (see bufstat --help)"

static void letters(void **state __attribute__((unused)))
{
	assert_string_equal(say("-Z"), NO_SUCH("-Z"));
	assert_string_equal(say("-nZ"), NO_SUCH("-Z"));
	assert_string_equal(say("-nZn"), NO_SUCH("-Z"));
	assert_string_equal(say("-J -Z -n"), NO_SUCH("-Z"));
	assert_string_equal(say("-?"), NO_SUCH("-?"));
	assert_string_equal(say("-n word -Z"), NO_SUCH("-Z"));
}

static void letters_behind_long_options(void **state __attribute__((unused)))
{
	assert_string_equal(say("--json -Z"), NO_SUCH("-Z"));
	assert_string_equal(say("--json -nZ"), NO_SUCH("-Z"));
	assert_string_equal(say("--json -nZn"), NO_SUCH("-Z"));
	assert_string_equal(say("--sysroot=/x -nZn"), NO_SUCH("-Z"));
	assert_string_equal(say("--sysroot /x -Zn"), NO_SUCH("-Z"));
}

static void long_options(void **state __attribute__((unused)))
{
	assert_string_equal(say("--none"), NO_SUCH("--none"));
	assert_string_equal(say("-n --none -n"), NO_SUCH("--none"));
	assert_string_equal(say("--none=1"), NO_SUCH("--none=1"));
	assert_string_equal(say("--out"), NO_SUCH("--out"));
	assert_string_equal(say("--jsno"), MEANT("--jsno", "--json"));
	assert_string_equal(say("-n --sysrot=/ -n"),
			    MEANT("--sysrot=/", "--sysroot"));
	assert_string_equal(say("--json=1"), MEANT("--json=1", "--json"));
	assert_string_equal(say("--json=1 -n"), MEANT("--json=1", "--json"));
}

static void missing_values(void **state __attribute__((unused)))
{
	assert_string_equal(say("-o"), NO_VALUE("-o"));
	assert_string_equal(say("-no"), NO_VALUE("-o"));
	assert_string_equal(say("--json -no"), NO_VALUE("-o"));
	assert_string_equal(say("--output"), NO_VALUE("--output"));
	assert_string_equal(say("--sysroot"), NO_VALUE("--sysroot"));
}

static void values_are_taken(void **state __attribute__((unused)))
{
	struct values values;
	struct error err;

	assert_int_equal(
		read_words("-Jo3 word --bit --sysroot=/x", &values, &err), 0);
	assert_true(values.json);
	assert_int_equal(values.number, 3);
	assert_int_equal(values.bits, 4);
	assert_string_equal(values.sysroot, "/x");
	assert_int_equal(optind, 4);
	assert_int_equal(read_words("--he --no-such", &values, &err), 1);
	assert_int_equal(values.answer, 7);
	assert_string_equal(say("--out x"), NO_SUCH("--out"));
	assert_string_equal(say("-o x"), "x is no number");
	assert_string_equal(say("-z x"),
			    "reading options: --zip: there is none");
	assert_string_equal(say("--zi"), NO_VALUE("--zi"));
	/* No option is suggested that would be refused as well. */
	assert_string_equal(say("--zap"), NO_SUCH("--zap"));
}

/* The message for an option table with these two rows. */
static const char *check(struct option_row first, struct option_row second)
{
	const struct option_row rows[] = { first, second, { 0 } };
	static struct option_list list;
	static struct error err;

	list.count = 0;
	for (size_t i = 0; rows[i].type != OPTION_END; i++)
		list.slots[list.count++].row = &rows[i];
	if (option_list_check(&list, &err) == 0)
		return "good";
	return strrchr(text_of(&err), ':') + 2;
}

static void bad_tables_are_bugs(void **state __attribute__((unused)))
{
	const struct option_row end = { 0 };
	const struct option_row flag = {
		.type = OPTION_FLAG, .letter = 'a', .name = "all", .help = "x"
	};
	const struct option_row text = { .type = OPTION_TEXT,
					 .name = "text",
					 .argument = "X",
					 .help = "x" };
	const struct option_row call = { .type = OPTION_CALL,
					 .name = "call",
					 .take = take_number,
					 .help = "x" };
	struct option_row row;

	assert_string_equal(check(flag, text), "good");
	assert_string_equal(check(call, text), "good");
	assert_string_equal(check(text, text), "there are two of the name");
	row = text;
	row.letter = 'a';
	assert_string_equal(check(flag, row), "another option has its letter");
	row.letter = ':';
	assert_string_equal(check(row, end), "its letter is none");
	row = text;
	row.argument = NULL;
	assert_string_equal(check(row, end), "its value has no name");
	row = flag;
	row.argument = "X";
	assert_string_equal(check(row, end),
			    "it takes no value, which has a name");
	row = flag;
	row.words = WORDS_FILES;
	assert_string_equal(check(row, end),
			    "it takes no value, which is completed");
	row = flag;
	row.help = "";
	assert_string_equal(check(row, end), "it has no help");
	row = flag;
	row.name = "All";
	assert_string_equal(check(row, end), "its name is none");
	row.name = NULL;
	assert_string_equal(check(row, end), "its name is none");
	row = call;
	row.take = NULL;
	assert_string_equal(check(row, end),
			    "a function is missing or too many");
	row = flag;
	row.type = OPTION_BITS;
	assert_string_equal(check(row, end), "it changes nothing");
}

static void expect_sound(struct option_list *list,
			 const struct option_row *rows)
{
	struct error err;

	option_list_init(list, rows);
	assert_true(list->count > 0);
	if (option_list_check(list, &err) < 0)
		fail_msg("%s", text_of(&err));
}

static void no_table_is_bad(void **state __attribute__((unused)))
{
	const struct option_row *frees_own = free_options[0].group;
	const struct command_line *command = NULL;
	struct option_list list;
	struct error err;
	size_t count = 0;

	for (; (command = command_next(command)); count++)
		expect_sound(&list, command->rows);
	assert_true(count >= 20);
	expect_sound(&list, frees_own);
	expect_sound(&list, free_options);
	if (option_list_check_prefixes(&list, frees_own, &err) < 0)
		fail_msg("%s", text_of(&err));
}

/* Fails if two rows have one letter and two meanings, or one name and two. */
static void expect_one_meaning(const struct option_row *row,
			       const struct option_row *other)
{
	bool one_name = strcmp(row->name, other->name) == 0;

	if (row->type == OPTION_REFUSED || other->type == OPTION_REFUSED)
		return;
	/* -h is human in the summary, as free has it, and help in commands. */
	if (row->letter && row->letter == other->letter && !one_name &&
	    row->letter != 'h')
		fail_msg("-%c is --%s and --%s", row->letter, row->name,
			 other->name);
	if (!one_name)
		return;
	if (row->letter && other->letter && row->letter != other->letter)
		fail_msg("--%s is -%c and -%c", row->name, row->letter,
			 other->letter);
	if (!row->argument != !other->argument ||
	    (row->argument && strcmp(row->argument, other->argument) != 0))
		fail_msg("--%s takes %s and %s", row->name, row->argument,
			 other->argument);
}

/* A refused letter means something elsewhere; else it would not be refused. */
static bool means_it(const struct option_row *refused,
		     const struct option_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct option_row *row = list->slots[i].row;

		if (row->type != OPTION_REFUSED &&
		    row->letter == refused->letter &&
		    strcmp(row->name, refused->name) == 0)
			return true;
	}
	return false;
}

static void a_word_has_one_meaning(void **state __attribute__((unused)))
{
	static struct option_list lists[40];
	const struct command_line *command = NULL;
	size_t count = 0;

	option_list_init(&lists[count++], free_options);
	while ((command = command_next(command)))
		option_list_init(&lists[count++], command->rows);
	for (size_t i = 0; i < count * count; i++) {
		const struct option_list *a = &lists[i / count];
		const struct option_list *b = &lists[i % count];

		for (size_t j = 0; j < a->count * b->count; j++)
			expect_one_meaning(a->slots[j / b->count].row,
					   b->slots[j % b->count].row);
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < lists[i].count; j++) {
			const struct option_row *row = lists[i].slots[j].row;
			bool found = row->type != OPTION_REFUSED ||
				     !row->letter;

			for (size_t k = 0; !found && k < count; k++)
				found = means_it(row, &lists[k]);
			if (!found)
				fail_msg("-%c is refused in vain", row->letter);
		}
	}
}

/* Adds an option to three others. */
static int add_name(const char *name)
{
	static const struct option_row theirs[] = {
		{ .type = OPTION_FLAG, .name = "si", .help = "x" },
		{ .type = OPTION_FLAG, .name = "seconds", .help = "x" },
		{ .type = OPTION_FLAG, .name = "human", .help = "x" },
		{ 0 },
	};
	const struct option_row rows[] = {
		{ .type = OPTION_GROUP, .group = theirs },
		{ .type = OPTION_FLAG, .name = name, .help = "x" },
		{ 0 },
	};
	struct option_list list;
	struct error err;

	option_list_init(&list, rows);
	return option_list_check_prefixes(&list, theirs, &err);
}

static void abbreviations_are_kept(void **state __attribute__((unused)))
{
	assert_int_equal(add_name("json"), 0);
	assert_int_equal(add_name("save"), 0); /* "s" meant two before */
	assert_int_equal(add_name("since"), 0); /* "si" is a name */
	assert_int_equal(add_name("sector"), -EINVAL);
	assert_int_equal(add_name("hosts"), -EINVAL);
}

static const char *printed(void (*print)(FILE *out,
					 const struct option_list *list))
{
	static char text[1024];
	struct option_list list;
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	option_list_init(&list, option_rows);
	print(out, &list);
	fclose(out);
	return text;
}

static void print_synopsis(FILE *out, const struct option_list *list)
{
	option_list_print_synopsis(out, list, 0, "Usage: x", "A B");
}

static void help_is_printed(void **state __attribute__((unused)))
{
	assert_string_equal(printed(option_list_print),
			    " -J, --json            x\n"
			    " -o, --output N        x\n"
			    " -O, --output-all      x\n"
			    " -n, --noheadings      x\n"
			    "     --sysroot DIR     x\n"
			    "     --bit             x\n"
			    "     --help            x\n");
	assert_string_equal(printed(print_synopsis),
			    "Usage: x [-JnO] [-o N] [--sysroot DIR] [--bit] "
			    "A B\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_has_one_meaning),
		cmocka_unit_test(letters),
		cmocka_unit_test(letters_behind_long_options),
		cmocka_unit_test(long_options),
		cmocka_unit_test(missing_values),
		cmocka_unit_test(values_are_taken),
		cmocka_unit_test(bad_tables_are_bugs),
		cmocka_unit_test(no_table_is_bad),
		cmocka_unit_test(abbreviations_are_kept),
		cmocka_unit_test(help_is_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
