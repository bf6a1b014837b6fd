// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes that are read only on demand. */
#include <errno.h>
#include <string.h>

#include "kernel/lazy_bytes.h"
#include "test.h"

#define SIZE 20000U

/* The bytes encode their offset. From @limit on nothing can be read. */
struct source {
	size_t reads;
	uint64_t limit;
};

static int read_source(void *from, uint64_t offset, void *buffer, size_t size)
{
	struct source *source = from;
	unsigned char *bytes = buffer;

	source->reads++;
	if (offset + size > source->limit)
		return -EIO;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)((offset + i) / 7);
	return 0;
}

static void expect_at(struct lazy_bytes *bytes, uint64_t offset, uint64_t size)
{
	const unsigned char *at = lazy_bytes_at(bytes, offset, size);

	assert_non_null(at);
	for (uint64_t i = 0; i < size; i++)
		assert_int_equal(at[i], (unsigned char)((offset + i) / 7));
}

static void pieces(void **state __attribute__((unused)))
{
	struct source source = { .limit = SIZE };
	struct lazy_bytes bytes;

	assert_int_equal(lazy_bytes_init(&bytes, read_source, &source, SIZE),
			 0);
	assert_int_equal(source.reads, 0);
	expect_at(&bytes, 4095, 2);
	assert_int_equal(source.reads, 2);
	assert_int_equal(bytes.ready, 8192);
	expect_at(&bytes, 0, 8192);
	expect_at(&bytes, 12288, 10);
	assert_int_equal(source.reads, 3);
	assert_int_equal(bytes.ready, 8192);
	expect_at(&bytes, 0, SIZE);
	assert_int_equal(source.reads, 5);
	assert_int_equal(bytes.ready, SIZE);
	lazy_bytes_deinit(&bytes);
}

static void past_the_end(void **state __attribute__((unused)))
{
	struct source source = { .limit = SIZE };
	struct lazy_bytes bytes;

	assert_int_equal(lazy_bytes_init(&bytes, read_source, &source, SIZE),
			 0);
	assert_null(lazy_bytes_at(&bytes, SIZE + 1, 0));
	assert_null(lazy_bytes_at(&bytes, SIZE, 1));
	assert_null(lazy_bytes_at(&bytes, 0, SIZE + 1));
	assert_null(lazy_bytes_at(&bytes, UINT64_MAX, 2));
	assert_null(lazy_bytes_at(&bytes, 2, UINT64_MAX));
	assert_int_equal(bytes.failed, 0);
	expect_at(&bytes, SIZE - 1, 1);
	assert_int_equal(source.reads, 1);
	lazy_bytes_deinit(&bytes);
}

static void failing(void **state __attribute__((unused)))
{
	struct source source = { .limit = 8192 };
	struct lazy_bytes bytes;

	assert_int_equal(lazy_bytes_init(&bytes, read_source, &source, SIZE),
			 0);
	expect_at(&bytes, 0, 100);
	assert_null(lazy_bytes_at(&bytes, 8000, 200));
	assert_int_equal(bytes.failed, -EIO);
	expect_at(&bytes, 0, 8192);
	source.limit = SIZE;
	assert_null(lazy_bytes_at(&bytes, 8000, 200));
	lazy_bytes_deinit(&bytes);
}

static void whole(void **state __attribute__((unused)))
{
	static const char data[] = "all of it";
	struct lazy_bytes bytes;

	lazy_bytes_init_whole(&bytes, data, sizeof(data));
	assert_ptr_equal(lazy_bytes_at(&bytes, 4, 2), data + 4);
	assert_null(lazy_bytes_at(&bytes, 4, sizeof(data)));
	lazy_bytes_deinit(&bytes);
	assert_null(bytes.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces),
		cmocka_unit_test(past_the_end),
		cmocka_unit_test(failing),
		cmocka_unit_test(whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
