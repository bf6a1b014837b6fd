// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/inodes.h"
#include "kernel/kernel.h"
#include "kernel/swap_cache.h"
#include "kernel/symbols.h"

/* MAX_SWAPFILES is at most 1 << 5. */
#define MAX_AREAS 32
/* Each is for 64 MiB, so this is a swap area of 64 TiB. */
#define MAX_SPACES (1U << 20)

enum { SPACES, COUNTS, AREAS, SYMBOLS };

static bool read_int(struct kernel *kernel, uint64_t address, uint32_t *value)
{
	return kmem_read(kernel->kmem, address, value, sizeof(*value)) == 0;
}

/* Adds the pages of @count mappings, an array at @spaces. */
static bool add_area(struct kernel *kernel, uint64_t spaces, uint32_t count,
		     uint32_t size, uint64_t *pages)
{
	if (count > MAX_SPACES)
		return false;
	spaces += kernel->root.layout.offset[BDEV_MAPPING_PAGES];
	for (uint32_t i = 0; i < count; i++) {
		uint64_t here;

		if (kmem_read_word(kernel->kmem, spaces + (uint64_t)i * size,
				   &here) < 0 ||
		    here > INODES_MOST_PAGES - *pages)
			return false;
		*pages += here;
	}
	return true;
}

bool swap_cache_pages(struct kernel *kernel, uint64_t *pages)
{
	struct kallsyms_symbol symbols[SYMBOLS] = {
		[SPACES] = { .name = "swapper_spaces" },
		[COUNTS] = { .name = "nr_swapper_spaces" },
		[AREAS] = { .name = "nr_swapfiles" },
	};
	struct btf_struct mapping = { .name = "address_space" };
	uint32_t areas, count;
	uint64_t spaces;

	*pages = 0;
	btf_find_structs(&kernel->btf, &mapping, 1);
	kernel_symbols_find(kernel, symbols, SYMBOLS);
	if (!mapping.id || !symbols[SPACES].address ||
	    !symbols[COUNTS].address || !symbols[AREAS].address ||
	    !read_int(kernel, symbols[AREAS].address, &areas) ||
	    areas > MAX_AREAS)
		return false;
	for (uint32_t i = 0; i < areas; i++) {
		if (!read_int(kernel,
			      symbols[COUNTS].address + i * sizeof(count),
			      &count) ||
		    kmem_read_word(kernel->kmem,
				   symbols[SPACES].address + i * sizeof(spaces),
				   &spaces) < 0 ||
		    !add_area(kernel, spaces, count, mapping.size, pages))
			return false;
	}
	return true;
}
