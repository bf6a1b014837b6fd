/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every unit test includes this: cmocka needs these headers before its own. */
#ifndef BUFSTAT_TESTS_TEST_H
#define BUFSTAT_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/error.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

/* The absolute path of a captured tree. */
#define FIXTURE(name) FIXTURES "/" name

/* A skip that says why, in the form that tests/unit/run prints. */
#define SKIP_BECAUSE(why)                                                      \
	do {                                                                   \
		print_message("# SKIP: %s\n", why);                            \
		skip();                                                        \
	} while (0)

/* The text is valid until the next call. */
static inline const char *text_of(const struct error *err)
{
	static char text[ERROR_TEXT_SIZE];

	return error_text(err, text);
}

#endif
