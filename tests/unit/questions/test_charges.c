// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose pages are: page trees, struct pages and cgroups, sound and damaged. */
#include <errno.h>
#include <string.h>

#include "kernel/memcg.h"
#include "kernel/page_tags.h"
#include "kernel/page_walk.h"
#include "memory.h"
#include "test.h"

#define BASE 0xffff888000100000ULL
#define SIZE (1U << 20)
#define MAPPING (BASE + 0x200)
#define OTHER_MAPPING (BASE + 0x400)
#define MEMCG (BASE + 0x1000)
#define SUBSYSTEM (BASE + 0x1100)
#define OTHER_SUBSYSTEM (BASE + 0x1180)
#define CGROUP (BASE + 0x1200)
#define NODE (BASE + 0x1300)
#define PARENT (BASE + 0x1400)
#define ROOT (BASE + 0x1500)
#define OBJECT (BASE + 0x1600)
#define TEXT (BASE + 0x1800)
#define NODES (BASE + 0x4000)
#define PAGES (BASE + 0x20000)

#define TREE 8

static struct page_tags_layout tags = {
	.offset = { 0, 1, 2, 8, 16, 40, 552 },
	.has_nodes = true,
};

/* The places of Debian's 6.12, but for the larger structs. */
static const struct memcg_layout layout = {
	.offset = { [MEMCG_PAGE_MAPPING] = 24,
		    [MEMCG_PAGE_CHARGE] = 56,
		    [MEMCG_CSS_CGROUP] = 0,
		    [MEMCG_CSS_SUBSYSTEM] = 8,
		    [MEMCG_CSS_FLAGS] = 84,
		    [MEMCG_SUBSYSTEM_NAME] = 48,
		    [MEMCG_CGROUP_NODE] = 24,
		    [MEMCG_NODE_PARENT] = 8,
		    [MEMCG_NODE_NAME] = 16,
		    [MEMCG_NODE_ID] = 96,
		    [MEMCG_OBJECT] = 16 },
	.has_object = true,
	.page_size = 64,
};

static unsigned char data[SIZE];
static struct memory memory = { BASE, data, SIZE };
static uint64_t next_node, next_text;
static unsigned int reads;

static int count_reads(void *from, uint64_t address, void *buffer, size_t size)
{
	reads++;
	return memory_read(from, address, buffer, size);
}

static const struct kmem kmem = { count_reads, &memory };

static uint64_t text(const char *string)
{
	uint64_t place = next_text;

	memory_put(&memory, place, string, strlen(string) + 1);
	next_text += strlen(string) + 1;
	return place;
}

static void make_directory(uint64_t node, uint64_t parent, const char *name)
{
	memory_put_word(&memory, node + 8, parent);
	memory_put_word(&memory, node + 16, text(name));
}

/* The cgroup /outer/inner with the id 77. */
static int make_kernel(void **state __attribute__((unused)))
{
	memset(data, 0, sizeof(data));
	next_node = NODES;
	next_text = TEXT;
	memory_put_word(&memory, MEMCG, CGROUP);
	memory_put_word(&memory, MEMCG + 8, SUBSYSTEM);
	memory_put_half(&memory, MEMCG + 84, 3);
	memory_put_word(&memory, SUBSYSTEM + 48, text("memory"));
	memory_put_word(&memory, OTHER_SUBSYSTEM + 48, text("cpu"));
	memory_put_word(&memory, CGROUP + 24, NODE);
	make_directory(NODE, PARENT, "inner");
	make_directory(PARENT, ROOT, "outer");
	make_directory(ROOT, 0, "");
	memory_put_word(&memory, NODE + 96, 77);
	memory_put_word(&memory, OBJECT + 16, MEMCG);
	return 0;
}

static uint64_t make_node(unsigned int shift, uint64_t parent,
			  unsigned int slot)
{
	uint64_t node = next_node;

	next_node += 576;
	data[node - BASE] = (unsigned char)shift;
	data[node - BASE + 1] = (unsigned char)slot;
	data[node - BASE + 2] = 64;
	memory_put_word(&memory, node + 8, parent);
	memory_put_word(&memory, node + 16, MAPPING + TREE);
	if (parent)
		memory_put_word(&memory, parent + 40 + slot * 8UL, node + 2);
	return node;
}

static void put(uint64_t node, unsigned int slot, uint64_t entry)
{
	memory_put_word(&memory, node + 40 + slot * 8UL, entry);
}

struct seen {
	uint64_t pages;
	unsigned int folios;
	uint64_t last;
	uint64_t last_index;
	int ret;
};

static int see(void *data_of, uint64_t index, uint64_t page, uint64_t pages)
{
	struct seen *seen = data_of;

	assert_true(!seen->folios || index > seen->last_index);
	seen->last_index = index;
	seen->folios++;
	seen->pages += pages;
	seen->last = page;
	return seen->ret;
}

static int walk(uint64_t head, unsigned int nodes, struct seen *seen)
{
	struct page_walk page_walk = {
		.kmem = &kmem,
		.layout = &tags,
		.tree = TREE,
		.nodes = nodes,
		.visit = see,
		.data = seen,
	};
	const struct page_tree tree = { .mapping = MAPPING, .head = head };

	return page_walk_tree(&page_walk, &tree);
}

static void test_a_single_page(void **state __attribute__((unused)))
{
	struct seen seen = { 0 };

	assert_int_equal(walk(PAGES, 0, &seen), 0);
	assert_int_equal(seen.pages, 1);
	assert_int_equal(walk(0, 0, &seen), 0);
	/* What reclaim remembers of a page is none. */
	assert_int_equal(walk(0x1001, 0, &seen), 0);
	assert_int_equal(seen.folios, 1);
}

static void test_a_tree(void **state __attribute__((unused)))
{
	uint64_t top = make_node(6, 0, 0), leaf = make_node(0, top, 3);
	struct seen seen = { 0 };

	put(leaf, 0, PAGES);
	/* A folio of four pages, a shadow, and one that fills a slot above. */
	put(leaf, 8, PAGES + 0x100);
	for (unsigned int i = 9; i < 12; i++)
		put(leaf, i, 8 << 2 | 2);
	put(leaf, 20, 0x2001);
	put(top, 5, PAGES + 0x200);
	assert_int_equal(walk(top + 2, 10, &seen), 0);
	assert_int_equal(seen.folios, 3);
	assert_int_equal(seen.pages, 1 + 4 + 64);
	assert_int_equal(seen.last, PAGES + 0x200);
	assert_int_equal(seen.last_index, 5 * 64);
	assert_int_equal(walk(top + 2, 1, &seen), -E2BIG);
	seen.folios = 0;
	seen.ret = -ENOMEM;
	assert_int_equal(walk(top + 2, 10, &seen), -ENOMEM);
}

static void test_a_node_of_another_tree_is_left_out(void **state
						    __attribute__((unused)))
{
	uint64_t top = make_node(6, 0, 0), leaf = make_node(0, top, 1);
	uint64_t other = make_node(0, top, 2);
	struct seen seen = { 0 };
	uint64_t high = make_node(0, top, 3), aside = make_node(0, top, 4);

	put(leaf, 0, PAGES);
	put(other, 0, PAGES);
	/* Of another height, and at another place of the parent. */
	put(high, 0, PAGES);
	data[high - BASE] = 6;
	put(aside, 0, PAGES);
	data[aside - BASE + 1] = 5;
	memory_put_word(&memory, other + 16, OTHER_MAPPING + TREE);
	/* A node that leads to itself, one nowhere, and one below a leaf. */
	put(top, 9, top + 2);
	put(top, 10, 0x7777777777777002);
	put(leaf, 9, top + 2);
	assert_int_equal(walk(top + 2, 100, &seen), 0);
	assert_int_equal(seen.pages, 1);
}

static void make_page(unsigned int index, uint64_t mapping, uint64_t charge)
{
	memory_put_word(&memory, PAGES + index * 64UL + 24, mapping);
	memory_put_word(&memory, PAGES + index * 64UL + 56, charge);
}

static void test_charges(void **state __attribute__((unused)))
{
	struct charged folios[] = {
		{ .page = PAGES + 5UL * 64, .mapping = MAPPING },
		{ .page = PAGES, .mapping = MAPPING },
		{ .page = BASE + SIZE + 0x10000, .mapping = MAPPING },
		{ .page = PAGES + 2000UL * 64, .mapping = MAPPING },
		{ .page = PAGES + 64, .mapping = MAPPING },
	};

	/* The lowest bits are flags. */
	make_page(0, MAPPING, MEMCG | 4);
	make_page(1, OTHER_MAPPING, MEMCG);
	make_page(5, MAPPING, 0);
	make_page(2000, MAPPING, OBJECT);
	reads = 0;
	assert_int_equal(memcg_read_charges(&kmem, &layout, folios, 5), 0);
	/* Three together, one alone; and one that is nowhere, twice. */
	assert_int_equal(reads, 4);
	assert_true(folios[0].is_known);
	assert_int_equal(folios[0].charge, MEMCG);
	assert_false(folios[1].is_known); /* it has left the mapping */
	assert_true(folios[2].is_known);
	assert_int_equal(folios[2].charge, 0);
	assert_int_equal(folios[3].charge, OBJECT);
	assert_false(folios[4].is_known);
}

static void test_a_cgroup(void **state __attribute__((unused)))
{
	struct memcg memcg;

	assert_int_equal(memcg_read(&kmem, &layout, MEMCG, &memcg), 0);
	assert_string_equal(memcg.path, "/outer/inner");
	assert_int_equal(memcg.id, 77);
	assert_false(memcg.is_dead);
	memory_put_half(&memory, MEMCG + 84, 1);
	assert_int_equal(memcg_read(&kmem, &layout, OBJECT, &memcg), 0);
	assert_string_equal(memcg.path, "/outer/inner");
	assert_true(memcg.is_dead);
	memory_put_word(&memory, CGROUP + 24, ROOT);
	assert_int_equal(memcg_read(&kmem, &layout, MEMCG, &memcg), 0);
	assert_string_equal(memcg.path, "/");
}

static void test_no_cgroup(void **state __attribute__((unused)))
{
	struct memcg_layout older = layout;
	struct memcg memcg;
	char name[300];

	assert_int_equal(memcg_read(&kmem, &layout, BASE + SIZE + 64, &memcg),
			 -ESTALE);
	older.has_object = false;
	assert_int_equal(memcg_read(&kmem, &older, OBJECT, &memcg), -ESTALE);
	/* A ring of directories. */
	memory_put_word(&memory, PARENT + 8, NODE);
	assert_int_equal(memcg_read(&kmem, &layout, MEMCG, &memcg), -ESTALE);
	memory_put_word(&memory, PARENT + 8, ROOT);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memory_put_word(&memory, PARENT + 16, text(name));
	assert_int_equal(memcg_read(&kmem, &layout, MEMCG, &memcg), -ESTALE);
	memory_put_word(&memory, MEMCG + 8, OTHER_SUBSYSTEM);
	assert_int_equal(memcg_read(&kmem, &layout, MEMCG, &memcg), -ESTALE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_single_page, make_kernel),
		cmocka_unit_test_setup(test_a_tree, make_kernel),
		cmocka_unit_test_setup(test_a_node_of_another_tree_is_left_out,
				       make_kernel),
		cmocka_unit_test_setup(test_charges, make_kernel),
		cmocka_unit_test_setup(test_a_cgroup, make_kernel),
		cmocka_unit_test_setup(test_no_cgroup, make_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
