// SPDX-License-Identifier: GPL-2.0-or-later
/* The swap cache of a kernel that does not count it: mappings of its own. */
#include "fake_kernel.h"
#include "kernel/swap_cache.h"
#include "test.h"

#define AREAS 3
#define SPACES 5 /* of each area */

struct swap {
	struct fake_kernel fake;
	uint64_t areas; /* nr_swapfiles */
	uint64_t counts; /* nr_swapper_spaces */
	uint64_t spaces; /* swapper_spaces */
	uint64_t arrays[AREAS];
	uint32_t size; /* of a mapping */
	uint32_t pages; /* where it has its count */
};

static uint64_t place_of(const struct swap *swap, size_t area, size_t space)
{
	return swap->arrays[area] + space * swap->size + swap->pages;
}

/* The first area was switched off; the others have 1, 2, 3... pages. */
static void swap_init(struct swap *swap, const char *seed)
{
	struct fake_kernel *fake = &swap->fake;

	fake_kernel_init(fake, seed);
	swap->size = fake_size(fake, "address_space");
	swap->pages = fake_member(fake, "address_space", "nrpages");
	swap->areas = fake_variable(fake, "nr_swapfiles", 4);
	swap->counts = fake_variable(fake, "nr_swapper_spaces", 32 * 4);
	swap->spaces = fake_variable(fake, "swapper_spaces", 32 * 8);
	fake_put_half(fake, swap->areas, AREAS);
	for (size_t i = 1; i < AREAS; i++) {
		swap->arrays[i] = fake_alloc(fake, SPACES * swap->size);
		fake_put_half(fake, swap->counts + i * 4, SPACES);
		fake_put_word(fake, swap->spaces + i * 8, swap->arrays[i]);
		for (size_t j = 0; j < SPACES; j++)
			fake_put_word(fake, place_of(swap, i, j),
				      (i - 1) * SPACES + j + 1);
	}
	fake_kernel_open(fake, false);
}

static void expect(struct swap *swap, bool known, uint64_t expected)
{
	uint64_t pages;

	assert_int_equal(swap_cache_pages(&swap->fake.kernel, &pages), known);
	if (known)
		assert_int_equal(pages, expected);
}

static void added_up(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(fake_kernels); i++) {
		struct swap swap;

		swap_init(&swap, fake_kernels[i]);
		expect(&swap, true, 55);
		fake_put_half(&swap.fake, swap.areas, 2);
		expect(&swap, true, 15);
		fake_put_half(&swap.fake, swap.areas, 0);
		expect(&swap, true, 0);
		fake_kernel_deinit(&swap.fake);
	}
}

static void damaged(void **state __attribute__((unused)))
{
	struct swap swap;

	swap_init(&swap, "btf/debian-5.10");
	const struct {
		uint64_t place;
		uint64_t value;
		bool is_half;
	} damages[] = {
		{ swap.areas, 33, true },
		{ swap.areas, UINT32_MAX, true },
		{ swap.counts + 4, (1U << 20) + 1, true },
		/* More mappings than there are: the array's end is nowhere. */
		{ swap.counts + 8, 1U << 20, true },
		{ swap.spaces + 8, FAKE_NOWHERE, false },
		{ swap.spaces + 16, 0, false },
		/* More pages than any machine has. */
		{ place_of(&swap, 1, 0), UINT64_MAX, false },
		{ place_of(&swap, 2, SPACES - 1), 1ULL << 40, false },
	};

	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		uint64_t right = fake_word(&swap.fake, damages[i].place);

		if (damages[i].is_half)
			fake_put_half(&swap.fake, damages[i].place,
				      (uint32_t)damages[i].value);
		else
			fake_put_word(&swap.fake, damages[i].place,
				      damages[i].value);
		expect(&swap, false, 0);
		fake_put_word(&swap.fake, damages[i].place, right);
		expect(&swap, true, 55);
	}
	fake_kernel_deinit(&swap.fake);
}

/* A dump without the page of a mapping. */
static void lost(void **state __attribute__((unused)))
{
	struct swap swap;

	swap_init(&swap, "btf/debian-5.10");
	swap.fake.missing[0] = place_of(&swap, 2, 0) / 4096 * 4096;
	expect(&swap, false, 0);
	fake_kernel_deinit(&swap.fake);
}

/* Newer kernels have no such variables. */
static void not_there(void **state __attribute__((unused)))
{
	struct fake_kernel fake;
	uint64_t pages;

	fake_kernel_init(&fake, "btf/debian-7.3");
	fake_kernel_open(&fake, false);
	assert_false(swap_cache_pages(&fake.kernel, &pages));
	fake_kernel_deinit(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(added_up),
		cmocka_unit_test(damaged),
		cmocka_unit_test(lost),
		cmocka_unit_test(not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
