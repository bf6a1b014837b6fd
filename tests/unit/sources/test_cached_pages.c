// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of a device's pages, of all or of parts of it. */
#include <errno.h>

#include "kernel/cached_pages.h"
#include "test.h"

#define PAGE_STRUCT 64U
#define FIRST 0xffffea0000000000ULL
#define REGION_SHIFT 4U
#define REGION (1U << REGION_SHIFT)

static struct cached_pages with_room(size_t most)
{
	return (struct cached_pages){
		.most = most,
		.page_struct = PAGE_STRUCT,
		.region_shift = REGION_SHIFT,
	};
}

/* Adds @count pages in folios of @folio pages, one after the other. */
static int add(struct cached_pages *pages, uint64_t count, uint64_t folio)
{
	int ret = 0;

	for (uint64_t i = 0; !ret && i < count; i += folio)
		ret = cached_pages_add(pages, i, FIRST + i * PAGE_STRUCT,
				       folio);
	return ret;
}

static void assert_listed(const struct cached_pages *pages)
{
	for (size_t i = 0; i < pages->count; i++) {
		uint64_t index = cached_page_index(&pages->list[i]);

		assert_int_equal(pages->list[i].page,
				 FIRST + index * PAGE_STRUCT);
		if (i)
			assert_true(cached_page_index(&pages->list[i - 1]) <
				    index);
	}
}

static void test_all(void **state)
{
	struct cached_pages pages = with_room(1024);

	(void)state;
	assert_int_equal(add(&pages, 1024, 8), 0);
	assert_int_equal(pages.count, 1024);
	assert_int_equal(pages.left_out, 0);
	assert_listed(&pages);
	assert_int_equal(cached_page_index(&pages.list[13]), 13);
	assert_int_equal(cached_page_within(&pages.list[13]), 5);
	cached_pages_deinit(&pages);
}

/* Regions are listed as a whole or not at all, here and there in the device. */
static void test_too_many(void **state)
{
	const uint64_t count = 100000;

	(void)state;
	for (uint64_t folio = 1; folio <= REGION; folio *= 4) {
		struct cached_pages pages = with_room(1000);
		uint64_t last = 0;

		assert_int_equal(add(&pages, count, folio), 0);
		assert_true(pages.count <= 1000 && pages.count > 400);
		assert_int_equal(pages.count + pages.left_out, count);
		assert_listed(&pages);
		assert_int_equal(pages.count % REGION, 0);
		for (size_t i = 0; i < pages.count; i++) {
			uint64_t region = cached_page_index(&pages.list[i]) >>
					  REGION_SHIFT;

			assert_true(region == last || i % REGION == 0);
			/* On average 128 regions are left out of 129. */
			assert_true(region - last <= 512);
			last = region;
		}
		assert_true(cached_page_index(&pages.list[REGION - 1]) ==
			    REGION - 1);
		assert_true(count / REGION - last <= 512);
		cached_pages_deinit(&pages);
	}
}

static void test_first_region_too_large(void **state)
{
	struct cached_pages pages = with_room(REGION - 1);

	(void)state;
	assert_int_equal(add(&pages, REGION - 1, 1), 0);
	assert_int_equal(add(&pages, REGION, 1), -E2BIG);
	cached_pages_deinit(&pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_first_region_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
