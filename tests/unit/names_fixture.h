/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code shared by the tests of names_*.c. */
#ifndef BUFSTAT_TESTS_NAMES_FIXTURE_H
#define BUFSTAT_TESTS_NAMES_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "names/names.h"
#include "test.h"

/* Asserts that both are NULL or the same string. */
static inline void same_string(const char *value, const char *expected)
{
	if (!value || !expected)
		assert_ptr_equal(value, expected);
	else
		assert_string_equal(value, expected);
}

/* @expected: the strings of @list, in order, with '|' between them. */
static inline void expect_list(const struct string_list *list,
			       const char *expected)
{
	char *joined = string_list_join(list, "|");

	assert_string_equal(joined, expected);
	free(joined);
}

static inline void open_fixture(struct sysroot *root, const char *path)
{
	assert_int_equal(sysroot_init(root, path, NULL), 0);
}

#endif
