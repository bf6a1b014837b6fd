// SPDX-License-Identifier: GPL-2.0-or-later
/* Until when a drop waits for what it writes. */
#include <errno.h>
#include <string.h>

#include "drop/drop_result.h"
#include "drop/write_out.h"
#include "lib/error.h"
#include "test.h"

/* What is counted, one after the other; the last one again and again. */
#define LEFT(dirty_, writeback_)                                               \
	{                                                                      \
		.has_dirty = true, .dirty = (dirty_),                          \
		.writeback = (writeback_)                                      \
	}

struct script {
	const struct drop_pages *counts;
	size_t count;
	size_t counted;
	size_t started;
	int start_error;
	bool repeats; /* from the first one on */
};

static int start(void *data, struct error *err __attribute__((unused)))
{
	struct script *script = data;

	script->started++;
	return -script->start_error;
}

static int count(void *data, struct drop_pages *left,
		 struct error *err __attribute__((unused)))
{
	struct script *script = data;
	size_t at = script->counted++;

	if (script->repeats)
		at %= script->count;
	*left = script->counts[at < script->count ? at : script->count - 1];
	return 0;
}

static int run(struct script *script, const struct drop_pages *counts,
	       size_t length, struct error *err)
{
	const struct write_out how = {
		.start = start,
		.count = count,
		.data = script,
		.object = "file",
	};

	script->counts = counts;
	script->count = length;
	return write_out(&how, err);
}

static void waits_until_it_is_written(void **state __attribute__((unused)))
{
	static const struct drop_pages counts[] = { LEFT(10, 10), LEFT(0, 10),
						    LEFT(0, 3), LEFT(0, 0) };
	struct script script = { 0 };
	struct error err = { 0 };

	assert_int_equal(run(&script, counts, COUNT_OF(counts), &err), 0);
	assert_int_equal(script.started, 1);
	assert_int_equal(script.counted, 4);
}

static void what_is_dirty_again_stays(void **state __attribute__((unused)))
{
	static const struct drop_pages counts[] = { LEFT(5, 5), LEFT(5, 0) };
	struct script script = { 0 };
	struct error err = { 0 };

	assert_int_equal(run(&script, counts, COUNT_OF(counts), &err), 0);
	assert_int_equal(script.started, 2);
	assert_int_equal(script.counted, 3);
}

/* It dirties as fast as the disk writes: the sum goes up and down. */
static void beside_a_fast_writer(void **state __attribute__((unused)))
{
	static const struct drop_pages counts[] = { LEFT(5, 5), LEFT(9, 5),
						    LEFT(5, 6) };
	struct script script = { .repeats = true };
	struct error err = { 0 };

	assert_int_equal(run(&script, counts, COUNT_OF(counts), &err), 0);
	assert_int_equal(script.started, 2);
}

static void a_disk_that_writes_nothing(void **state __attribute__((unused)))
{
	static const struct drop_pages counts[] = { LEFT(0, 5) };
	struct script script = { 0 };
	struct error err = { 0 };

	assert_int_equal(run(&script, counts, 1, &err), -EBUSY);
	assert_int_equal(script.started, 1);
	assert_non_null(strstr(err.reason, "nothing is released"));
}

static void what_cannot_be_counted(void **state __attribute__((unused)))
{
	static const struct drop_pages counts[] = { { 0 } };
	struct script script = { 0 };
	struct error err = { 0 };

	assert_int_equal(run(&script, counts, 1, &err), 0);
	assert_int_equal(script.counted, 1);
	script.start_error = EIO;
	assert_int_equal(run(&script, counts, 1, &err), -EIO);
	assert_int_equal(script.counted, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_until_it_is_written),
		cmocka_unit_test(what_is_dirty_again_stays),
		cmocka_unit_test(beside_a_fast_writer),
		cmocka_unit_test(a_disk_that_writes_nothing),
		cmocka_unit_test(what_cannot_be_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
