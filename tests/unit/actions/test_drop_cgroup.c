// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of a cgroup before its page cache is reclaimed, and after. */
#include <stdio.h>
#include <stdlib.h>

#include "drop/drop_cgroup.h"
#include "drop/drop_cgroup_text.h"
#include "drop/drop_text.h"
#include "test.h"

#define MIB ((uint64_t)1 << 20)

/* 60M and 40M on the lists, 10M of them dirty. */
static struct drop_cgroup example(void)
{
	struct drop_cgroup drop = {
		.path = "/test",
		.spares_anonymous = true,
	};

	cgroup_set(&drop.before, CGROUP_INACTIVE_FILE, 60 * MIB);
	cgroup_set(&drop.before, CGROUP_ACTIVE_FILE, 40 * MIB);
	cgroup_set(&drop.before, CGROUP_DIRTY, 10 * MIB);
	cgroup_set(&drop.before, CGROUP_SHMEM, 0);
	cgroup_set(&drop.before, CGROUP_MAPPED, 0);
	return drop;
}

static void expect_bounds(struct drop_cgroup *drop, uint64_t least,
			  uint64_t most)
{
	drop_cgroup_forecast(drop);
	assert_int_equal(drop->least_bytes, least * MIB);
	assert_int_equal(drop->most_bytes, most * MIB);
}

static void expect(const struct drop_cgroup *drop, const char *expected)
{
	const struct drop_style style = { .width = 5 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	drop_cgroup_text_put(out, drop, &style);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void dirty_pages_stay(void **state __attribute__((unused)))
{
	struct drop_cgroup drop = example();

	expect_bounds(&drop, 90, 90);
	expect(&drop, "/test  would release 90M of 100M (10M dirty)\n"
		      "       10M would stay: dirty or being written; sync(1) "
		      "writes it\n");
	cgroup_set(&drop.before, CGROUP_WRITEBACK, 100 * MIB);
	expect_bounds(&drop, 0, 0);
}

static void bounds(void **state __attribute__((unused)))
{
	struct drop_cgroup drop = example();

	cgroup_set(&drop.before, CGROUP_MAPPED, 20 * MIB);
	expect_bounds(&drop, 70, 90);
	drop.protected_bytes = 30 * MIB;
	expect_bounds(&drop, 40, 90);
	drop.size_bytes = 10 * MIB;
	expect_bounds(&drop, 10, 90);
	drop.size_bytes = 0;
	drop.spares_anonymous = false;
	expect_bounds(&drop, 40, 90);
	/* Then anything may be swapped out in place of page cache. */
	drop.has_swap = true;
	expect_bounds(&drop, 0, 90);
	expect(&drop,
	       "/test  would release 0 to 90M of 100M (10M dirty)\n"
	       "       10M would stay: dirty or being written; sync(1) writes "
	       "it\n"
	       "       20M may stay: mapped by processes\n"
	       "       30M may stay: protected by memory.min or memory.low "
	       "below it\n"
	       "       anonymous memory may be swapped out in its place: this "
	       "kernel cannot spare it (Linux 6.9)\n");
}

static void afterwards(void **state __attribute__((unused)))
{
	struct drop_cgroup drop = example();
	char *users[] = { (char *)"sh(1)", (char *)"a\nb(2)" };

	drop.result.done = true;
	drop.after = drop.before;
	drop.users = (struct string_list){ users, 2 };
	cgroup_set(&drop.after, CGROUP_INACTIVE_FILE, 2 * MIB);
	cgroup_set(&drop.after, CGROUP_DIRTY, 0);
	expect(&drop, "/test  before 100M (10M dirty)  after 42M  released "
		      "58M\n"
		      "       in use by sh(1), a\\x0ab(2)\n");
	drop.spares_anonymous = false;
	drop.has_swap = true;
	drop.users.count = 0;
	cgroup_set(&drop.before, CGROUP_SWAP, 1 * MIB);
	cgroup_set(&drop.after, CGROUP_SWAP, 4 * MIB);
	cgroup_set(&drop.after, CGROUP_INACTIVE_FILE, 61 * MIB);
	expect(&drop, "/test  before 100M (10M dirty)  after 101M  grew by 1M, "
		      "read or written meanwhile\n"
		      "       3M of anonymous memory was swapped out\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dirty_pages_stay),
		cmocka_unit_test(bounds),
		cmocka_unit_test(afterwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
