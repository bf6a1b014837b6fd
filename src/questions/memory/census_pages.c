// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <errno.h>
#include <linux/kernel-page-flags.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel.h"
#include "kernel/kmem.h"
#include "kernel/object.h"
#include "kernel/vmemmap.h"
#include "memory/census.h"
#include "memory/census_pages.h"

/* Bytes a read: the kernel may stop between two of them. */
#define BLOCK (64UL * 1024)
/* Bytes; a struct page has 64. */
#define MOST_STRUCT 4096U
#define MOST_BIT 63

/* mapping & 3, of what the kernel may move: zsmalloc until it had a type. */
#define MAPPING_KIND 3U
#define MAPPING_MOVABLE 2U

/*
 * PP_SIGNATURE. The lowest bits are flags, and Linux 6.16 has an index in
 * others.
 */
#define PAGE_POOL_MAGIC 0xdead000000000040ULL
#define PAGE_POOL_OTHERS (3ULL | 0xffffffffULL << 7)

/*
 * Words to read one by one. A page whose neighbours were not looked at is on no
 * list: better too few are free than too many.
 */
#define MOST_WORDS (1U << 20)

/*
 * Frames that both looks were compared at. A list of a processor that goes to
 * the LRU in between changes 15 to 31 of them.
 */
#define ENOUGH_COMPARED 4096U

/* More frames than any host has. */
#define MOST_FRAMES (1ULL << 36)

static const struct member {
	const char *name;
	uint32_t bytes; /* how many are read */
} members[CENSUS_MEMBERS] = {
	[CENSUS_PAGE_FLAGS] = { "flags", 8 },
	[CENSUS_PAGE_MAPPING] = { "mapping", 8 },
	[CENSUS_PAGE_REFERENCES] = { "_refcount", 4 },
	[CENSUS_PAGE_TYPE] = { "page_type", 4 },
	[CENSUS_PAGE_LIST] = { "lru", 16 },
	[CENSUS_PAGE_MAGIC] = { "pp_magic", 8 },
};

static uint64_t find_flag(const struct btf *btf, const char *name)
{
	uint32_t bit;

	return btf_find_enumerator(btf, "pageflags", name, &bit) == 0 &&
			       bit <= MOST_BIT ?
		       1ULL << bit :
		       0;
}

static uint32_t find_type(const struct btf *btf, const char *name)
{
	uint32_t type;

	return btf_find_enumerator(btf, "pagetype", name, &type) == 0 &&
			       type <= UINT8_MAX ?
		       type :
		       0;
}

void census_layout_init(struct census_layout *layout, const struct btf *btf)
{
	struct btf_struct page = { .name = "page" };

	*layout = (struct census_layout){ 0 };
	btf_find_structs(btf, &page, 1);
	layout->size = page.id && page.size <= MOST_STRUCT ? page.size : 0;
	for (size_t i = 0; layout->size && i < CENSUS_MEMBERS; i++) {
		uint32_t *offset = &layout->offset[i], size;

		layout->has[i] = btf_find_member(btf, &page, members[i].name,
						 offset, &size) == 0 &&
				 size >= members[i].bytes &&
				 *offset + members[i].bytes <= page.size;
	}
	layout->lru = find_flag(btf, "PG_lru");
	layout->reserved = find_flag(btf, "PG_reserved");
	if (!layout->has[CENSUS_PAGE_TYPE])
		return;
	layout->zsmalloc = find_type(btf, "PGTY_zsmalloc");
	layout->page_pool = find_type(btf, "PGTY_netpp");
}

static const char *obstacle(struct census_look *look)
{
	struct census_layout *layout = &look->layout;

	if (!layout->has[CENSUS_PAGE_FLAGS] || !layout->lru ||
	    !layout->reserved)
		return "this kernel does not describe its struct pages";
	if (!vmemmap_find(look->kernel, layout->size, &layout->base))
		return "this kernel does not say where its struct pages are";
	return NULL;
}

static void set_looked_for(struct census_look *look)
{
	const struct census_layout *layout = &look->layout;
	bool *looked_for = look->pages->looked_for;

	looked_for[CENSUS_ZSMALLOC] = layout->zsmalloc ||
				      layout->has[CENSUS_PAGE_MAPPING];
	/* POISON_POINTER_DELTA is another one there. */
	looked_for[CENSUS_PAGE_POOL] = layout->page_pool ||
				       (layout->has[CENSUS_PAGE_MAGIC] &&
					look->kernel->machine != EM_PPC64);
	looked_for[CENSUS_UNREFERENCED] = layout->has[CENSUS_PAGE_REFERENCES];
	looked_for[CENSUS_LISTED] = layout->has[CENSUS_PAGE_REFERENCES] &&
				    layout->has[CENSUS_PAGE_LIST];
	looked_for[CENSUS_IN_USE] = true;
	looked_for[CENSUS_UNREAD] = true;
}

int census_look_begin(struct census_look *look, struct kernel *kernel,
		      const struct census_layout *layout,
		      struct census_pages *pages)
{
	const char *why;

	*pages = (struct census_pages){ 0 };
	*look = (struct census_look){
		.kernel = kernel,
		.layout = *layout,
		.pages = pages,
		.buffer = malloc(BLOCK),
		.before = CENSUS_IN_USE,
	};
	if (!look->buffer)
		return -ENOMEM;
	why = obstacle(look);
	if (why) {
		snprintf(pages->why, sizeof(pages->why), "%s", why);
		free(look->buffer);
		look->buffer = NULL;
		return -EOPNOTSUPP;
	}
	set_looked_for(look);
	return 0;
}

static uint32_t page_type_of(const struct census_layout *layout,
			     const unsigned char *page)
{
	return half_at(page, layout->offset[CENSUS_PAGE_TYPE]) >> 24;
}

static bool is_zsmalloc(const struct census_layout *layout,
			const unsigned char *page)
{
	if (layout->zsmalloc)
		return page_type_of(layout, page) == layout->zsmalloc;
	return layout->has[CENSUS_PAGE_MAPPING] &&
	       (word_at(page, layout->offset[CENSUS_PAGE_MAPPING]) &
		MAPPING_KIND) == MAPPING_MOVABLE;
}

static bool is_of_pool(const struct census_look *look,
		       const unsigned char *page)
{
	const struct census_layout *layout = &look->layout;

	if (!look->pages->looked_for[CENSUS_PAGE_POOL])
		return false;
	if (layout->page_pool)
		return page_type_of(layout, page) == layout->page_pool;
	return (word_at(page, layout->offset[CENSUS_PAGE_MAGIC]) &
		~PAGE_POOL_OTHERS) == PAGE_POOL_MAGIC;
}

/* Whether it is where a struct page has its list. */
static bool is_place(const struct census_layout *layout, uint64_t address)
{
	uint64_t distance =
		address - layout->offset[CENSUS_PAGE_LIST] - layout->base;

	return distance % layout->size == 0 &&
	       distance / layout->size < MOST_FRAMES;
}

/* Whether a neighbour has @self at @address. Most are in what was read. */
static bool leads_back(struct census_look *look, uint64_t address,
		       uint64_t self)
{
	uint64_t offset = address - look->block, word;

	if (address >= look->block && offset + sizeof(word) <= look->block_size)
		return word_at(look->buffer, offset) == self;
	if (look->words >= MOST_WORDS)
		return false;
	look->words++;
	return kmem_read_word(look->kernel->kmem, address, &word) == 0 &&
	       word == self;
}

/*
 * A page that was on a list still has a neighbour there, but that leads
 * elsewhere. One that is alone has the list's head on both sides, and one that
 * never was on any has itself.
 */
static bool is_on_list(struct census_look *look, const unsigned char *page)
{
	const struct census_layout *layout = &look->layout;
	const uint32_t list = layout->offset[CENSUS_PAGE_LIST];
	const uint32_t back = sizeof(uint64_t);
	uint64_t self = look->block + (uint64_t)(page - look->buffer) + list;
	uint64_t next, before;

	if (!layout->has[CENSUS_PAGE_LIST])
		return false;
	next = word_at(page, list);
	before = word_at(page, list + back);
	if (next == self)
		return false;
	if (is_place(layout, next))
		return leads_back(look, next + back, self);
	return (is_place(layout, before) || (next && next == before)) &&
	       leads_back(look, before, self);
}

static enum census_type type_of(struct census_look *look,
				const unsigned char *page)
{
	const struct census_layout *layout = &look->layout;

	if (is_zsmalloc(layout, page))
		return CENSUS_ZSMALLOC;
	if (is_of_pool(look, page))
		return CENSUS_PAGE_POOL;
	if (!layout->has[CENSUS_PAGE_REFERENCES] ||
	    half_at(page, layout->offset[CENSUS_PAGE_REFERENCES]))
		return CENSUS_IN_USE;
	return is_on_list(look, page) ? CENSUS_LISTED : CENSUS_UNREFERENCED;
}

/* Only a flag that either look shows says something. */
static void compare(struct census_look *look, bool said, bool seen)
{
	look->compared += said || seen;
	look->agreed += said && seen;
}

/* Both looks at a frame have to agree, or these are no struct pages. */
static void check(struct census_look *look, uint64_t flags,
		  const unsigned char *page)
{
	const struct census_layout *layout = &look->layout;
	uint64_t seen = word_at(page, layout->offset[CENSUS_PAGE_FLAGS]);

	if (flags >> KPF_NOPAGE & 1)
		return;
	compare(look, flags >> KPF_LRU & 1, seen & layout->lru);
	compare(look, flags >> KPF_RESERVED & 1, seen & layout->reserved);
}

/* Later pages of a compound page are what the first one is. */
static bool is_later(uint64_t flags)
{
	return flags >> KPF_COMPOUND_TAIL & 1;
}

static void take_block(struct census_look *look, const uint64_t *flags,
		       const bool *unflagged, size_t count, bool is_read)
{
	const unsigned char *page = look->buffer;

	for (size_t i = 0; i < count; i++, page += look->layout.size) {
		if (is_read && !is_later(flags[i]))
			check(look, flags[i], page);
		if (!unflagged[i])
			continue;
		if (!is_read)
			look->before = CENSUS_UNREAD;
		else if (!is_later(flags[i]))
			look->before = type_of(look, page);
		look->pages->pages[look->before]++;
	}
}

size_t census_look_read(struct census_look *look, uint64_t first, size_t count)
{
	const uint32_t size = look->layout.size;

	if (count > BLOCK / size)
		count = BLOCK / size;
	look->block = look->layout.base + first * size;
	look->block_size = count * size;
	return kmem_read(look->kernel->kmem, look->block, look->buffer,
			 look->block_size) == 0 ?
		       count :
		       0;
}

void census_look_at(struct census_look *look, uint64_t first,
		    const uint64_t *flags, const bool *unflagged, size_t count)
{
	const uint32_t size = look->layout.size;

	for (size_t i = 0; i < count;) {
		const bool is_all = look->compared < ENOUGH_COMPARED;
		size_t frames = 0, most = BLOCK / size;
		bool is_read;

		if (!unflagged[i]) {
			i++;
			continue;
		}
		for (size_t j = 0; j < most && i + j < count; j++)
			frames = is_all || unflagged[i + j] ? j + 1 : frames;
		is_read = census_look_read(look, first + i, frames) == frames;
		take_block(look, flags + i, unflagged + i, frames, is_read);
		i += frames;
	}
}

bool census_look_in_use(struct census_look *look, uint64_t page)
{
	const struct census_layout *layout = &look->layout;
	const uint64_t distance = page - layout->base;

	if (distance % layout->size || distance / layout->size >= MOST_FRAMES ||
	    !census_look_read(look, distance / layout->size, 1))
		return false;
	return !(word_at(look->buffer, layout->offset[CENSUS_PAGE_FLAGS]) &
		 (layout->lru | layout->reserved)) &&
	       !word_at(look->buffer, layout->offset[CENSUS_PAGE_MAPPING]) &&
	       type_of(look, look->buffer) == CENSUS_IN_USE;
}

void census_look_end(struct census_look *look)
{
	struct census_pages *pages = look->pages;

	if (!look->buffer)
		return;
	free(look->buffer);
	look->buffer = NULL;
	/* Frames change between the two looks, but few of them. */
	pages->is_known = look->compared &&
			  10 * look->agreed >= 9 * look->compared;
	if (!pages->is_known)
		snprintf(pages->why, sizeof(pages->why), "%s",
			 look->compared ?
				 "what is where its struct pages should be "
				 "contradicts /proc/kpageflags" :
				 "no struct page could be read");
}
