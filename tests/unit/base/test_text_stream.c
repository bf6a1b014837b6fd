// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text_stream.h"
#include "test.h"

static void whole(void **state __attribute__((unused)))
{
	char *text = NULL;
	size_t size;
	FILE *out = text_stream_open(&text, &size);

	assert_non_null(out);
	fputs("a word", out);
	assert_int_equal(text_stream_close(out, &text), 0);
	assert_string_equal(text, "a word");
	free(text);
}

static ssize_t write_nothing(void *cookie __attribute__((unused)),
			     const char *data __attribute__((unused)),
			     size_t size __attribute__((unused)))
{
	return 0;
}

/* As when memory runs out in between: the text is incomplete. */
static void a_part_is_none(void **state __attribute__((unused)))
{
	char *text = strdup("a wo");
	FILE *out = fopencookie(
		NULL, "w", (cookie_io_functions_t){ .write = write_nothing });

	assert_non_null(out);
	fputs("rd", out);
	assert_int_equal(fflush(out), EOF);
	assert_int_equal(text_stream_close(out, &text), -ENOMEM);
	assert_null(text);
}

/* As when memory runs out at the end: closing succeeds without a text. */
static void none_is_an_error(void **state __attribute__((unused)))
{
	FILE *out = fopen("/dev/null", "w");
	char *text = NULL;

	assert_non_null(out);
	assert_int_equal(text_stream_close(out, &text), -ENOMEM);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(a_part_is_none),
		cmocka_unit_test(none_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
