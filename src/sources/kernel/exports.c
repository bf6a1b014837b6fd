// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "kernel/btf_types.h"
#include "kernel/exports.h"
#include "kernel/kallsyms.h"
#include "kernel/kmem.h"
#include "kernel/lazy_bytes.h"
#include "kernel/vmcoreinfo.h"
#include "lib/debug.h"

#define PAGE 4096U

/*
 * Bytes from one place that is tried to the next. The tables of a usual kernel
 * are longer: Debian's have 118 to 179 KB.
 */
#define STEP 32768U

/* Bytes to search: a kernel's image, or what follows kallsyms. */
#define IMAGE_SIZE (128U << 20)
#define NEAR (2U << 20)

/* Bytes to read at most. BTF begins 360 to 750 KB after the tables. */
#define CAPACITY (2U << 20)
#define CHUNK (64U << 10)

#define ENTRY ((size_t)12)
#define MAX_NAME 128

static int32_t number_at(const unsigned char *bytes)
{
	int32_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

/* Returns the address that an offset leads to: @bytes, read from @place. */
static uint64_t target_of(uint64_t place, const unsigned char *bytes)
{
	return place + (uint64_t)(int64_t)number_at(bytes);
}

/* Reads the identifier at @address, which a NUL must precede. */
static bool read_name(const struct kmem *kmem, uint64_t address,
		      char name[MAX_NAME])
{
	char text[MAX_NAME];
	size_t size = kmem_read_some(kmem, address - 1, text, sizeof(text));

	if (size < 3 || text[0] || !text[1])
		return false;
	for (size_t i = 1; i < size; i++) {
		if (!text[i]) {
			memcpy(name, text + 1, i);
			return true;
		}
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	}
	return false;
}

/* Whether there are two entries at @place, sorted by name as in the table. */
static bool has_entries(const struct kmem *kmem, uint64_t place,
			const unsigned char *bytes)
{
	uint64_t first = target_of(place + 4, bytes + 4);
	uint64_t second = target_of(place + ENTRY + 4, bytes + ENTRY + 4);
	char name[MAX_NAME], next[MAX_NAME];

	return first - place > 2 * ENTRY && first - place < CAPACITY &&
	       second - place > 2 * ENTRY && second - place < CAPACITY &&
	       read_name(kmem, first, name) && read_name(kmem, second, next) &&
	       strcmp(name, next) < 0;
}

/* Looks for entries in @size bytes from @start on, once in every STEP bytes. */
static bool find_tables(struct exports *exports, uint64_t start, uint64_t size)
{
	/* Room for two entries, the first of which begins at word 0, 1 or 2. */
	unsigned char bytes[3 * ENTRY];

	for (uint64_t done = 0; done < size; done += STEP) {
		uint64_t place = start + done;

		if (kmem_read(exports->kmem, place, bytes, sizeof(bytes)) < 0)
			continue;
		for (size_t i = 0; i < ENTRY; i += 4) {
			if (!has_entries(exports->kmem, place + i, bytes + i))
				continue;
			exports->address = place - STEP;
			return true;
		}
	}
	return false;
}

/*
 * Returns the address where kallsyms ends, or 0. It is the last of the
 * read-only data before the tables. Up to Linux 6.3 the token index is its last
 * part. Since then the offsets come after that, and then the order by name,
 * with three bytes for each symbol.
 */
static uint64_t kallsyms_end(const char *vmcoreinfo, const struct kmem *kmem)
{
	struct kallsyms kallsyms;
	uint64_t count;

	if (kallsyms_from_vmcoreinfo(vmcoreinfo, kmem, &kallsyms) < 0)
		return 0;
	count = kallsyms.count;
	if (kallsyms.offsets < kallsyms.token_index)
		return kallsyms.token_index;
	return kallsyms.offsets + (4 + 3) * count;
}

int exports_init(struct exports *exports, const struct kmem *kmem,
		 const char *vmcoreinfo)
{
	uint64_t stext, end;

	*exports = (struct exports){ .kmem = kmem };
	if (!vmcoreinfo || !vmcoreinfo_symbol(vmcoreinfo, "_stext", &stext))
		return -ENOENT;
	end = kallsyms_end(vmcoreinfo, kmem);
	if (!(end && find_tables(exports, end / PAGE * PAGE, NEAR)) &&
	    !find_tables(exports, stext / PAGE * PAGE, IMAGE_SIZE))
		return -ENOENT;
	exports->data = lazy_bytes_reserve(CAPACITY);
	return exports->data ? 0 : -ENOMEM;
}

void exports_deinit(struct exports *exports)
{
	lazy_bytes_release(exports->data, CAPACITY);
	*exports = (struct exports){ 0 };
}

static bool read_more(struct exports *exports)
{
	size_t got;

	if (CAPACITY - exports->size < CHUNK)
		return false;
	got = kmem_read_some(exports->kmem, exports->address + exports->size,
			     exports->data + exports->size, CHUNK);
	exports->size += got;
	return got;
}

/* Sets *@at to where @bytes are in the data, and reads more data if needed. */
static bool find_bytes(struct exports *exports, const void *bytes, size_t size,
		       size_t *at)
{
	size_t from = 0;

	for (;;) {
		const unsigned char *found = memmem(exports->data + from,
						    exports->size - from, bytes,
						    size);

		if (found) {
			*at = (size_t)(found - exports->data);
			return true;
		}
		if (exports->size >= size)
			from = exports->size - size + 1;
		if (!read_more(exports))
			return false;
	}
}

/*
 * Words to compare without a branch after each, so that the compiler can
 * vectorize the loop.
 */
#define BLOCK ((size_t)256)

/* Whether a word in the block at @at leads to @target, both within @data. */
static bool has_reference(const unsigned char *data, size_t at, size_t target)
{
	uint32_t wanted = (uint32_t)(target - at);
	const unsigned char *bytes = data + at;
	unsigned int hits = 0;

	for (size_t i = 0; i < 4 * BLOCK; i += 4)
		hits |= (uint32_t)i + (uint32_t)number_at(bytes + i) == wanted;
	return hits;
}

bool exports_find(struct exports *exports, const char *name, uint64_t *value)
{
	size_t length = strlen(name), target, place = 0;
	char text[MAX_NAME] = "";

	/* With the NUL of the string before it, and its own NUL. */
	if (length + 2 > sizeof(text))
		return false;
	memcpy(text + 1, name, length);
	if (!find_bytes(exports, text, length + 2, &target))
		return false;
	target++;

	/* The tables come before the names, so they have been read. */
	while (place + 4 * BLOCK <= target &&
	       !has_reference(exports->data, place, target))
		place += 4 * BLOCK;
	for (; place + 4 <= target; place += 4) {
		if (place < 4 ||
		    (uint32_t)place + (uint32_t)number_at(exports->data +
							  place) !=
			    (uint32_t)target)
			continue;
		*value = target_of(exports->address + place - 4,
				   exports->data + place - 4);
		debug(DEBUG_KERNEL, "symbol %s: exported", name);
		return true;
	}
	return false;
}

#define BTF_HEADER 24
static const uint16_t btf_magic = BTF_MAGIC; /* in the kernel's byte order */

/* Checks a struct btf_header of the kernel; a later kernel's may be longer. */
static bool is_btf(const unsigned char *bytes)
{
	int32_t size = number_at(bytes + 12);

	return memcmp(bytes, &btf_magic, sizeof(btf_magic)) == 0 &&
	       bytes[2] == 1 && bytes[3] == 0 &&
	       number_at(bytes + 4) >= BTF_HEADER &&
	       number_at(bytes + 4) < 256 && !number_at(bytes + 8) &&
	       size > 0 && number_at(bytes + 16) >= size;
}

bool exports_find_btf(struct exports *exports, uint64_t *address)
{
	size_t at = 0;

	for (;;) {
		size_t end = exports->size < BTF_HEADER ?
				     0 :
				     exports->size - BTF_HEADER + 1;
		const unsigned char *found =
			memchr(exports->data + at,
			       *(const unsigned char *)&btf_magic, end - at);

		if (found && is_btf(found)) {
			*address = exports->address +
				   (uint64_t)(found - exports->data);
			return true;
		}
		at = found ? (size_t)(found - exports->data) + 1 : end;
		if (!found && !read_more(exports))
			return false;
	}
}
