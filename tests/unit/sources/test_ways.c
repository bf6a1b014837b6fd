// SPDX-License-Identifier: GPL-2.0-or-later
/* One source after the other, and the reasons of those that did not answer. */
#include <errno.h>
#include <stdio.h>

#include "lib/error.h"
#include "lib/lack.h"
#include "lib/sysroot.h"
#include "measure/ways.h"
#include "test.h"

/* What each way does: 0, or what is wrong with it. */
struct answer {
	int does[2];
	int tried[2];
	int taken; /* 1 + the way that answered */
};

static const char *name_of(size_t which)
{
	static const char *const names[] = { "first", "second" };

	return which < COUNT_OF(names) ? names[which] : NULL;
}

static int take(void *data, size_t which,
		const struct sysroot *root __attribute__((unused)),
		struct error *err)
{
	struct answer *answer = data;
	int what = answer->does[which];

	answer->tried[which]++;
	if (!what)
		answer->taken = (int)which + 1;
	return what == LACK_CGROUPS ? lack_error(err, LACK_CGROUPS, NULL) :
	       what		    ? error_errno(err, what, "reading", "it") :
				      0;
}

static const struct ways ways = { name_of, take };

static const char lack[] = "no cgroups with the memory controller are mounted "
			   "(mount -t cgroup2 none /sys/fs/cgroup)";

static void the_first_that_can_be_used(void **state __attribute__((unused)))
{
	const struct sysroot root = { .fd = -1 };
	struct answer both = { 0 };
	struct answer second = { .does = { LACK_CGROUPS, 0 } };
	struct answer named = { 0 };
	struct error err = { 0 };

	assert_int_equal(ways_take(&ways, NULL, &both, &root, NULL, &err), 0);
	assert_int_equal(both.taken, 1);
	assert_int_equal(both.tried[1], 0);
	assert_int_equal(ways_take(&ways, NULL, &second, &root, NULL, &err), 0);
	assert_int_equal(second.taken, 2);
	assert_int_equal(ways_take(&ways, "second", &named, &root, NULL, &err),
			 0);
	assert_int_equal(named.taken, 2);
	assert_int_equal(named.tried[0], 0);
}

/* Each reason is a kind, or an errno, until it is said. */
static void all_reasons_are_said(void **state __attribute__((unused)))
{
	const struct sysroot root = { .fd = -1 };
	struct answer neither = { .does = { LACK_CGROUPS, LACK_CGROUPS } };
	struct answer last = { .does = { LACK_CGROUPS, EIO } };
	char expected[512];
	struct error err = { 0 };

	assert_int_equal(ways_take(&ways, NULL, &neither, &root, NULL, &err),
			 -EOPNOTSUPP);
	assert_int_equal(err.class, ERROR_UNUSABLE);
	assert_int_equal(err.lack, LACK_CGROUPS);
	snprintf(expected, sizeof(expected), "first: %s; second: %s", lack,
		 lack);
	assert_string_equal(text_of(&err), expected);
	/* It could be used, which decides about the class. */
	assert_int_equal(ways_take(&ways, NULL, &last, &root, NULL, &err),
			 -EIO);
	assert_int_equal(err.class, ERROR_FAILED);
	snprintf(expected, sizeof(expected),
		 "first: %s; second: reading: it: Input/output error", lack);
	assert_string_equal(text_of(&err), expected);
	assert_int_equal(ways_take(&ways, NULL, &last, &root, NULL, NULL),
			 -EIO);
}

/* One that fails is the end, unless what it says is kept beside an answer. */
static void a_failure(void **state __attribute__((unused)))
{
	const struct sysroot root = { .fd = -1 };
	struct answer ends = { .does = { EIO, 0 } };
	struct answer goes_on = { .does = { EIO, 0 } };
	struct error err = { 0 }, failed = { 0 };

	assert_int_equal(ways_take(&ways, NULL, &ends, &root, NULL, &err),
			 -EIO);
	assert_int_equal(ends.tried[1], 0);
	assert_string_equal(text_of(&err),
			    "first: reading: it: Input/output error");
	assert_int_equal(ways_take(&ways, NULL, &goes_on, &root, &failed, &err),
			 0);
	assert_int_equal(goes_on.taken, 2);
	assert_string_equal(text_of(&failed),
			    "first: reading: it: Input/output error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_that_can_be_used),
		cmocka_unit_test(all_reasons_are_said),
		cmocka_unit_test(a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
