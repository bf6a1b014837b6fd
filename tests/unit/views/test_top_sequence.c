// SPDX-License-Identifier: GPL-2.0-or-later
/* What is skipped of what a terminal sends, and for how long. */
#include <string.h>

#include "test.h"
#include "top/request.h"
#include "top/sequence.h"

#define SECOND_NS INT64_C(1000000000)

/* Takes all of @keys at once, and nothing for now after them. */
static void expect(struct sequence *sequence, int64_t now_ns, const char *keys,
		   const char *expected)
{
	char heard[32] = "";

	for (const char *c = keys; c <= keys + strlen(keys); c++) {
		const int key = sequence_take(
			sequence, *c ? (unsigned char)*c : KEY_NONE, now_ns);

		if (key != KEY_NONE)
			heard[strlen(heard)] = (char)key;
	}
	assert_string_equal(heard, expected);
}

static void skipped_whole(void **state __attribute__((unused)))
{
	static const char *const functions[] = {
		"\033[1;5D", "\033[0;5q",	"\033[<0;3;5M", "\033[M D2",
		"\033[[A",   "\033O5D",		"\033D",	"\033]11;D\a",
		"\033PD2",   "\033]11;D\033\\", "\033[1;5\030", "\033\033[1;5D",
	};

	for (size_t i = 0; i < COUNT_OF(functions); i++) {
		struct sequence sequence = { 0 };

		expect(&sequence, SECOND_NS, functions[i], "");
		/* What never ends does so once nothing comes. */
		expect(&sequence, 3 * SECOND_NS, "D2", "D2");
	}
}

static void keys_are_keys(void **state __attribute__((unused)))
{
	struct sequence sequence = { 0 };

	expect(&sequence, SECOND_NS, "D[Oq", "D[Oq");
	expect(&sequence, SECOND_NS, "\033", "\033");
	expect(&sequence, SECOND_NS, "D", "D");
	expect(&sequence, SECOND_NS, "\033[D\033OA\033]2;\aq", "q");
	assert_int_equal(sequence_take(&sequence, KEY_F5, SECOND_NS), KEY_F5);
	assert_int_equal(sequence_take(&sequence, KEY_BACKSPACE, SECOND_NS),
			 KEY_BACKSPACE);
	assert_int_equal(sequence_take(&sequence, KEY_NONE + 0632, SECOND_NS),
			 KEY_NONE);
	assert_int_equal(sequence_take(&sequence, 0x15d, SECOND_NS), 0x15d);
	assert_int_equal(sequence_take(&sequence, 0x9b, SECOND_NS), KEY_NONE);
	expect(&sequence, SECOND_NS, "1;5D", "");
}

static void in_pieces(void **state __attribute__((unused)))
{
	struct sequence sequence = { 0 };

	expect(&sequence, SECOND_NS, "\033", "\033");
	expect(&sequence, SECOND_NS * 19 / 10, "[1;", "");
	expect(&sequence, SECOND_NS * 28 / 10, "5D", "");
	expect(&sequence, 3 * SECOND_NS, "\033", "\033");
	expect(&sequence, SECOND_NS * 41 / 10, "[D", "[D");
}

static void pastes(void **state __attribute__((unused)))
{
	struct sequence sequence = { 0 };

	expect(&sequence, SECOND_NS, "\033[200~a\nb\033[Dc\033[25~", "abc");
	assert_true(sequence.is_paste);
	expect(&sequence, 10 * SECOND_NS, "d", "d");
	assert_true(sequence.is_paste);
	expect(&sequence, 10 * SECOND_NS, "\033[201~", "");
	assert_false(sequence.is_paste);
	expect(&sequence, 10 * SECOND_NS, "\033[200~D", "D");
	expect(&sequence, 21 * SECOND_NS, "D", "D");
	assert_false(sequence.is_paste);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skipped_whole),
		cmocka_unit_test(keys_are_keys),
		cmocka_unit_test(in_pieces),
		cmocka_unit_test(pastes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
