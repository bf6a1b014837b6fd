// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kallsyms.h"
#include "kernel/kallsyms_names.h"
#include "kernel/kmem.h"
#include "lib/cleanup.h"

/*
 * Finds the tables of a kernel whose VMCOREINFO does not say where they are, up
 * to Linux 5.19. They are in this order, each at a multiple of eight bytes:
 *	offsets, relative_base, num_syms, names, markers, token_table,
 *	token_index
 * num_syms and each of the markers have four bytes; in Linux 4.18, eight. The
 * tokens of the digits are the digits themselves, one after the other. The
 * search finds the token table by these, and the other tables from there.
 */

#define CHUNK (1U << 20)
#define PAGE 4096U

#define TOKENS 256
#define MAX_TOKENS_SIZE 16384

/* There is one for every 256 symbols. */
#define MAX_MARKERS 16384

/* Bytes that the 256 names after the last marker take at most. */
#define MAX_TAIL (256UL * (KALLSYMS_MAX_TOKENS / 4 + 2))

static const char digits[] = "0\0001\0002\0003\0004\0005\0006\0007\0008\0009";

#define ALIGNED(address) (((address) + 7) & ~7ULL)

struct search {
	const struct kmem *kmem;
	struct kallsyms *found;
	unsigned char chunk[CHUNK + sizeof(digits)];
};

/* Returns where the tokens end, if that of '0' is at @zero, or 0. */
static uint64_t tokens_end(const struct kmem *kmem, uint64_t zero)
{
	char text[MAX_TOKENS_SIZE];
	size_t size = kmem_read_some(kmem, zero, text, sizeof(text)), at = 0;

	for (unsigned int i = '0'; i < TOKENS; i++) {
		const char *end = memchr(text + at, '\0', size - at);

		if (!end)
			return 0;
		at = (size_t)(end - text) + 1;
	}
	return zero + at;
}

/* Sets token_table and token_index. */
static bool find_tokens(const struct search *search, uint64_t zero)
{
	struct kallsyms *found = search->found;
	uint64_t end = tokens_end(search->kmem, zero);
	uint16_t index[TOKENS];

	if (!end)
		return false;
	found->token_index = ALIGNED(end);
	if (kmem_read(search->kmem, found->token_index, index, sizeof(index)) <
		    0 ||
	    index[0] || index['9'] - index['0'] != 18)
		return false;
	found->token_table = zero - index['0'];
	return found->token_table % 8 == 0;
}

/* The words before an address, of which the last ones could be read. */
struct words {
	size_t size; /* of each, in bytes: 4 or 8 */
	size_t first; /* of those that were read */
	unsigned char *bytes; /* MAX_MARKERS of them; to be freed */
};

static uint64_t word(const struct words *words, size_t i)
{
	uint32_t half;
	uint64_t whole;

	if (words->size == sizeof(half)) {
		memcpy(&half, words->bytes + i * sizeof(half), sizeof(half));
		return half;
	}
	memcpy(&whole, words->bytes + i * sizeof(whole), sizeof(whole));
	return whole;
}

/* Reads MAX_MARKERS words or, if that fails, a half, a quarter and so on. */
static bool read_before(const struct kmem *kmem, uint64_t end,
			struct words *words)
{
	words->first = MAX_MARKERS;
	words->bytes = malloc(MAX_MARKERS * words->size);
	for (size_t count = MAX_MARKERS; words->bytes && count; count /= 2) {
		size_t size = count * words->size;
		size_t first = MAX_MARKERS - count;

		if (kmem_read(kmem, end - size,
			      words->bytes + first * words->size, size) < 0)
			continue;
		words->first = first;
		break;
	}
	return words->first <= MAX_MARKERS - 4;
}

/*
 * Finds the markers, which say where every 256th name begins. They end where
 * the tokens begin. Sets *@markers to their address, *@count to their number,
 * and *@last to what the last one says.
 */
static bool find_markers(const struct search *search, struct words *words,
			 uint64_t *markers, uint32_t *count, uint64_t *last)
{
	uint64_t end = search->found->token_table;
	size_t i = MAX_MARKERS - 1;

	if (!read_before(search->kmem, end, words))
		return false;
	/* An odd number of them is padded to a multiple of eight bytes. */
	if (!word(words, i))
		i--;
	*last = word(words, i);
	*count = 1;
	while (i > words->first && word(words, i)) {
		if (word(words, i - 1) >= word(words, i))
			return false;
		i--;
		++*count;
	}
	*markers = end - (MAX_MARKERS - i) * words->size;
	return !word(words, i) && *count > 1;
}

/* Whether there are exactly @count names from @names to @markers. */
static bool names_fit(const struct search *search, uint64_t names,
		      uint32_t count, uint64_t markers)
{
	uint64_t end;

	return kallsyms_names_end(search->kmem, names, count, &end) == 0 &&
	       ALIGNED(end) == markers;
}

/* Reads num_syms, of @size bytes. */
static int read_count(const struct kmem *kmem, uint64_t address, size_t size,
		      uint32_t *count)
{
	uint64_t whole;
	int ret;

	if (size == sizeof(*count))
		return kmem_read(kmem, address, count, size);
	ret = kmem_read(kmem, address, &whole, sizeof(whole));
	*count = ret < 0 || whole > UINT32_MAX ? 0 : (uint32_t)whole;
	return ret;
}

/* Sets the rest. Tries each address at which the names may begin. */
static bool find_names(const struct search *search, size_t word_size,
		       uint64_t markers, uint32_t marker_count, uint64_t last)
{
	struct kallsyms *found = search->found;
	uint64_t first = (markers - last) & ~7ULL;

	for (uint64_t names = first; first - names < MAX_TAIL; names -= 8) {
		uint32_t count;

		if (read_count(search->kmem, names - 8, word_size, &count) < 0)
			return false;
		if ((count + 255) / 256 != marker_count ||
		    !names_fit(search, names, count, markers))
			continue;
		found->names = names;
		found->count = count;
		found->offsets = names - 16 - ALIGNED(4ULL * count);
		return kmem_read_word(search->kmem, names - 16,
				      &found->relative_base) == 0;
	}
	return false;
}

static bool try_words(const struct search *search, size_t size)
{
	struct words words = { .size = size };
	uint64_t markers, last;
	uint32_t count;
	bool found = find_markers(search, &words, &markers, &count, &last) &&
		     find_names(search, size, markers, count, last);

	free(words.bytes);
	return found;
}

static bool try_place(const struct search *search, uint64_t zero)
{
	return find_tokens(search, zero) &&
	       (try_words(search, sizeof(uint32_t)) ||
		try_words(search, sizeof(uint64_t)));
}

static bool try_chunk(const struct search *search, uint64_t address,
		      size_t size)
{
	const unsigned char *at = search->chunk, *end = at + size;

	while ((at = memmem(at, (size_t)(end - at), digits, sizeof(digits)))) {
		if (try_place(search, address + (uint64_t)(at - search->chunk)))
			return true;
		at++;
	}
	return false;
}

int kallsyms_search(const struct kmem *kmem, uint64_t stext, uint64_t size,
		    struct kallsyms *kallsyms)
{
	_cleanup_(freep) struct search *search = malloc(sizeof(*search));
	uint64_t done = 0;

	if (!search)
		return -ENOMEM;
	*kallsyms = (struct kallsyms){ 0 };
	search->kmem = kmem;
	search->found = kallsyms;
	while (done < size) {
		size_t got = kmem_read_some(kmem, stext + done, search->chunk,
					    sizeof(search->chunk));

		if (try_chunk(search, stext + done, got))
			return 0;
		/* Some pages between text and data may have no memory. */
		if (got < CHUNK)
			done = (done + got) / PAGE * PAGE + PAGE;
		else
			done += CHUNK;
	}
	return -ENOENT;
}
