// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * As many inodes as a large host has, also in a dump that lacks some, and the
 * kernel's own counts that their sum is compared with.
 */
#include <errno.h>
#include <stdlib.h>

#include "fake_fs.h"
#include "kernel/inodes.h"
#include "kernel/kernel.h"
#include "kernel/vm_counters.h"
#include "lib/error.h"
#include "test.h"

#define BASE 0xffff888000100000ULL
#define SUPERBLOCK BASE
#define HEAD (SUPERBLOCK + 48)
#define FIRST (BASE + 4096)
#define SPACING 128
#define COUNT 300000
#define PAGES 1000003 /* of all inodes */

static unsigned char data[4096 + COUNT * SPACING];
static struct memory memory = { BASE, data, sizeof(data) };

/* The pages that a dump lacks. */
static uint64_t missing[2];

static uint64_t inode_at(size_t i)
{
	return FIRST + i * SPACING;
}

/* Most inodes have no pages, as on a host with many files. */
static uint64_t pages_of(size_t i)
{
	if (i == 7)
		return PAGES - (COUNT - 1) / 10 * 3;
	return i && i % 10 == 0 ? 3 : 0;
}

static int make_kernel(void **state __attribute__((unused)))
{
	uint64_t last = HEAD;

	memset(data, 0, sizeof(data));
	missing[0] = missing[1] = 0;
	for (size_t i = 0; i < COUNT; i++) {
		fake_put_inode(&memory, inode_at(i), SUPERBLOCK, i,
			       pages_of(i));
		fake_link(&memory, inode_at(i), last,
			  i + 1 < COUNT ? inode_at(i + 1) : HEAD);
		last = inode_at(i);
	}
	fake_link(&memory, HEAD, last, inode_at(0));
	return 0;
}

static int read_dump(void *from, uint64_t address, void *buffer, size_t size)
{
	for (size_t i = 0; i < COUNT_OF(missing); i++) {
		if (address < missing[i] + 4096 && address + size > missing[i])
			return -ENODATA;
	}
	return memory_read(from, address, buffer, size);
}

struct sums {
	uint64_t inodes;
	uint64_t pages;
};

static int visit(void *to, const struct inode *inode,
		 struct error *err __attribute__((unused)))
{
	struct sums *sums = to;

	sums->inodes++;
	sums->pages += inode->pages;
	return 0;
}

static int walk(struct sums *sums, size_t *lost)
{
	const struct kmem kmem = { read_dump, &memory };
	struct error err;

	*sums = (struct sums){ 0 };
	return inodes_walk(&kmem, &fake_layout, SUPERBLOCK, visit, sums, lost,
			   &err);
}

static void many(void **state __attribute__((unused)))
{
	struct sums sums;
	size_t lost;

	assert_int_equal(walk(&sums, &lost), 0);
	assert_int_equal(lost, 0);
	assert_int_equal(sums.inodes, COUNT);
	assert_int_equal(sums.pages, PAGES);
}

/* Everything before and after what a dump lacks is found. */
static void lost_pages(void **state __attribute__((unused)))
{
	const size_t in_page = 4096 / SPACING;
	struct sums sums;
	size_t lost;

	missing[0] = inode_at(10 * in_page);
	assert_int_equal(walk(&sums, &lost), 0);
	assert_int_equal(lost, 2);
	assert_int_equal(sums.inodes, COUNT - in_page);
	/* What is between two of them is out of reach. */
	missing[1] = inode_at(20 * in_page);
	assert_int_equal(walk(&sums, &lost), 0);
	assert_int_equal(lost, 2);
	assert_int_equal(sums.inodes, COUNT - 11 * in_page);
	/* A page with one inode of this list. */
	missing[1] = 0;
	fake_link(&memory, inode_at(10 * in_page), inode_at(10 * in_page - 1),
		  inode_at(11 * in_page));
	memory_put_word(&memory, inode_at(11 * in_page) + 8,
			inode_at(10 * in_page));
	assert_int_equal(walk(&sums, &lost), 0);
	assert_int_equal(lost, 1);
	assert_int_equal(sums.inodes, COUNT - in_page);
	/* The head itself. */
	missing[0] = BASE;
	assert_int_equal(walk(&sums, &lost), -ENODATA);
}

/* A list that ends in one direction but not in the other is damaged. */
static void one_direction(void **state __attribute__((unused)))
{
	struct sums sums;
	size_t lost;

	missing[0] = inode_at(320);
	memory_put_word(&memory, inode_at(1000) + 8, inode_at(1000));
	assert_int_equal(walk(&sums, &lost), -EAGAIN);
}

#define CPUS 16
#define NODES 2
#define STATS_NODE(i) (BASE + 0x200 + (i)*0x80ULL)
#define PER_CPU 0x400ULL
#define OFFSETS (BASE + 0x300)
#define FILE_PAGES 5
#define SWAP_CACHE 9
#define ITEMS 10

static void put_signed(uint64_t address, int8_t value)
{
	memory_put(&memory, address, &value, sizeof(value));
}

/*
 * Each processor has up to 125 pages that it has not added to Cached yet. With
 * them, Cached is exact; without them, it looks as if it had moved.
 */
static void deltas(void **state __attribute__((unused)))
{
	static const char vmcoreinfo[] = "SYMBOL(node_data)=ffff888000100600\n"
					 "LENGTH(node_data)=4\n";
	const struct kmem kmem = memory_kmem(&memory);
	struct kernel kernel = { .kmem = &kmem, .vmcoreinfo = vmcoreinfo };
	struct vm_counter counters[] = {
		{ .kind = VM_NODE,
		  .known = true,
		  .offset = FILE_PAGES * 8,
		  .item = FILE_PAGES },
		{ .kind = VM_NODE,
		  .known = true,
		  .offset = SWAP_CACHE * 8,
		  .item = SWAP_CACHE },
	};
	struct vm_counters places = {
		.kernel = &kernel,
		.counters = counters,
		.count = 2,
		.differences = { { .pointer = 0x78,
				   .array = 2,
				   .items = ITEMS } },
		.cpus = CPUS,
		.offsets = OFFSETS,
	};
	const uint64_t buffers = 4321, swap_cache = 77;
	int64_t lag = 0, exact;
	struct error err;

	for (int cpu = 0; cpu < CPUS; cpu++) {
		uint64_t own = BASE + PER_CPU + (uint64_t)cpu * 32;
		int8_t difference = (int8_t)(cpu == 3 ? -125 : 125 - cpu);

		memory_put_word(&memory, OFFSETS + (uint64_t)cpu * 8,
				(uint64_t)cpu * 32);
		put_signed(own + 2 + FILE_PAGES, difference);
		put_signed(own + 2 + SWAP_CACHE, (int8_t)-cpu);
		lag += difference + cpu;
	}
	/* The second node has no figures of its own; others are NULL. */
	memory_put_word(&memory, BASE + 0x600, STATS_NODE(0));
	memory_put_word(&memory, BASE + 0x618, STATS_NODE(1));
	memory_put_word(&memory, STATS_NODE(0) + 0x78, BASE + PER_CPU);
	memory_put_word(&memory, STATS_NODE(1) + 0x78, BASE + 0x700);
	memory_put_word(&memory, STATS_NODE(0) + FILE_PAGES * 8,
			PAGES + buffers + swap_cache - (uint64_t)lag - 1000);
	memory_put_word(&memory, STATS_NODE(1) + FILE_PAGES * 8, 1000);
	memory_put_word(&memory, STATS_NODE(0) + SWAP_CACHE * 8, swap_cache);

	assert_true(vm_counters_find_nodes(&places, &kernel));
	assert_int_equal(vm_counters_read(&places, &err), 0);
	exact = counters[0].count - counters[1].count - (int64_t)buffers;
	assert_int_equal(exact, PAGES);
}

/* Free pages on the processors' lists, of each zone that has memory. */
static void lists(void **state __attribute__((unused)))
{
	static const char vmcoreinfo[] = "SYMBOL(node_data)=ffff888000100600\n"
					 "LENGTH(node_data)=4\n";
	const struct kmem kmem = memory_kmem(&memory);
	struct kernel kernel = { .kmem = &kmem, .vmcoreinfo = vmcoreinfo };
	struct vm_counter counter = { .kind = VM_LISTS,
				      .known = true,
				      .offset = 4 };
	struct vm_counters places = {
		.kernel = &kernel,
		.counters = &counter,
		.count = 1,
		.zones = 0x40,
		.zone_count = 2,
		.zone_size = 0x20,
		.present = 0x8,
		.lists = 0x10,
		.cpus = CPUS,
		.offsets = OFFSETS,
	};
	struct error err;
	int64_t sum = 0;

	for (int cpu = 0; cpu < CPUS; cpu++) {
		memory_put_word(&memory, OFFSETS + (uint64_t)cpu * 8,
				(uint64_t)cpu * 32);
		memory_put_half(&memory,
				BASE + PER_CPU + (uint64_t)cpu * 32 + 4,
				(uint32_t)cpu * 1000);
		sum += cpu * 1000;
	}
	memory_put_word(&memory, BASE + 0x600, STATS_NODE(0));
	memory_put_word(&memory, STATS_NODE(0) + 0x48, 1);
	memory_put_word(&memory, STATS_NODE(0) + 0x50, BASE + PER_CPU);
	/* The second zone has no memory, and its pointer leads nowhere. */
	memory_put_word(&memory, STATS_NODE(0) + 0x68, 0);
	memory_put_word(&memory, STATS_NODE(0) + 0x70, 0);
	assert_true(vm_counters_find_nodes(&places, &kernel));
	assert_int_equal(vm_counters_read(&places, &err), 0);
	assert_int_equal(counter.count, sum);
	memory_put_word(&memory, STATS_NODE(0) + 0x68, 1);
	assert_int_equal(vm_counters_read(&places, &err), -EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(many, make_kernel),
		cmocka_unit_test_setup(lost_pages, make_kernel),
		cmocka_unit_test_setup(one_direction, make_kernel),
		cmocka_unit_test_setup(deltas, make_kernel),
		cmocka_unit_test_setup(lists, make_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
