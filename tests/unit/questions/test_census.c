// SPDX-License-Identifier: GPL-2.0-or-later
/* What frames without a flag are, by struct pages, sound and damaged. */
#include <elf.h>
#include <errno.h>
#include <linux/kernel-page-flags.h>
#include <string.h>

#include "fake_kernel.h"
#include "kernel/vmemmap.h"
#include "memory/census.h"
#include "memory/census_pages.h"
#include "memory/memory_reading.h"
#include "memory/memory_rows.h"
#include "test.h"

#define PAGE 4096U
/* More than one block of 64 KiB. */
#define FRAMES 3000U
#define FIRST 5000U
/* Of x86-64 from Linux 5.10 on; the seeds have no enums. */
#define LRU (1ULL << 5)
#define RESERVED (1ULL << 12)
#define ZSMALLOC 0xf6U
#define NETPP 0xf8U
#define MAGIC 0xdead000000000040ULL
#define POISON 0xdead000000000100ULL

struct host {
	struct fake_kernel fake;
	uint64_t base; /* the struct page of frame 0 */
	uint64_t base_variable;
	struct census_layout layout;
	struct census_pages pages;
	uint64_t flags[FRAMES]; /* of /proc/kpageflags */
	bool unflagged[FRAMES];
};

static uint64_t place_of(const struct host *host, size_t frame,
			 enum census_member member)
{
	assert_true(host->layout.has[member]);
	return host->base + (FIRST + frame) * host->layout.size +
	       host->layout.offset[member];
}

/* All frames are in use by somebody, and on the LRU lists. */
static void host_init(struct host *host, const char *seed)
{
	struct fake_kernel *fake = &host->fake;

	memset(host, 0, sizeof(*host));
	fake_kernel_init(fake, seed);
	host->base_variable = fake_variable(fake, "vmemmap_base", 8);
	host->base = fake_alloc(fake, FRAMES * fake_size(fake, "page")) -
		     (uint64_t)FIRST * fake_size(fake, "page");
	fake_put_word(fake, host->base_variable, host->base);
	fake_kernel_open(fake, true);
	census_layout_init(&host->layout, &fake->kernel.btf);
	host->layout.lru = LRU;
	host->layout.reserved = RESERVED;
	for (size_t i = 0; i < FRAMES; i++) {
		host->flags[i] = 1ULL << KPF_LRU;
		fake_put_word(fake, place_of(host, i, CENSUS_PAGE_FLAGS), LRU);
		fake_put_half(fake, place_of(host, i, CENSUS_PAGE_REFERENCES),
			      1);
	}
}

/* @frame has no flag, but perhaps @flags, a head or a tail. */
static void add_frame(struct host *host, size_t frame, uint64_t flags)
{
	host->flags[frame] = flags;
	host->unflagged[frame] = true;
	fake_put_word(&host->fake, place_of(host, frame, CENSUS_PAGE_FLAGS), 0);
}

static void set_references(struct host *host, size_t frame, uint32_t count)
{
	fake_put_half(&host->fake,
		      place_of(host, frame, CENSUS_PAGE_REFERENCES), count);
}

static void set_list(struct host *host, size_t frame, uint64_t next,
		     uint64_t before)
{
	uint64_t place = place_of(host, frame, CENSUS_PAGE_LIST);

	fake_put_word(&host->fake, place, next);
	fake_put_word(&host->fake, place + 8, before);
}

static int take(struct host *host)
{
	struct census_look look;
	int ret = census_look_begin(&look, &host->fake.kernel, &host->layout,
				    &host->pages);

	if (!ret)
		census_look_at(&look, FIRST, host->flags, host->unflagged,
			       FRAMES);
	census_look_end(&look);
	return ret;
}

static void expect(const struct host *host, enum census_type type,
		   int64_t pages)
{
	assert_true(host->pages.is_known);
	assert_true(host->pages.looked_for[type]);
	assert_int_equal(host->pages.pages[type], pages);
}

/* In use, on a list, on none, and a compound page of order 1. */
static void add_usual(struct host *host)
{
	uint64_t head = fake_alloc(&host->fake, 16);

	add_frame(host, 0, 0);
	add_frame(host, 10, 0);
	set_references(host, 10, 0);
	set_list(host, 10, FAKE_HEAP, place_of(host, 15, CENSUS_PAGE_LIST));
	/* Alone on its list. */
	add_frame(host, 11, 0);
	set_references(host, 11, 0);
	set_list(host, 11, head, head);
	fake_put_word(&host->fake, head, place_of(host, 11, CENSUS_PAGE_LIST));
	/* What is left of a page of slab. */
	add_frame(host, 12, 0);
	set_references(host, 12, 0);
	set_list(host, 12, FAKE_HEAP, place_of(host, 31, CENSUS_PAGE_LIST) + 8);
	/* As the kernel makes it. */
	add_frame(host, 13, 0);
	set_references(host, 13, 0);
	set_list(host, 13, place_of(host, 13, CENSUS_PAGE_LIST),
		 place_of(host, 13, CENSUS_PAGE_LIST));
	/* A list that it was on: the neighbour leads elsewhere. */
	add_frame(host, 14, 0);
	set_references(host, 14, 0);
	set_list(host, 14, place_of(host, 8, CENSUS_PAGE_LIST),
		 place_of(host, 8, CENSUS_PAGE_LIST));
	add_frame(host, 15, 0);
	set_references(host, 15, 0);
	set_list(host, 15, place_of(host, 10, CENSUS_PAGE_LIST),
		 place_of(host, FRAMES, CENSUS_PAGE_LIST));
	/* Neighbours that are not read with them: only one leads back. */
	add_frame(host, 16, 0);
	set_references(host, 16, 0);
	set_list(host, 16, place_of(host, 1500, CENSUS_PAGE_LIST), FAKE_HEAP);
	set_list(host, 1500, FAKE_HEAP, place_of(host, 16, CENSUS_PAGE_LIST));
	add_frame(host, 17, 0);
	set_references(host, 17, 0);
	set_list(host, 17, place_of(host, 1501, CENSUS_PAGE_LIST), FAKE_HEAP);
	add_frame(host, 2000, 0);
	set_references(host, 2000, 0);
	set_list(host, 2000, POISON, POISON + 0x22);
	add_frame(host, FRAMES - 2, 1ULL << KPF_COMPOUND_HEAD);
	add_frame(host, FRAMES - 1, 1ULL << KPF_COMPOUND_TAIL);
	set_references(host, FRAMES - 1, 0);
}

static void by_references(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(fake_kernels); i++) {
		struct host host;

		host_init(&host, fake_kernels[i]);
		add_usual(&host);
		host.fake.reads = 0;
		assert_int_equal(take(&host), 0);
		/* The variable, two blocks, and three neighbours. */
		assert_int_equal(host.fake.reads, 6);
		expect(&host, CENSUS_IN_USE, 3);
		expect(&host, CENSUS_LISTED, 4);
		expect(&host, CENSUS_UNREFERENCED, 5);
		expect(&host, CENSUS_UNREAD, 0);
		/* 5.10 has no pools with a magic. */
		assert_int_equal(host.pages.looked_for[CENSUS_PAGE_POOL],
				 host.layout.has[CENSUS_PAGE_MAGIC]);
		fake_kernel_deinit(&host.fake);
	}
}

/* What the kernel may move; where it has a type, only that counts. */
static void zsmalloc(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host, "btf/debian-6.1");
	add_frame(&host, 7, 0);
	fake_put_word(&host.fake, place_of(&host, 7, CENSUS_PAGE_MAPPING),
		      FAKE_HEAP + 2);
	add_frame(&host, 8, 0);
	fake_put_word(&host.fake, place_of(&host, 8, CENSUS_PAGE_MAPPING),
		      FAKE_HEAP + 3);
	add_frame(&host, 9, 0);
	fake_put_half(&host.fake, place_of(&host, 9, CENSUS_PAGE_TYPE),
		      ZSMALLOC << 24 | 1);
	add_frame(&host, 12, 0);
	assert_int_equal(take(&host), 0);
	expect(&host, CENSUS_ZSMALLOC, 1);
	expect(&host, CENSUS_IN_USE, 3);
	host.layout.zsmalloc = ZSMALLOC;
	assert_int_equal(take(&host), 0);
	expect(&host, CENSUS_ZSMALLOC, 1);
	expect(&host, CENSUS_IN_USE, 3);
	fake_put_half(&host.fake, place_of(&host, 12, CENSUS_PAGE_TYPE),
		      ZSMALLOC << 24);
	assert_int_equal(take(&host), 0);
	expect(&host, CENSUS_ZSMALLOC, 2);
	fake_kernel_deinit(&host.fake);
}

/* The magic may have flags and an index; a list's poison is none. */
static void page_pools(void **state __attribute__((unused)))
{
	static const uint64_t magics[] = {
		MAGIC,	MAGIC | 1,     MAGIC | 0x7fffffff80ULL,
		POISON, POISON + 0x22, 0xdead000000000000ULL,
	};
	struct host host;

	host_init(&host, "btf/debian-6.12");
	for (size_t i = 0; i < COUNT_OF(magics); i++) {
		add_frame(&host, 5 + 2 * i, 0);
		fake_put_word(&host.fake,
			      place_of(&host, 5 + 2 * i, CENSUS_PAGE_MAGIC),
			      magics[i]);
	}
	/* Later pages of one with a magic, in another block of frames. */
	add_frame(&host, 20, 1ULL << KPF_COMPOUND_HEAD);
	fake_put_word(&host.fake, place_of(&host, 20, CENSUS_PAGE_MAGIC),
		      MAGIC);
	add_frame(&host, 21, 1ULL << KPF_COMPOUND_TAIL);
	assert_int_equal(take(&host), 0);
	expect(&host, CENSUS_PAGE_POOL, 5);
	expect(&host, CENSUS_IN_USE, 3);
	host.fake.kernel.machine = EM_PPC64;
	assert_int_equal(take(&host), 0);
	assert_false(host.pages.looked_for[CENSUS_PAGE_POOL]);
	assert_int_equal(host.pages.pages[CENSUS_IN_USE], 8);
	/* A type is the same everywhere. */
	host.layout.page_pool = NETPP;
	fake_put_half(&host.fake, place_of(&host, 5, CENSUS_PAGE_TYPE),
		      NETPP << 24);
	assert_int_equal(take(&host), 0);
	expect(&host, CENSUS_PAGE_POOL, 1);
	fake_kernel_deinit(&host.fake);
}

/* What cannot be read is said to be that, and not to be in use. */
static void unread(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host, "btf/debian-6.12");
	add_usual(&host);
	add_frame(&host, 1, 0);
	add_frame(&host, 50, 0);
	host.fake.missing[0] =
		place_of(&host, 2000, CENSUS_PAGE_FLAGS) / PAGE * PAGE;
	assert_int_equal(take(&host), 0);
	expect(&host, CENSUS_UNREAD, 3);
	expect(&host, CENSUS_UNREFERENCED, 4);
	expect(&host, CENSUS_IN_USE, 3);
	fake_kernel_deinit(&host.fake);
}

/* These are no struct pages, or nothing shows that they are. */
static void contradicted(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host, "btf/debian-6.12");
	add_usual(&host);
	/* Of 2,012 frames with a flag that are read, a tenth may have moved. */
	for (size_t i = 0; i < 201; i++)
		fake_put_word(&host.fake,
			      place_of(&host, 2001 + i, CENSUS_PAGE_FLAGS), 0);
	assert_int_equal(take(&host), 0);
	assert_true(host.pages.is_known);
	fake_put_word(&host.fake, place_of(&host, 1, CENSUS_PAGE_FLAGS), 0);
	assert_int_equal(take(&host), 0);
	assert_false(host.pages.is_known);
	assert_true(*host.pages.why);
	/* None has a flag. */
	memset(host.unflagged, 0, sizeof(host.unflagged));
	host.unflagged[0] = true;
	for (size_t i = 0; i < FRAMES; i++) {
		host.flags[i] = 0;
		fake_put_word(&host.fake, place_of(&host, i, CENSUS_PAGE_FLAGS),
			      0);
	}
	assert_int_equal(take(&host), 0);
	assert_false(host.pages.is_known);
	fake_kernel_deinit(&host.fake);
}

static void expect_obstacle(struct host *host)
{
	assert_int_equal(take(host), -EOPNOTSUPP);
	assert_false(host->pages.is_known);
	assert_true(*host->pages.why);
}

static void not_described(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host, "btf/debian-6.12");
	add_usual(&host);
	host.layout.lru = 0;
	expect_obstacle(&host);
	host.layout.lru = LRU;
	fake_put_word(&host.fake, host.base_variable, 0);
	expect_obstacle(&host);
	host.layout.has[CENSUS_PAGE_REFERENCES] = false;
	fake_put_word(&host.fake, host.base_variable, host.base);
	assert_int_equal(take(&host), 0);
	assert_false(host.pages.looked_for[CENSUS_LISTED]);
	assert_false(host.pages.looked_for[CENSUS_UNREFERENCED]);
	expect(&host, CENSUS_IN_USE, 12);
	fake_kernel_deinit(&host.fake);
}

#define VMEMMAP 0xffffea0000000000ULL
#define STRUCT 64U

/* Without the variable, the segments of /proc/kcore say where they are. */
static void by_segments(void **state __attribute__((unused)))
{
	struct elf_segment segments[] = {
		{ 0xffffc90000000000ULL, UINT64_MAX, 0, 1ULL << 45 },
		{ FAKE_HEAP, 0x100000, 0, 0x100 * PAGE },
		{ FAKE_HEAP, 0x40000000, 0, 0x100 * PAGE },
		{ FAKE_HEAP, 0x80000000, 0, 0x333 * PAGE },
		{ VMEMMAP + 0x100 * STRUCT, UINT64_MAX, 0, 0x100 * STRUCT },
		{ VMEMMAP + 0x40000 * STRUCT, UINT64_MAX, 0, 0x100 * STRUCT },
		/* To the end of a page. */
		{ VMEMMAP + 0x80000 * STRUCT, UINT64_MAX, 0, 0xd000 },
	};
	struct kernel kernel = {
		.is_live = true,
		.page_size = PAGE,
		.kcore.core = { .segments = segments,
				.count = COUNT_OF(segments) },
	};
	uint64_t base = 0;

	assert_true(vmemmap_find(&kernel, STRUCT, &base));
	assert_int_equal(base, VMEMMAP);
	/* Of two ranges of one size nobody knows whose structs these are. */
	segments[6].size = 0;
	segments[5].size = 0;
	assert_false(vmemmap_find(&kernel, STRUCT, &base));
	kernel.kcore.core.count = 2;
	assert_false(vmemmap_find(&kernel, STRUCT, &base));
}

/* The row, or NULL if there is none of that key. */
static const struct memory_row *find_row(const struct memory_rows *rows,
					 const char *key)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (!strcmp(rows->rows[i].key, key))
			return &rows->rows[i];
	}
	return NULL;
}

static void expect_row(const struct memory_rows *rows, const char *key,
		       int64_t pages)
{
	const struct memory_row *row = find_row(rows, key);

	if (!row)
		fail_msg("no %s", key);
	assert_true(row->pages.known);
	assert_int_equal(row->pages.number, pages);
}

/* The row says why it has no figure. */
static void expect_unknown(const struct memory_rows *rows, const char *key)
{
	const struct memory_row *row = find_row(rows, key);

	if (!row)
		fail_msg("no %s", key);
	assert_false(row->pages.known);
	assert_false(row->bytes.known);
	assert_true(*row->note);
}

/* 1,000 frames without a flag. */
static const struct memory_census census = {
	.pages = { [CENSUS_OTHER] = 1000,
		   [CENSUS_SLAB] = 480,
		   [CENSUS_OFFLINE] = 7 },
	.orders = { 900, 100 },
	.other = { .why = "no such file" },
	.why_not_mapped = "no such file",
	.complete = true,
};

static void make_rows(struct memory_rows *rows,
		      const struct memory_census *taken)
{
	static const struct memory_reading reading = { .page_size = PAGE };
	static const struct memory_heads heads = {
		.heads = { [MEMORY_HEAD_VMALLOC] = { true, 300 },
			   [MEMORY_HEAD_FREE_PER_CPU] = { true, 50 },
			   [MEMORY_HEAD_COMPRESSED] = { true, 60 },
			   [MEMORY_HEAD_SLAB_UNRECLAIMABLE] = { true, 400 },
			   [MEMORY_HEAD_SLAB_RECLAIMABLE] = { true, 100 } },
		.wrong = MEMORY_HEADS,
		.has_rest = true,
		.rest = 500,
		.total = 1487,
	};
	const struct memory_rows_of of = { .reading = &reading,
					   .heads = &heads,
					   .census = taken };

	*rows = (struct memory_rows){ 0 };
	assert_int_equal(census_rows(rows, &of), 0);
}

/* What is not known has no figure, and then the counts bound the rest. */
static void counts_bound(void **state __attribute__((unused)))
{
	struct memory_census cut_short = census;
	struct memory_rows rows;

	make_rows(&rows, &census);
	expect_row(&rows, "order_0", 900);
	expect_row(&rows, "order_1", 100);
	assert_null(find_row(&rows, "order_2"));
	expect_unknown(&rows, "mapped");
	expect_unknown(&rows, "by_type");
	assert_null(find_row(&rows, "zsmalloc"));
	expect_row(&rows, "counted_vmalloc", 300);
	expect_row(&rows, "counted_slab", 20);
	assert_null(find_row(&rows, "counted_gpu"));
	expect_row(&rows, "counted_unaccounted", 500);
	expect_row(&rows, "left", 1000 + 7 - 300 - 60 - 20);
	expect_row(&rows, "difference", 0);
	memory_rows_deinit(&rows);
	cut_short.complete = false;
	make_rows(&rows, &cut_short);
	expect_unknown(&rows, "left");
	memory_rows_deinit(&rows);
}

/* What was seen bounds it, not what the kernel counts. */
static void types_bound(void **state __attribute__((unused)))
{
	struct memory_census seen = census;
	struct memory_rows rows;

	seen.has_mapped = true;
	seen.mapped = 5;
	seen.other = (struct census_pages){
		.is_known = true,
		.looked_for = { [CENSUS_ZSMALLOC] = true,
				[CENSUS_LISTED] = true,
				[CENSUS_UNREAD] = true,
				[CENSUS_IN_USE] = true },
		.pages = { [CENSUS_ZSMALLOC] = 70,
			   [CENSUS_LISTED] = 45,
			   [CENSUS_IN_USE] = 885 },
		.why_no_pipes = "no pipes here",
	};
	make_rows(&rows, &seen);
	expect_row(&rows, "mapped", 5);
	expect_row(&rows, "zsmalloc", 70);
	expect_row(&rows, "in_use", 885);
	expect_unknown(&rows, "page_pool");
	expect_row(&rows, "listed", 45);
	expect_unknown(&rows, "unreferenced");
	assert_null(find_row(&rows, "unread"));
	assert_null(find_row(&rows, "by_type"));
	expect_row(&rows, "left", 1000 + 7 - 300 - 45 - 70 - 20);
	memory_rows_deinit(&rows);
}

/* Those that no process has open are some of the others, if that is known. */
static void pipes_as_rows(void **state __attribute__((unused)))
{
	struct memory_census seen = census;
	struct memory_rows rows;

	seen.other = (struct census_pages){
		.is_known = true,
		.pages = { [CENSUS_PIPES] = 30, [CENSUS_IN_USE] = 970 },
		.not_open = 20,
		.why_no_pipes = "no such member",
	};
	make_rows(&rows, &seen);
	expect_unknown(&rows, "pipes");
	assert_string_equal(find_row(&rows, "pipes")->note, "no such member");
	assert_null(find_row(&rows, "pipes_not_open"));
	memory_rows_deinit(&rows);
	seen.other.looked_for[CENSUS_PIPES] = true;
	make_rows(&rows, &seen);
	expect_row(&rows, "pipes", 30);
	expect_row(&rows, "pipes_not_open", 20);
	assert_string_equal(find_row(&rows, "pipes")->note, "");
	memory_rows_deinit(&rows);
	seen.other.unread_pipes = 3;
	strcpy(seen.other.why_not_open, "not in time");
	make_rows(&rows, &seen);
	expect_row(&rows, "pipes", 30);
	assert_non_null(strstr(find_row(&rows, "pipes")->note, " 3 "));
	expect_unknown(&rows, "pipes_not_open");
	memory_rows_deinit(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_references),
		cmocka_unit_test(zsmalloc),
		cmocka_unit_test(page_pools),
		cmocka_unit_test(unread),
		cmocka_unit_test(contradicted),
		cmocka_unit_test(not_described),
		cmocka_unit_test(by_segments),
		cmocka_unit_test(counts_bound),
		cmocka_unit_test(types_bound),
		cmocka_unit_test(pipes_as_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
