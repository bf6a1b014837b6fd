// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernel/btf.h"
#include "kernel/kernel.h"
#include "kernel/object.h"
#include "kernel/page_contents.h"
#include "kernel/scattered.h"
#include "kernel/symbols.h"
#include "lib/error.h"

/* Bytes; a struct page has 64, a buffer_head 104. */
#define MAX_STRUCT 4096
/* PG_ and BH_ bits are within an unsigned long. */
#define MAX_BIT 63

enum owner { OWNER_PAGE, OWNER_BUFFER, OWNERS };

static const char *const owners[OWNERS] = { "page", "buffer_head" };

static const struct member {
	enum owner owner;
	const char *name, *other_name;
} members[CONTENTS_MEMBERS] = {
	[CONTENTS_PAGE_FLAGS] = { OWNER_PAGE, "flags", NULL },
	[CONTENTS_PAGE_MAPPING] = { OWNER_PAGE, "mapping", NULL },
	[CONTENTS_PAGE_INDEX] = { OWNER_PAGE, "index", "__folio_index" },
	[CONTENTS_PAGE_PRIVATE] = { OWNER_PAGE, "private", NULL },
	[CONTENTS_BUFFER_STATE] = { OWNER_BUFFER, "b_state", NULL },
	[CONTENTS_BUFFER_NEXT] = { OWNER_BUFFER, "b_this_page", NULL },
	[CONTENTS_BUFFER_PAGE] = { OWNER_BUFFER, "b_page", "b_folio" },
	[CONTENTS_BUFFER_BLOCK] = { OWNER_BUFFER, "b_blocknr", NULL },
	[CONTENTS_BUFFER_SIZE] = { OWNER_BUFFER, "b_size", NULL },
	[CONTENTS_BUFFER_DATA] = { OWNER_BUFFER, "b_data", NULL },
	[CONTENTS_BUFFER_DEVICE] = { OWNER_BUFFER, "b_bdev", NULL },
};

enum { SYMBOL_PAGE_OFFSET, SYMBOL_VMEMMAP, SYMBOLS };

static int find_member(struct page_contents *contents, const struct btf *btf,
		       const struct btf_struct *structs,
		       enum contents_member which)
{
	const struct member *member = &members[which];
	const struct btf_struct *owner = &structs[member->owner];
	uint32_t *offset = &contents->offset[which], size;
	int ret = btf_find_renamed(btf, owner, member->name, member->other_name,
				   offset, &size);

	/* All of these are read as words. */
	if (!ret && (size < sizeof(uint64_t) || owner->size > MAX_STRUCT ||
		     *offset + sizeof(uint64_t) > owner->size))
		ret = -EBADMSG;
	return ret;
}

static int find_members(struct page_contents *contents, const struct btf *btf,
			struct error *err)
{
	struct btf_struct structs[OWNERS];
	int failed;

	for (size_t i = 0; i < OWNERS; i++)
		structs[i].name = owners[i];
	btf_find_structs(btf, structs, OWNERS);
	contents->page_struct = structs[OWNER_PAGE].size;
	contents->buffer_head = structs[OWNER_BUFFER].size;
	for (size_t i = 0; i < CONTENTS_MEMBERS; i++) {
		if (find_member(contents, btf, structs, i) == 0)
			continue;
		failed = btf_failed(btf, err);
		if (failed)
			return error_within(err, failed, "reading BTF", NULL);
		return error_set(err, ERROR_UNUSABLE,
				 "this kernel has no %s.%s, and this bufstat "
				 "cannot tell what is in its pages",
				 owners[members[i].owner], members[i].name);
	}
	return 0;
}

static uint64_t find_bit(const struct btf *btf, const char *enumeration,
			 const char *name)
{
	uint32_t bit;

	return btf_find_enumerator(btf, enumeration, name, &bit) == 0 &&
			       bit <= MAX_BIT ?
		       1ULL << bit :
		       0;
}

/*
 * The symbols are variables, because both places are random (KASLR). Only
 * x86-64 has them; see page_contents_learn() for others.
 */
static int find_places(struct page_contents *contents, struct kernel *kernel,
		       struct error *err)
{
	struct kallsyms_symbol symbols[SYMBOLS] = {
		[SYMBOL_PAGE_OFFSET] = { .name = "page_offset_base" },
		[SYMBOL_VMEMMAP] = { .name = "vmemmap_base" },
	};
	int ret;

	kernel_symbols_find(kernel, symbols, SYMBOLS);
	if (!symbols[SYMBOL_PAGE_OFFSET].address ||
	    !symbols[SYMBOL_VMEMMAP].address)
		return 0;
	ret = kmem_read_word(kernel->kmem, symbols[SYMBOL_PAGE_OFFSET].address,
			     &contents->known_contents);
	if (!ret)
		ret = kmem_read_word(kernel->kmem,
				     symbols[SYMBOL_VMEMMAP].address,
				     &contents->known_page);
	contents->is_base = true;
	return ret < 0 ? error_doing(err, -ret, "reading kernel memory", NULL,
				     "%s", kmem_strerror(ret)) :
			 0;
}

int page_contents_init(struct page_contents *contents, struct kernel *kernel,
		       struct error *err)
{
	int ret;

	*contents = (struct page_contents){
		.kmem = kernel->kmem,
		.page_size = kernel->page_size,
	};
	ret = find_members(contents, &kernel->btf, err);
	if (ret < 0)
		return ret;
	contents->uptodate = find_bit(&kernel->btf, "pageflags", "PG_uptodate");
	contents->poisoned = find_bit(&kernel->btf, "pageflags", "PG_hwpoison");
	contents->buffer_uptodate =
		find_bit(&kernel->btf, "bh_state_bits", "BH_Uptodate");
	if (!contents->uptodate || !contents->buffer_uptodate)
		return error_set(err, ERROR_UNUSABLE,
				 "this kernel does not describe the flags of "
				 "its pages (PG_uptodate, BH_Uptodate)");
	return find_places(contents, kernel, err);
}

/*
 * Sets *@address to where the contents of a struct page are mapped. The structs
 * are an array (vmemmap), and so is what is mapped.
 */
static bool find_content(const struct page_contents *contents, uint64_t page,
			 uint64_t *address)
{
	int64_t distance = (int64_t)(page - contents->known_page);
	int64_t size = contents->page_struct, place;

	if (!contents->known_page || distance % size ||
	    __builtin_mul_overflow(distance / size,
				   (int64_t)contents->page_size, &place))
		return false;
	*address = contents->known_contents + (uint64_t)place;
	return true;
}

/* Pages of one folio, which are neighbours in the array. */
struct folio {
	uint64_t page; /* of its first page */
	uint64_t index; /* of its first page */
	uint64_t pages; /* in it */
	size_t which; /* the first of those looked at */
	size_t count; /* how many are looked at */
};

/* One step in the ring of a folio's buffers. */
struct buffer {
	uint64_t address;
	uint64_t first; /* address of the ring's first */
	uint64_t offset; /* of its data in the folio, bytes */
	struct folio folio;
};

struct looking {
	const struct page_contents *contents;
	const struct cached_page *pages;
	const struct page_look *look;
	struct folio *folios;
	size_t folio_count;
	struct buffer *buffers; /* to look at next, at most one of each folio */
	size_t buffer_count;
};

static void set_gone(const struct looking *looking, const struct folio *folio)
{
	for (size_t i = 0; i < folio->count; i++)
		looking->look->gone(looking->look->data, folio->which + i);
}

/* Bytes of the folio, as far as they are in the pages that are looked at. */
static void set_unread(const struct looking *looking, const struct folio *folio,
		       uint64_t offset, uint64_t size)
{
	uint64_t page_size = looking->contents->page_size;

	for (size_t i = 0; i < folio->count; i++) {
		uint64_t start =
			cached_page_within(&looking->pages[folio->which + i]) *
			page_size;
		uint64_t from = offset > start ? offset : start;
		uint64_t to = offset + size;

		if (to > start + page_size)
			to = start + page_size;
		if (from < to)
			looking->look->unread(looking->look->data,
					      folio->which + i, from - start,
					      to - from);
	}
}

static int take_folio(void *data, void *element, const unsigned char *page)
{
	struct looking *looking = data;
	const struct page_contents *contents = looking->contents;
	const uint32_t *offset = contents->offset;
	const struct folio *folio = element;
	uint64_t flags, first;

	if (!page ||
	    word_at(page, offset[CONTENTS_PAGE_MAPPING]) != contents->mapping ||
	    word_at(page, offset[CONTENTS_PAGE_INDEX]) != folio->index) {
		set_gone(looking, folio);
		return 0;
	}
	flags = word_at(page, offset[CONTENTS_PAGE_FLAGS]);
	first = word_at(page, offset[CONTENTS_PAGE_PRIVATE]);
	/* kcore shows a poisoned page as zeros. */
	if (flags & contents->poisoned)
		set_gone(looking, folio);
	else if (flags & contents->uptodate)
		return 0;
	else if (first)
		looking->buffers[looking->buffer_count++] = (struct buffer){
			.address = first,
			.first = first,
			.folio = *folio,
		};
	else
		set_unread(looking, folio, 0,
			   folio->pages * contents->page_size);
	return 0;
}

/* Whether it is the buffer of this part of this folio. */
static bool is_of_folio(const struct page_contents *contents,
			const struct buffer *buffer, const unsigned char *head)
{
	const uint32_t *offset = contents->offset;
	uint64_t size = word_at(head, offset[CONTENTS_BUFFER_SIZE]);
	uint64_t all = buffer->folio.pages * contents->page_size;

	if (!size || size % 512 || size > all - buffer->offset)
		return false;
	/* A folio is contiguous, so b_page may be any page of it. */
	return word_at(head, offset[CONTENTS_BUFFER_PAGE]) >=
		       buffer->folio.page &&
	       word_at(head, offset[CONTENTS_BUFFER_PAGE]) <
		       buffer->folio.page +
			       buffer->folio.pages * contents->page_struct &&
	       word_at(head, offset[CONTENTS_BUFFER_DEVICE]) ==
		       contents->device &&
	       word_at(head, offset[CONTENTS_BUFFER_BLOCK]) * size ==
		       buffer->folio.index * contents->page_size +
			       buffer->offset;
}

/* Whether its data is where that part of the folio is, too. */
static bool is_in_place(const struct page_contents *contents,
			const struct buffer *buffer, const unsigned char *head)
{
	uint64_t address;

	return is_of_folio(contents, buffer, head) &&
	       find_content(contents, buffer->folio.page, &address) &&
	       word_at(head, contents->offset[CONTENTS_BUFFER_DATA]) ==
		       address + buffer->offset;
}

/* Follows the ring: @buffers is also where the next ones are put. */
static int take_buffer(void *data, void *element, const unsigned char *head)
{
	struct looking *looking = data;
	const uint32_t *offset = looking->contents->offset;
	struct buffer buffer = *(struct buffer *)element;
	uint64_t size, next;

	if (!head || !is_in_place(looking->contents, &buffer, head)) {
		set_gone(looking, &buffer.folio);
		return 0;
	}
	size = word_at(head, offset[CONTENTS_BUFFER_SIZE]);
	next = word_at(head, offset[CONTENTS_BUFFER_NEXT]);
	if (!(word_at(head, offset[CONTENTS_BUFFER_STATE]) &
	      looking->contents->buffer_uptodate))
		set_unread(looking, &buffer.folio, buffer.offset, size);
	buffer.address = next;
	buffer.offset += size;
	if (buffer.offset < buffer.folio.pages * looking->contents->page_size)
		looking->buffers[looking->buffer_count++] = buffer;
	else if (next != buffer.first)
		set_gone(looking, &buffer.folio);
	return 0;
}

static int look_at_buffers(struct looking *looking)
{
	struct scattered buffers = {
		.array = looking->buffers,
		.size = sizeof(*looking->buffers),
		.object_size = looking->contents->buffer_head,
		.take = take_buffer,
		.data = looking,
	};
	int ret = 0;

	/* Each step of a ring has 512 bytes at least, so this ends. */
	while (!ret && looking->buffer_count) {
		buffers.count = looking->buffer_count;
		looking->buffer_count = 0;
		ret = scattered_read(looking->contents->kmem, &buffers);
	}
	return ret;
}

static struct folio folio_of(const struct page_contents *contents,
			     const struct cached_page *page)
{
	uint64_t within = cached_page_within(page);

	return (struct folio){
		.page = page->page - within * contents->page_struct,
		.index = cached_page_index(page) - within,
		.pages = 1ULL << (page->place & 0xff),
		.count = 1,
	};
}

static void list_folios(struct looking *looking, size_t first, size_t count)
{
	for (size_t i = first; i < first + count; i++) {
		struct folio folio =
			folio_of(looking->contents, &looking->pages[i]);
		struct folio *last =
			looking->folio_count ?
				&looking->folios[looking->folio_count - 1] :
				NULL;

		if (last && last->page == folio.page) {
			last->count++;
			continue;
		}
		folio.which = i;
		looking->folios[looking->folio_count++] = folio;
	}
}

static int look_at_folios(struct looking *looking)
{
	const struct scattered folios = {
		.array = looking->folios,
		.count = looking->folio_count,
		.size = sizeof(*looking->folios),
		.object_size = looking->contents->page_struct,
		.take = take_folio,
		.data = looking,
	};
	int ret = scattered_read(looking->contents->kmem, &folios);

	return ret ? ret : look_at_buffers(looking);
}

int page_contents_look(const struct page_contents *contents,
		       const struct cached_page *pages, size_t first,
		       size_t count, const struct page_look *look)
{
	struct looking looking = {
		.contents = contents,
		.pages = pages,
		.look = look,
		.folios = calloc(count + 1, sizeof(*looking.folios)),
		.buffers = calloc(count + 1, sizeof(*looking.buffers)),
	};
	int ret = -ENOMEM;

	if (looking.folios && looking.buffers) {
		list_folios(&looking, first, count);
		ret = look_at_folios(&looking);
	}
	free(looking.folios);
	free(looking.buffers);
	return ret;
}

/* Reads the folio's struct page, if it is still the device's. */
static bool read_folio(const struct page_contents *contents,
		       const struct folio *folio, uint64_t *first_buffer)
{
	const uint32_t *offset = contents->offset;
	unsigned char page[MAX_STRUCT];

	if (kmem_read(contents->kmem, folio->page, page,
		      contents->page_struct) < 0 ||
	    word_at(page, offset[CONTENTS_PAGE_MAPPING]) != contents->mapping ||
	    word_at(page, offset[CONTENTS_PAGE_INDEX]) != folio->index)
		return false;
	*first_buffer = word_at(page, offset[CONTENTS_PAGE_PRIVATE]);
	return *first_buffer != 0;
}

/* Sets *@address to where the folio's contents are, if its buffers say so. */
static bool ask_buffers(const struct page_contents *contents,
			const struct folio *folio, uint64_t *address)
{
	struct buffer buffer = { .folio = *folio };
	unsigned char head[MAX_STRUCT];
	uint64_t again;

	if (!read_folio(contents, folio, &buffer.address) ||
	    kmem_read(contents->kmem, buffer.address, head,
		      contents->buffer_head) < 0 ||
	    !is_of_folio(contents, &buffer, head) ||
	    !read_folio(contents, folio, &again) || again != buffer.address)
		return false;
	*address = word_at(head, contents->offset[CONTENTS_BUFFER_DATA]);
	return *address && *address % contents->page_size == 0;
}

/* Folios to ask, spread over the device. None has buffers if it was read raw. */
#define MOST_ASKED 4096

bool page_contents_learn(struct page_contents *contents,
			 const struct cached_page *pages, size_t count)
{
	size_t step = count / MOST_ASKED + 1;
	struct page_contents learned = *contents;

	if (contents->is_base) {
		/* Without CONFIG_SPARSEMEM_VMEMMAP there is nothing at it. */
		if (count && pages[0].page < contents->known_page)
			contents->known_page = 0;
		return contents->known_page;
	}
	for (size_t i = 0; !contents->known_page && i < count; i += step) {
		struct folio folio = folio_of(contents, &pages[i]);
		uint64_t address, expected;

		if (!ask_buffers(contents, &folio, &address))
			continue;
		/* Two that agree, lest one was changed while it was read. */
		if (find_content(&learned, folio.page, &expected) &&
		    expected == address && folio.page != learned.known_page)
			*contents = learned;
		learned.known_page = folio.page;
		learned.known_contents = address;
	}
	return contents->known_page;
}

/* For page_contents_read(), which looks at one page. */
struct one_page {
	uint64_t valid;
	bool is_gone;
};

static void one_gone(void *data, size_t which __attribute__((unused)))
{
	struct one_page *one = data;

	one->is_gone = true;
}

/* A part counts only if all of it was read. */
static void one_unread(void *data, size_t which __attribute__((unused)),
		       uint64_t offset, uint64_t size)
{
	struct one_page *one = data;

	for (uint64_t part = offset / CONTENTS_PART;
	     part * CONTENTS_PART < offset + size; part++)
		one->valid &= ~(1ULL << part);
}

int page_contents_read(const struct page_contents *contents,
		       const struct cached_page *page, void *bytes,
		       uint64_t *valid)
{
	struct one_page one = { .valid = UINT64_MAX };
	const struct page_look look = { one_gone, one_unread, &one };
	uint64_t address;
	int ret;

	if (!find_content(contents, page->page, &address))
		return -ESTALE;
	ret = page_contents_look(contents, page, 0, 1, &look);
	if (!ret && one.is_gone)
		return -ESTALE;
	if (!ret)
		ret = kmem_read(contents->kmem, address, bytes,
				contents->page_size);
	if (!ret)
		ret = page_contents_look(contents, page, 0, 1, &look);
	if (ret < 0)
		return ret == -EFAULT ? -ESTALE : ret;
	*valid = one.valid;
	return one.is_gone ? -ESTALE : 0;
}
