// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into bufstat by tests/vm/hostile and lacks_page. What it reads with
 * pread(2) from a dump is damaged in places that SEED chooses. One word in ODDS
 * becomes zero, all ones, noise, the word before it, or a pointer that was
 * read earlier, so that lists lead into each other and back. The same place is
 * always damaged in the same way. The first START bytes of the file stay: its
 * headers. So do reads with few pointers, unless TYPES is 1: the symbols and
 * types.
 *
 * The file ends before the page at LACKS if that is to be read, as if the dump
 * did not have it.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define START 65536
#define POINTERS 4096
#define PLACES 65536

static uint64_t pointers[POINTERS];
static size_t pointer_count;
/* What was put where; when it is full, nothing more is damaged. */
static struct {
	uint64_t place;
	uint64_t word;
} damaged[PLACES];
static size_t damaged_count;

static uint64_t number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : 0;
}

/* splitmix64 */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static uint64_t replacement(uint64_t dice, uint64_t word, uint64_t before)
{
	switch (dice % 8) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return mix(dice);
	case 3:
		return before;
	case 4:
		return word ^ 1ULL << (dice >> 8 & 63);
	default:
		return pointer_count ?
			       pointers[(dice >> 8) % pointer_count % POINTERS] :
			       0;
	}
}

static uint64_t damage(uint64_t place, uint64_t dice, uint64_t word,
		       uint64_t before)
{
	size_t i = place / 8 % PLACES;

	for (; damaged[i].place; i = (i + 1) % PLACES) {
		if (damaged[i].place == place)
			return damaged[i].word;
	}
	if (++damaged_count >= PLACES)
		return word;
	damaged[i].place = place;
	damaged[i].word = replacement(dice, word, before);
	return damaged[i].word;
}

static int is_pointer(uint64_t word)
{
	return word >> 47 == 0x1ffff;
}

/*
 * Of structures, at least one word in 32 is one. What is read begins at a word,
 * though the place in the file may be odd.
 */
static int has_pointers(const char *bytes, size_t size)
{
	size_t found = 0;
	uint64_t word;

	for (uint64_t at = 0; at + 8 <= size; at += 8) {
		memcpy(&word, bytes + at, sizeof(word));
		found += is_pointer(word);
	}
	return found * 32 >= size / 8;
}

static void damage_all(char *bytes, size_t size, uint64_t offset)
{
	static uint64_t seed, odds, types;
	uint64_t word, before = 0;

	if (!odds) {
		seed = mix(number("SEED"));
		odds = number("ODDS");
		types = number("TYPES");
	}
	if (!odds || (!types && !has_pointers(bytes, size)))
		return;
	for (uint64_t at = 0; at + 8 <= size; at += 8) {
		uint64_t dice = mix(seed ^ (offset + at));

		memcpy(&word, bytes + at, sizeof(word));
		if (is_pointer(word))
			pointers[pointer_count++ % POINTERS] = word;
		if (offset + at >= START && dice % odds == 0) {
			uint64_t other =
				damage(offset + at, dice >> 16, word, before);

			memcpy(bytes + at, &other, sizeof(other));
		}
		before = word;
	}
}

#define PAGE 4096

static int is_lacking(uint64_t offset, size_t size)
{
	uint64_t page = number("LACKS");

	return page && offset < page + PAGE && offset + size > page;
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	static ssize_t (*real)(int, void *, size_t, off_t);
	ssize_t got;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pread");
	if (is_lacking((uint64_t)offset, size))
		return 0;
	got = real(fd, buffer, size, offset);
	if (got > 0)
		damage_all(buffer, (size_t)got, (uint64_t)offset);
	return got;
}

ssize_t pread64(int fd, void *buffer, size_t size, off_t offset)
	__attribute__((alias("pread")));
