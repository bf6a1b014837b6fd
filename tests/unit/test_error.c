// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "test.h"

/* What error_print() writes, through a file in stderr's place. */
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

static void returns_the_negative_number(void **state __attribute__((unused)))
{
	struct error err;

	assert_int_equal(error_set(&err, EINVAL, "%s %d", "word", 7), -EINVAL);
	assert_string_equal(err.text, "word 7");
	assert_int_equal(error_set(NULL, ENOENT, "nobody reads this"), -ENOENT);
	assert_int_equal(error_errno(&err, ENOENT, "reading", "/file"),
			 -ENOENT);
	assert_string_equal(err.text,
			    "reading: /file: No such file or directory");
}

static void long_texts_are_cut(void **state __attribute__((unused)))
{
	char word[2000];
	struct error err;

	memset(word, 'w', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	error_set(&err, EINVAL, "%s", word);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void appends_behind_a_semicolon(void **state __attribute__((unused)))
{
	const struct error one = { "one" }, two = { "two" };
	struct error err = { "" };

	error_append(&err, &one);
	assert_string_equal(err.text, "one");
	error_append(&err, &two);
	assert_string_equal(err.text, "one; two");
}

static void append_stops_at_the_end(void **state __attribute__((unused)))
{
	struct error err, more;

	for (size_t room = 0; room < 6; room++) {
		memset(err.text, 'a', sizeof(err.text));
		err.text[sizeof(err.text) - 1 - room] = '\0';
		memset(more.text, 'b', sizeof(more.text));
		more.text[sizeof(more.text) - 1] = '\0';
		error_append(&err, &more);
		assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
		assert_memory_equal(err.text + sizeof(err.text) - 1 - room,
				    "; bbbb", room);
	}
}

static void control_characters_are_escaped(void **state __attribute__((unused)))
{
	const struct error err = { "a\nb\tc\x1b[31md\x7f\x01"
				   "e" };

	expect_printed(&err, "bufstat: a\\x0ab\\x09c\\x1b[31md\\x7f\\x01e\n");
}

static void other_bytes_are_printed(void **state __attribute__((unused)))
{
	const struct error err = { "Gr\xc3\xb6\xc3\x9f"
				   "e 100% %s" };

	expect_printed(&err, "bufstat: Gr\xc3\xb6\xc3\x9f"
			     "e 100% %s\n");
}

/* U+009B begins an escape sequence as ESC [ does, and is valid UTF-8. */
static void c1_and_what_is_not_utf8_is_escaped(void **state
					       __attribute__((unused)))
{
	const struct error err = { "a\xc2\x9b"
				   "b\xff" };

	expect_printed(&err, "bufstat: a\\xc2\\x9bb\\xff\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_the_negative_number),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(appends_behind_a_semicolon),
		cmocka_unit_test(append_stops_at_the_end),
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(other_bytes_are_printed),
		cmocka_unit_test(c1_and_what_is_not_utf8_is_escaped),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
