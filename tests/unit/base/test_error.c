// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "test.h"

/* Captures error_print() with a file in place of stderr. */
static void expect_printed(const struct error *err, const char *expected)
{
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	char text[8192] = "";

	assert_non_null(file);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	program_invocation_short_name = (char *)"bufstat";
	error_print(err);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, expected);
}

static void expect_text(const struct error *err, const char *expected)
{
	assert_string_equal(text_of(err), expected);
}

static void returns_the_negative_number(void **state __attribute__((unused)))
{
	struct error err;

	assert_int_equal(error_set(&err, EINVAL, "%s %d", "word", 7), -EINVAL);
	expect_text(&err, "word 7");
	assert_int_equal(error_errno(&err, ENOENT, "reading", "/file"),
			 -ENOENT);
	expect_text(&err, "reading: /file: No such file or directory");
	assert_int_equal(error_remedy(&err, -7, "look"), -7);
	assert_int_equal(error_object(&err, -7, "it"), -7);
	assert_int_equal(error_within(&err, -7, "reading", NULL), -7);
}

static void nobody_need_listen(void **state __attribute__((unused)))
{
	assert_int_equal(error_set(NULL, ENOENT, "nobody reads this"), -ENOENT);
	assert_int_equal(error_doing(NULL, ERROR_UNUSABLE, "a", "b", "c"),
			 -EOPNOTSUPP);
	assert_int_equal(error_errno(NULL, EIO, "a", "b"), -EIO);
	assert_int_equal(error_remedy(NULL, -EIO, "a"), -EIO);
	assert_int_equal(error_object(NULL, -EIO, "a"), -EIO);
	assert_int_equal(error_within(NULL, -EIO, "a", "b"), -EIO);
}

/* An errno for one file has no class: it says nothing about the sources. */
static void only_a_class_that_is_given_is_one(void **state
					      __attribute__((unused)))
{
	static const struct {
		int what;
		int ret;
		enum error_class class;
		enum exit_code code;
	} cases[] = {
		{ ERROR_UNUSABLE, -EOPNOTSUPP, ERROR_UNUSABLE, EXIT_NO_SOURCE },
		{ ERROR_PARTIAL, -ENODATA, ERROR_PARTIAL, EXIT_PARTIAL },
		{ ERROR_FAILED, -EIO, ERROR_FAILED, EXIT_FAILED },
		{ EOPNOTSUPP, -EOPNOTSUPP, ERROR_FAILED, EXIT_FAILED },
		{ ENODATA, -ENODATA, ERROR_FAILED, EXIT_FAILED },
	};
	struct error err = { 0 };

	assert_false(error_is_set(&err));
	assert_int_equal(exit_code_of(&err), EXIT_OK);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(error_set(&err, cases[i].what, "why"),
				 cases[i].ret);
		assert_true(error_is_set(&err));
		assert_int_equal(err.class, cases[i].class);
		assert_int_equal(err.number, -cases[i].ret);
		assert_int_equal(exit_code_of(&err), cases[i].code);
	}
}

static void the_text_is_made_of_the_fields(void **state __attribute__((unused)))
{
	char text[ERROR_TEXT_SIZE];
	struct error err;

	error_doing(&err, EPERM, "opening", "/a (b)", "it is %s (%d)", "shut",
		    3);
	expect_text(&err, "opening: /a (b): it is shut (3)");
	error_remedy(&err, 0, "knock at %s (twice)", "it");
	expect_text(&err, "opening: /a (b): it is shut (3) "
			  "(knock at it (twice))");
	assert_string_equal(error_text_without_remedy(&err, text),
			    "opening: /a (b): it is shut (3)");
	error_object(&err, 0, "%s/%s", "c", "d");
	expect_text(&err, "opening: c/d: it is shut (3) "
			  "(knock at it (twice))");
	/* Nothing of the earlier error is left. */
	error_doing(&err, EPERM, "opening", NULL, "shut");
	expect_text(&err, "opening: shut");
	error_errno(&err, EIO, NULL, "/e");
	expect_text(&err, "/e: Input/output error");
}

static void what_surrounds_it_stands_before_it(void **state
					       __attribute__((unused)))
{
	struct error err;

	error_set(&err, ERROR_UNUSABLE, "not loaded");
	error_remedy(&err, 0, "load it");
	error_within(&err, 0, NULL, "module");
	error_within(&err, 0, "measuring", NULL);
	expect_text(&err, "measuring: module: not loaded (load it)");
	assert_string_equal(err.object, "module");
	assert_string_equal(err.reason, "not loaded");
	assert_int_equal(err.class, ERROR_UNUSABLE);

	error_errno(&err, ENOENT, "reading", "/file");
	error_within(&err, 0, "starting", "it");
	expect_text(&err, "starting: it: reading: /file: "
			  "No such file or directory");
	assert_string_equal(err.object, "it");
	assert_int_equal(err.number, ENOENT);

	err = (struct error){ 0 };
	assert_int_equal(error_within(&err, -ENOMEM, NULL, "kcore"), -ENOMEM);
	expect_text(&err, "kcore: Cannot allocate memory");
	assert_int_equal(err.class, ERROR_FAILED);

	error_doing(&err, EIO, NULL, "/file", "gone");
	error_within(&err, 0, NULL, "kcore");
	expect_text(&err, "kcore: /file: gone");
}

/* explain lists the sources' errors one by one, whatever their words. */
static void several_are_told_apart(void **state __attribute__((unused)))
{
	char text[ERROR_TEXT_SIZE];
	struct error err = { 0 }, one, two;

	error_doing(&one, ERROR_UNUSABLE, NULL, "a", "shut; locked");
	error_remedy(&one, 0, "open it");
	error_doing(&two, EIO, NULL, "b", "broken");
	error_remedy(&two, 0, "mend it");
	error_append(&err, &one);
	assert_int_equal(err.class, ERROR_UNUSABLE);
	error_append(&err, &two);
	error_append(&err, &one);
	assert_int_equal(err.class, ERROR_UNUSABLE);
	assert_int_equal(err.number, EOPNOTSUPP);
	error_within(&err, 0, "measuring", NULL);
	expect_text(&err, "measuring: a: shut; locked (open it); "
			  "b: broken (mend it); a: shut; locked (open it)");
	assert_string_equal(error_text_without_remedy(&err, text),
			    "measuring: a: shut; locked; "
			    "b: broken (mend it); a: shut; locked (open it)");
	assert_true(error_item(&err, 0, text));
	assert_string_equal(text, "a: shut; locked (open it)");
	assert_true(error_item(&err, 1, text));
	assert_string_equal(text, "b: broken (mend it)");
	assert_true(error_item(&err, 2, text));
	assert_string_equal(text, "a: shut; locked (open it)");
	assert_false(error_item(&err, 3, text));
	/* After error_set() it is a single error. */
	error_set(&err, EIO, "only this");
	assert_false(error_item(&err, 1, text));
	err = (struct error){ 0 };
	assert_false(error_item(&err, 0, text));
}

/* A long path takes no room from the reason. */
static void each_field_is_cut_for_itself(void **state __attribute__((unused)))
{
	char word[5000];
	struct error err, other;

	memset(word, 'w', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	error_errno(&err, EIO, word, word);
	error_remedy(&err, 0, "%s", word);
	assert_int_equal(strlen(err.doing), sizeof(err.doing) - 1);
	assert_int_equal(strlen(err.object), sizeof(err.object) - 1);
	assert_int_equal(strlen(err.remedy), sizeof(err.remedy) - 1);
	assert_non_null(strstr(text_of(&err), "w: Input/output error (w"));
	error_set(&err, EIO, "%s", word);
	assert_int_equal(strlen(err.reason), sizeof(err.reason) - 1);
	error_doing(&err, EIO, word, word, "%s", word);
	error_within(&err, 0, "doing", "it");
	assert_int_equal(strlen(err.reason), sizeof(err.reason) - 1);

	error_set(&other, EIO, "%s", word);
	for (int i = 0; i < 3; i++)
		error_append(&err, &other);
	assert_int_equal(err.others_size, sizeof(err.others));
	error_remedy(&err, 0, "%s", word);
	error_doing(&other, EIO, word, word, "%s", word);
	error_append(&other, &err);
	error_remedy(&other, 0, "%s", word);
	assert_in_range(strlen(text_of(&other)), 3500, ERROR_TEXT_SIZE - 1);
}

/* Tries every amount of room for more errors, to the last byte. */
static void append_stops_at_the_end(void **state __attribute__((unused)))
{
	for (size_t room = 0; room < 6; room++) {
		struct error err, more;

		error_set(&err, EIO, "first");
		error_set(&more, EIO, "%0*d",
			  (int)(sizeof(err.others) - 1 - room), 0);
		error_append(&err, &more);
		assert_int_equal(err.others_size, sizeof(err.others) - room);
		error_set(&more, EIO, "bbbbbbbbbb");
		error_append(&err, &more);
		assert_int_equal(err.others_size,
				 sizeof(err.others) - (room == 1));
		if (room > 1)
			assert_string_equal(err.others + sizeof(err.others) -
						    room,
					    "bbbbbbbbbb" + 10 - (room - 1));
	}
}

static void no_character_is_cut_in_two(void **state __attribute__((unused)))
{
	static const char *const characters[] = { "a", "\xc3\xb6",
						  "\xe2\x82\xac",
						  "\xf0\x9f\x90\xa7" };

	for (size_t i = 0; i < COUNT_OF(characters); i++) {
		size_t length = strlen(characters[i]);

		for (size_t room = 0; room <= 5; room++) {
			size_t before = sizeof(((struct error *)NULL)->reason) -
					1 - room;
			struct error err;

			error_set(&err, EIO, "%0*d%s%s%s", (int)before, 0,
				  characters[i], characters[i], "aaaaaa");
			if (room <= 2 * length)
				assert_int_equal(strlen(err.reason),
						 before + room / length *
								  length);
		}
	}
}

static void control_characters_are_escaped(void **state __attribute__((unused)))
{
	struct error err;

	error_set(&err, EIO,
		  "a\nb\tc\x1b[31md\x7f\x01"
		  "e");
	expect_printed(&err, "bufstat: a\\x0ab\\x09c\\x1b[31md\\x7f\\x01e\n");
}

static void other_bytes_are_printed(void **state __attribute__((unused)))
{
	struct error err;

	error_set(&err, EIO, "%s",
		  "Gr\xc3\xb6\xc3\x9f"
		  "e 100% %s");
	expect_printed(&err, "bufstat: Gr\xc3\xb6\xc3\x9f"
			     "e 100% %s\n");
}

/* U+009B begins an escape sequence as ESC [ does, and is valid UTF-8. */
static void c1_and_what_is_not_utf8_is_escaped(void **state
					       __attribute__((unused)))
{
	struct error err;

	error_set(&err, EIO,
		  "a\xc2\x9b"
		  "b\xff");
	expect_printed(&err, "bufstat: a\\xc2\\x9bb\\xff\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_the_negative_number),
		cmocka_unit_test(nobody_need_listen),
		cmocka_unit_test(only_a_class_that_is_given_is_one),
		cmocka_unit_test(the_text_is_made_of_the_fields),
		cmocka_unit_test(what_surrounds_it_stands_before_it),
		cmocka_unit_test(several_are_told_apart),
		cmocka_unit_test(each_field_is_cut_for_itself),
		cmocka_unit_test(append_stops_at_the_end),
		cmocka_unit_test(no_character_is_cut_in_two),
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(other_bytes_are_printed),
		cmocka_unit_test(c1_and_what_is_not_utf8_is_escaped),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
