// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any memory as a tree of pages, struct pages and the cgroups that these lead
 * to: the walk ends, and every path is a string.
 */
#include <string.h>

#include "fuzz.h"
#include "kernel/memcg.h"
#include "kernel/page_tags.h"
#include "kernel/page_walk.h"
#include "memory.h"

#define BASE 0xffff888000100000ULL
#define NODES 4096
#define MOST 256

static struct page_tags_layout tags = {
	.offset = { 0, 1, 2, 8, 16, 40, 552 },
	.has_nodes = true,
};

/* As small as possible, so that much fits into an input. */
static const struct memcg_layout layout = {
	.offset = { [MEMCG_PAGE_MAPPING] = 0,
		    [MEMCG_PAGE_CHARGE] = 8,
		    [MEMCG_CSS_CGROUP] = 0,
		    [MEMCG_CSS_SUBSYSTEM] = 8,
		    [MEMCG_CSS_FLAGS] = 16,
		    [MEMCG_SUBSYSTEM_NAME] = 0,
		    [MEMCG_CGROUP_NODE] = 0,
		    [MEMCG_NODE_PARENT] = 0,
		    [MEMCG_NODE_NAME] = 8,
		    [MEMCG_NODE_ID] = 16,
		    [MEMCG_OBJECT] = 24 },
	.has_object = true,
	.page_size = 16,
};

struct found {
	struct charged folios[MOST];
	size_t count;
};

static int visit(void *data, uint64_t index __attribute__((unused)),
		 uint64_t page, uint64_t pages)
{
	struct found *found = data;

	fuzz_require(pages > 0);
	if (found->count == MOST)
		return -E2BIG;
	found->folios[found->count++] = (struct charged){
		.page = page,
		.mapping = BASE,
		.pages = pages,
	};
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory memory = { BASE, (unsigned char *)data, size };
	const struct kmem kmem = memory_kmem(&memory);
	struct found found = { .count = 0 };
	struct page_walk walk = {
		.kmem = &kmem,
		.layout = &tags,
		.tree = 8,
		.nodes = NODES,
		.visit = visit,
		.data = &found,
	};
	struct page_tree tree = { .mapping = BASE };
	struct memcg memcg;

	if (kmem_read_word(&kmem, BASE + 16, &tree.head) < 0)
		return 0;
	page_walk_tree(&walk, &tree);
	memcg_read_charges(&kmem, &layout, found.folios, found.count);
	for (size_t i = 0; i < found.count; i++) {
		if (found.folios[i].is_known &&
		    memcg_read(&kmem, &layout, found.folios[i].charge,
			       &memcg) == 0)
			fuzz_require(*memcg.path == '/' &&
				     strlen(memcg.path) < MEMCG_PATH);
	}
	return 0;
}
