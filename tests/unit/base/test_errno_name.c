// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/error.h"
#include "test.h"

static void known_and_unknown(void **state __attribute__((unused)))
{
	char name[ERRNO_NAME_SIZE];

	errno_name(EIO, name);
	assert_string_equal(name, "EIO");
	errno_name(ETOOMANYREFS, name);
	assert_string_equal(name, "ETOOMANYREFS");
	errno_name(4095, name);
	assert_string_equal(name, "4095");
	errno_name(UINT32_MAX, name);
	assert_string_equal(name, "4294967295");
}

#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 32)
/* Each error has the C library's name, or its number. */
static void all_of_them(void **state __attribute__((unused)))
{
	char name[ERRNO_NAME_SIZE], number[ERRNO_NAME_SIZE];

	for (unsigned int i = 1; i < 4096; i++) {
		const char *known = strerrorname_np((int)i);

		snprintf(number, sizeof(number), "%u", i);
		errno_name(i, name);
		if (strcmp(name, number) != 0)
			assert_string_equal(name, known);
	}
}
#define HAS_ALL_NAMES
#endif
#endif

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_and_unknown),
#ifdef HAS_ALL_NAMES
		cmocka_unit_test(all_of_them),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
