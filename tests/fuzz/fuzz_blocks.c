// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as what is cached of a device: every page gets kinds, these add up,
 * and it ends. The last byte says which pages are not cached.
 */
#include <string.h>

#include "blocks/blocks.h"
#include "blocks/identity.h"
#include "fuzz.h"
#include "lib/error.h"

#define PAGE 4096U
#define MOST_PAGES 64
/* Bytes; in the middle of a group, so that a filesystem fits. */
#define DEVICE (1U << 20)

struct input {
	const uint8_t *data;
	size_t size;
	struct cached_page pages[MOST_PAGES];
	size_t count;
};

static int read_page(void *data, size_t which, void *bytes, uint64_t *valid)
{
	const struct input *input = data;
	size_t at = (size_t)cached_page_index(&input->pages[which]) * PAGE;
	size_t there = input->size > at ? input->size - at : 0;

	if (there > PAGE)
		there = PAGE;
	memcpy(bytes, input->data + at, there);
	memset((char *)bytes + there, 0, PAGE - there);
	*valid = UINT64_MAX;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { .data = data, .size = size };
	unsigned int missing = size ? data[size - 1] : 0;
	struct block_cache cache;
	struct identity identity;
	struct blocks blocks;
	struct error err;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < MOST_PAGES && i * PAGE < size; i++) {
		if (!missing || i % 64 != missing % 64)
			input.pages[input.count++].place = i << 8;
	}
	cache = (struct block_cache){
		.pages = input.pages,
		.count = input.count,
		.page_size = PAGE,
		.read = read_page,
		.data = &input,
	};
	if (block_cache_init(&cache) < 0)
		return 0;
	if (blocks_init(&blocks, &cache, DEVICE, 0, 0) == 0) {
		for (size_t i = 0; i < BLOCK_KINDS; i++)
			sum += blocks.bytes[i];
		fuzz_require(sum == (uint64_t)input.count * PAGE);
		for (size_t i = 0; i < blocks.owners.count; i++) {
			const char *path = blocks.owners.list[i].path;

			fuzz_require(!path ||
				     (*path == '/' && strlen(path) < 4096));
		}
	}
	/* Too little is cached to prove anything. */
	if (identity_init(&identity, &cache, DEVICE, &err) == 0)
		fuzz_require(!identity.is_proven);
	identity_deinit(&identity);
	blocks_deinit(&blocks);
	block_cache_deinit(&cache);
	return 0;
}
