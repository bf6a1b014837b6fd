// SPDX-License-Identifier: GPL-2.0-or-later
/* Dirty pages in valid and invalid page trees. */
#include <stdio.h>
#include <stdlib.h>

#include "kernel/bdev_layout.h"
#include "kernel/bdev_walk.h"
#include "kernel/btf.h"
#include "kernel/page_tags.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "memory.h"
#include "seeds.h"
#include "test.h"

#define BASE 0xffff888000100000ULL
#define SIZE (8U << 20)
#define INODE (BASE + 0x100)
#define MAPPING (BASE + 0x200)
#define OTHER_INODE (BASE + 0x800)
#define OTHER_MAPPING (BASE + 0x900)
#define BDEV (BASE + 0x380)
#define DIRECTORY (BASE + 0x400)
#define ROOT (BASE + 0x500)
#define TOP (BASE + 0x600)
#define DISK (BASE + 0x700)
#define NODES (BASE + 0x1000)
#define PAGE 0xffffea0000123440ULL /* never read */

#define FIRST_MARK 25
#define FLAGS 33U
#define DIRTY 0
#define WRITEBACK 1
#define TO_WRITE 2

/* The layout of Debian's 6.1; see test_btf.c. */
static const struct bdev_layout layout = {
	1560,
	632,
	{ 1416, 40, 0,	 280, 48,	   40, 76, 128, 0, 928, 0,
	  36,	40, 856, 848, BDEV_ABSENT, 12, 8,  4,	8, 160 },
};

static const struct page_tags_layout tags = {
	.offset = { 0, 1, 2, 8, 16, 40, 552, 120, BDEV_ABSENT, 80, 0, 20 },
};

static unsigned char data[SIZE];
static struct memory memory = { BASE, data, SIZE };
static uint64_t next_node;
static unsigned int reads;

/* A word is changed after this many reads; 0: never. */
static struct {
	unsigned int after;
	uint64_t address;
	uint64_t word;
} change;

static int count_reads(void *from, uint64_t address, void *buffer, size_t size)
{
	int ret = memory_read(from, address, buffer, size);

	if (++reads == change.after)
		memory_put_word(&memory, change.address, change.word);
	return ret;
}

/* A kernel whose marks begin at FIRST_MARK, as the IDR of sysfs shows. */
static int make_kernel(void **state __attribute__((unused)))
{
	memset(data, 0, sizeof(data));
	next_node = NODES;
	reads = 0;
	change.after = 0;
	memory_put_word(&memory, BDEV + 120, DIRECTORY);
	memory_put_word(&memory, DIRECTORY + 80, ROOT);
	memory_put_word(&memory, TOP + 80, ROOT);
	memory_put_word(&memory, ROOT, TOP);
	memory_put_half(&memory, ROOT + 20, 4 | 1U << FIRST_MARK);
	memory_put_word(&memory, MAPPING, INODE);
	memory_put_half(&memory, MAPPING + 12, FLAGS);
	memory_put_word(&memory, MAPPING + 128, 1 << 20);
	return 0;
}

static uint64_t make_node(unsigned int shift)
{
	uint64_t node = next_node;

	next_node += 576;
	assert_true(next_node < BASE + SIZE);
	data[node - BASE] = (unsigned char)shift;
	data[node - BASE + 2] = 64;
	memory_put_word(&memory, node + 16, MAPPING + 8);
	return node;
}

static uint64_t slot_of(uint64_t node, unsigned int slot)
{
	return node + 40 + slot * sizeof(uint64_t);
}

static void mark(uint64_t node, unsigned int slot, int which)
{
	uint64_t at = node + 552 + (uint64_t)which * sizeof(uint64_t), word;

	memcpy(&word, data + (at - BASE), sizeof(word));
	memory_put_word(&memory, at, word | 1ULL << slot);
}

static void put_head(uint64_t head, uint32_t marks)
{
	memory_put_word(&memory, MAPPING + 16, head);
	memory_put_half(&memory, MAPPING + 12, FLAGS | marks << FIRST_MARK);
}

static void put_root(uint64_t node)
{
	put_head(node + 2, 1);
}

static void put_child(uint64_t parent, unsigned int slot, uint64_t node,
		      int which)
{
	data[node - BASE + 1] = (unsigned char)slot;
	memory_put_word(&memory, node + 8, parent);
	memory_put_word(&memory, slot_of(parent, slot), node + 2);
	mark(parent, slot, which);
}

static void put_page(uint64_t node, unsigned int slot, int which)
{
	memory_put_word(&memory, slot_of(node, slot), PAGE);
	if (which >= 0)
		mark(node, slot, which);
}

static uint64_t sibling(unsigned int slot)
{
	return (uint64_t)slot << 2 | 2;
}

static struct bdev_entry entry_now(void)
{
	struct bdev_entry entry = {
		.inode = INODE,
		.mapping = MAPPING,
		.bdev = BDEV,
		.has_tree = true,
	};

	memcpy(&entry.tree_flags, data + (MAPPING + 12 - BASE), 4);
	memcpy(&entry.tree_head, data + (MAPPING + 16 - BASE), 8);
	memcpy(&entry.pages, data + (MAPPING + 128 - BASE), 8);
	return entry;
}

static struct bdev_entry count_with(const struct page_tags_layout *used,
				    struct bdev_entry entry)
{
	const struct kmem kmem = { count_reads, &memory };
	struct bdev_list list = { .entries = &entry, .count = 1 };
	struct page_tags_layout copy = *used;

	page_tags_count(&kmem, &layout, &copy, &list);
	return entry;
}

static void expect(uint64_t dirty, uint64_t writeback)
{
	struct bdev_entry entry = count_with(&tags, entry_now());

	assert_true(entry.has_tags);
	assert_int_equal(entry.dirty, dirty);
	assert_int_equal(entry.writeback, writeback);
}

static void expect_unknown(const char *what)
{
	struct bdev_entry entry = count_with(&tags, entry_now());

	if (entry.has_tags)
		fail_msg("%s: %lu dirty", what, (unsigned long)entry.dirty);
	assert_int_equal(entry.dirty, 0);
}

static const struct page_tags_layout no_tags = {
	.offset = { BDEV_ABSENT, BDEV_ABSENT, BDEV_ABSENT, BDEV_ABSENT,
		    BDEV_ABSENT, BDEV_ABSENT, BDEV_ABSENT, BDEV_ABSENT,
		    BDEV_ABSENT, BDEV_ABSENT, BDEV_ABSENT, BDEV_ABSENT },
};

/* Without marks nothing of the tree is read, and no types are needed. */
static void clean(void **state __attribute__((unused)))
{
	struct bdev_entry entry;

	put_head(0xdead000000000002, 0);
	entry = count_with(&no_tags, entry_now());
	assert_true(entry.has_tags);
	assert_int_equal(entry.dirty, 0);
	assert_int_equal(entry.writeback, 0);
	assert_int_equal(reads, 0);

	entry.has_tags = entry.has_tree = false;
	assert_false(count_with(&tags, entry).has_tags);
}

static void single_page(void **state)
{
	static const struct {
		uint32_t marks;
		int dirty, writeback;
	} cases[] = { { 1, 1, 0 }, { 2, 0, 1 }, { 3, 1, 1 },
		      { 4, 0, 0 }, { 5, 1, 0 }, { 6, 0, 1 } };

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		put_head(PAGE, cases[i].marks);
		expect(cases[i].dirty, cases[i].writeback);
	}

	/* A mark that does not fit the learned first bit. */
	put_head(PAGE, 8);
	expect_unknown("a fourth mark");
	memory_put_half(&memory, MAPPING + 12, FLAGS | 1U << (FIRST_MARK - 1));
	expect_unknown("a mark below the first");
	/* Dirty at first, clean when it is read again. */
	put_head(PAGE, 1);
	reads = 0;
	change.after = 4;
	change.address = MAPPING + 8;
	change.word = (uint64_t)FLAGS << 32;
	expect(0, 0);
	make_kernel(state);
	put_head(0, 1);
	expect_unknown("no page at all");
	put_head(1235, 1);
	expect_unknown("what is kept of a page");
}

/* Kernels from which the first bit cannot be learned. */
static void no_first_mark(void **state)
{
	static const struct {
		const char *what;
		uint64_t address;
		uint64_t word;
	} cases[] = {
		{ "no root", DIRECTORY + 80, 0 },
		{ "another's root", TOP + 80, ROOT + 8 },
		{ "nothing free", ROOT + 16, 4ULL << 32 },
		{ "two marks", ROOT + 16, (4ULL | 3U << FIRST_MARK) << 32 },
		{ "not an IDR", ROOT + 16, (1ULL << FIRST_MARK) << 32 },
		{ "too low", ROOT + 16, (4ULL | 1U << 19) << 32 },
		{ "too high", ROOT + 16, (4ULL | 1U << 30) << 32 },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		make_kernel(state);
		memory_put_word(&memory, cases[i].address, cases[i].word);
		put_head(PAGE, 1);
		expect_unknown(cases[i].what);
	}
}

/* Linux 5.10: learned through the disk. With neither way it is unknown. */
static void older_kernel(void **state __attribute__((unused)))
{
	struct page_tags_layout older = tags;
	struct bdev_entry entry;

	older.offset[TAGS_DIRECTORY] = BDEV_ABSENT;
	older.offset[TAGS_DISK_DIRECTORY] = 96;
	memory_put_word(&memory, DISK + 96, DIRECTORY);
	put_head(PAGE, 2);
	entry = entry_now();
	assert_false(count_with(&older, entry).has_tags);
	entry.disk = DISK;
	entry = count_with(&older, entry);
	assert_true(entry.has_tags);
	assert_int_equal(entry.writeback, 1);
	older.offset[TAGS_DISK_DIRECTORY] = BDEV_ABSENT;
	entry = entry_now();
	entry.disk = DISK;
	assert_false(count_with(&older, entry).has_tags);
}

/* One level: pages, values and siblings, marked and not. */
static void one_node(void **state __attribute__((unused)))
{
	uint64_t node = make_node(0);

	put_root(node);
	/* A root node's offset is left over from an earlier use. */
	data[node - BASE + 1] = 17;
	for (unsigned int i = 0; i < 10; i++)
		put_page(node, i, i % 2 ? DIRTY : -1);
	expect(5, 0);
	mark(node, 0, WRITEBACK);
	mark(node, 1, WRITEBACK);
	mark(node, 2, TO_WRITE);
	expect(5, 2);

	/* A folio of four pages, directly followed by one of two. */
	put_page(node, 16, DIRTY);
	for (unsigned int i = 17; i < 20; i++)
		memory_put_word(&memory, slot_of(node, i), sibling(16));
	put_page(node, 20, -1);
	memory_put_word(&memory, slot_of(node, 21), sibling(20));
	expect(9, 2);
	mark(node, 20, DIRTY);
	expect(11, 2);

	/* The last slot, and a marked slot without a page. */
	put_page(node, 63, DIRTY);
	memory_put_word(&memory, slot_of(node, 40), 1235);
	mark(node, 40, DIRTY);
	mark(node, 41, DIRTY);
	expect(12, 2);
	data[node - BASE] = 5;
	expect_unknown("a level that is none");
}

/* The lowest and the highest index: eleven levels. */
static void deep_tree(void **state __attribute__((unused)))
{
	uint64_t first = make_node(60), last = first;

	put_root(first);
	for (unsigned int shift = 54;; shift -= 6) {
		uint64_t node = make_node(shift);

		/* Not marked, so this invalid node is not read. */
		memory_put_word(&memory, slot_of(first, 1), 0xdead000000000002);
		put_child(first, 0, node, DIRTY);
		first = node;
		node = make_node(shift);
		put_child(last, shift == 54 ? 15 : 63, node, WRITEBACK);
		last = node;
		if (!shift)
			break;
	}
	put_page(first, 0, DIRTY);
	put_page(last, 63, WRITEBACK);
	expect(1, 1);
	assert_int_equal(reads, 21 + 1);
}

static void large_folios(void **state __attribute__((unused)))
{
	uint64_t node = make_node(6);

	put_root(node);
	put_page(node, 0, DIRTY);
	put_page(node, 2, WRITEBACK);
	memory_put_word(&memory, slot_of(node, 3), sibling(2));
	expect(64, 128);
	/* A page of 4 TiB is invalid. */
	data[node - BASE] = 36;
	memory_put_word(&memory, MAPPING + 128, UINT64_MAX);
	expect_unknown("pages that are too large");
}

struct damage {
	const char *what;
	uint64_t address; /* in the first node, or past it in the second */
	uint64_t word;
};

/* Two levels with one invalid word. */
static void damaged(void **state)
{
	const uint64_t root = NODES, leaf = NODES + 576;
	const struct damage cases[] = {
		{ "another tree's", leaf + 16, MAPPING },
		{ "another tree's first", root + 16, 0 },
		{ "freed", leaf + 16, 1 },
		{ "a parent above the first", root + 8, leaf },
		{ "another parent", leaf + 8, leaf },
		{ "no parent", leaf + 8, 0 },
		{ "another slot", leaf, 64ULL << 16 | 6 << 8 },
		{ "another level", leaf, 64ULL << 16 | 5 << 8 | 6 },
		{ "a level that is none", root, 64ULL << 16 | 5 },
		{ "a level too high", root, 64ULL << 16 | 66 },
		{ "the lowest level, with nodes", root, 64ULL << 16 },
		{ "too many entries", leaf, 65ULL << 16 | 5 << 8 },
		{ "wiped", leaf + 552, 0 },
		{ "itself", slot_of(root, 5), root + 2 },
		{ "the root again", slot_of(leaf, 0), root + 2 },
		{ "a node below the lowest", slot_of(leaf, 0), leaf + 2 },
		{ "a retry", slot_of(leaf, 0), 256 << 2 | 2 },
		{ "a marked sibling", slot_of(leaf, 0), sibling(3) },
		{ "no memory", slot_of(root, 5), 0xdead000000000002 },
		{ "not aligned", slot_of(root, 5), leaf + 4 + 2 },
		{ "more dirty pages than pages", MAPPING + 128, 1 },
		{ "another inode's mapping", MAPPING, INODE + 8 },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t node;

		make_kernel(state);
		node = make_node(6);
		put_root(node);
		put_child(node, 5, make_node(0), DIRTY);
		put_page(leaf, 0, DIRTY);
		put_page(leaf, 1, DIRTY);
		expect(2, 0);
		memory_put_word(&memory, cases[i].address, cases[i].word);
		expect_unknown(cases[i].what);
	}
}

/* The first read is torn because the tree grows; the second is valid. */
static void read_again(void **state __attribute__((unused)))
{
	uint64_t leaf = make_node(0), root = make_node(6);
	struct bdev_entry entry;

	put_page(leaf, 3, DIRTY);
	put_root(leaf);
	entry = entry_now();
	put_child(root, 0, leaf, DIRTY);
	put_page(root, 1, DIRTY);
	put_root(root);
	entry = count_with(&tags, entry);
	assert_true(entry.has_tags);
	assert_int_equal(entry.dirty, 65);
	/* The leaf, the mapping, the root, the leaf and the mapping again. */
	assert_int_equal(reads, 5);
}

static void put_leaves(uint64_t parent, unsigned int shift)
{
	for (unsigned int i = 0; i < 64; i++) {
		uint64_t node = make_node(shift - 6);

		put_child(parent, i, node, DIRTY);
		if (shift > 6)
			put_leaves(node, shift - 6);
		else
			put_page(node, 0, DIRTY);
	}
}

/* A device with too many nodes is given up; the next one is still counted. */
static void too_many(void **state __attribute__((unused)))
{
	const struct kmem kmem = { count_reads, &memory };
	uint64_t root = make_node(18);
	struct bdev_entry entries[3];
	struct bdev_list list = { .entries = entries, .count = 3 };
	struct page_tags_layout copy = tags;

	for (unsigned int i = 0; i < 2; i++) {
		uint64_t node = make_node(12);

		put_child(root, i, node, DIRTY);
		put_leaves(node, 12);
		put_root(root);
		if (!i)
			expect(64 * 64, 0);
	}
	entries[0] = entries[1] = entry_now();
	entries[1].inode = OTHER_INODE;
	entries[1].mapping = OTHER_MAPPING;
	entries[1].tree_head = PAGE;
	memory_put(&memory, OTHER_MAPPING, data + (MAPPING - BASE), 192);
	memory_put_word(&memory, OTHER_MAPPING, OTHER_INODE);
	memory_put_word(&memory, OTHER_MAPPING + 16, PAGE);
	entries[2] = entries[1];
	entries[2].tree_flags = FLAGS;
	reads = 0;
	page_tags_count(&kmem, &layout, &copy, &list);
	assert_false(entries[0].has_tags);
	assert_true(entries[1].has_tags);
	assert_int_equal(entries[1].dirty, 1);
	assert_true(entries[2].has_tags);
	assert_int_equal(entries[2].dirty, 0);
	assert_in_range(reads, 8192, 8192 + 10);
}

/* A kernel whose types differ from the known ones, or are missing. */
static void other_types(void **state __attribute__((unused)))
{
	uint64_t node = make_node(0);
	struct page_tags_layout other = tags;

	put_page(node, 0, DIRTY);
	put_root(node);
	expect(1, 0);
	other.offset[TAGS_NODE_MARKS] = tags.offset[TAGS_NODE_SLOTS] + 128;
	assert_false(count_with(&other, entry_now()).has_tags);
	for (size_t i = TAGS_NODE_SHIFT; i <= TAGS_NODE_MARKS; i++) {
		other = tags;
		other.offset[i] = BDEV_ABSENT;
		assert_false(count_with(&other, entry_now()).has_tags);
		other.offset[i] = 1 << 14;
		assert_false(count_with(&other, entry_now()).has_tags);
	}
	put_head(PAGE, 1);
	expect(1, 0);
	for (size_t i = TAGS_DIRECTORY_ROOT; i < TAGS_MEMBERS; i++) {
		other = tags;
		other.offset[i] = BDEV_ABSENT;
		assert_false(count_with(&other, entry_now()).has_tags);
	}
}

static void expect_layout(const char *seed,
			  void (*find)(struct page_tags_layout *layout_of),
			  const uint32_t *nodes, const uint32_t *others)
{
	size_t size;
	_cleanup_(freep) char *seeded = seed_read_btf(seed, &size);
	struct page_tags_layout layout_of;
	struct error err;
	struct btf btf;

	assert_int_equal(btf_init(&btf, seeded, size, &err), 0);
	page_tags_layout_init(&layout_of, &btf);
	find(&layout_of);
	assert_memory_equal(layout_of.offset, nodes, 7 * sizeof(*nodes));
	assert_memory_equal(layout_of.offset + 7, others, 5 * sizeof(*others));
	btf_deinit(&btf);
}

/* Types of real kernels, as in pahole, and only those that are needed. */
static void types(void **state __attribute__((unused)))
{
	static const struct {
		const char *seed;
		uint32_t others[5];
	} kernels[] = {
		{ "btf/debian-5.10", { BDEV_ABSENT, 56 + 48 + 48, 80, 0, 20 } },
		{ "btf/debian-6.1", { 120, BDEV_ABSENT, 80, 0, 20 } },
		{ "btf/debian-6.12", { 256, BDEV_ABSENT, 80, 0, 20 } },
		{ "btf/debian-7.3", { 240, BDEV_ABSENT, 80, 0, 20 } },
	};

	for (size_t i = 0; i < COUNT_OF(kernels); i++) {
		expect_layout(kernels[i].seed, page_tags_find_marks,
			      no_tags.offset, kernels[i].others);
		expect_layout(kernels[i].seed, page_tags_find_nodes,
			      tags.offset, no_tags.offset);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(clean, make_kernel),
		cmocka_unit_test_setup(single_page, make_kernel),
		cmocka_unit_test_setup(no_first_mark, make_kernel),
		cmocka_unit_test_setup(older_kernel, make_kernel),
		cmocka_unit_test_setup(one_node, make_kernel),
		cmocka_unit_test_setup(deep_tree, make_kernel),
		cmocka_unit_test_setup(large_folios, make_kernel),
		cmocka_unit_test_setup(damaged, make_kernel),
		cmocka_unit_test_setup(read_again, make_kernel),
		cmocka_unit_test_setup(too_many, make_kernel),
		cmocka_unit_test_setup(other_types, make_kernel),
		cmocka_unit_test(types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
