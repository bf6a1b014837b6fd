// SPDX-License-Identifier: GPL-2.0-or-later
/* Reduced BTF of real kernels, and invalid BTF. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/bdev_layout.h"
#include "kernel/btf.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "seeds.h"
#include "test.h"

/* pahole's answers for the whole BTF of these kernels. */
static const struct expected {
	const char *seed;
	uint32_t bdev_inode_size;
	uint32_t inode_size;
	uint32_t offset[BDEV_MEMBERS];
} kernels[] = {
	{ "btf/debian-5.10", 784, 600, { 1352, 40,  0,	 280,	      48, 40,
					 76,   88,  0,	 184,	      0,  0,
					 4,    128, 104, BDEV_ABSENT, 12, 8,
					 4,    8,   128 } },
	{ "btf/debian-6.1", 1560, 632, { 1416, 40,  0,	 280,	      48, 40,
					 76,   128, 0,	 928,	      0,  36,
					 40,   856, 848, BDEV_ABSENT, 12, 8,
					 4,    8,   160 } },
	{ "btf/debian-6.12",
	  1600,
	  624,
	  { 1352, 40, 0,  272,	       48, 40, 76, 88, 0, 976, 0,
	    52,	  64, 16, BDEV_ABSENT, 48, 12, 8,  4,  8, 120 } },
	{ "btf/debian-7.3",
	  1544,
	  560,
	  { 1352, 56, 0,  264,	       48, 40, 76, 80, 0, 984, 0,
	    52,	  64, 16, BDEV_ABSENT, 48, 12, 8,  4,  8, 112 } },
};

static void expect_layout(const struct expected *kernel,
			  const struct bdev_layout *layout)
{
	assert_int_equal(layout->bdev_inode_size, kernel->bdev_inode_size);
	assert_int_equal(layout->inode_size, kernel->inode_size);
	for (size_t i = 0; i < BDEV_MEMBERS; i++) {
		if (layout->offset[i] != kernel->offset[i])
			fail_msg("%s: member %zu: %u", kernel->seed, i,
				 layout->offset[i]);
	}
}

static void real_kernels(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(kernels); i++) {
		_cleanup_(freep) char *data = NULL;
		struct bdev_layout layout;
		struct error err = { 0 };
		struct btf btf;
		size_t size;

		data = seed_read_btf(kernels[i].seed, &size);
		assert_int_equal(btf_init(&btf, data, size, &err), 0);
		assert_int_equal(bdev_layout_init(&layout, &btf, &err), 0);
		expect_layout(&kernels[i], &layout);
		assert_int_equal(bdev_layout_derive(&layout, &btf, &err), 0);
		expect_layout(&kernels[i], &layout);
		assert_int_equal(btf_failed(&btf, &err), 0);
		btf_deinit(&btf);
	}
}

/* A file of which only a part can be read; counts how much was read. */
struct source {
	const char *data;
	size_t size; /* bytes that can be read */
	size_t bytes;
};

static int read_source(void *from, uint64_t offset, void *buffer, size_t size)
{
	struct source *source = from;

	if (offset > source->size || size > source->size - offset)
		return -EIO;
	memcpy(buffer, source->data + offset, size);
	source->bytes += size;
	return 0;
}

static void members_of_members(void **state __attribute__((unused)))
{
	static const struct {
		const char *path;
		int result;
		uint32_t offset;
		uint32_t size;
	} cases[] = {
		{ "vfs_inode", 0, 976, 624 },
		{ "vfs_inode.i_rdev", 0, 976 + 76, 4 },
		{ "bdev.bd_disk", 0, 16, 8 },
		{ "vfs_inode.i_nlink", 0, 976 + 72, 4 }, /* anonymous union */
		{ "vfs_inode.i_rdev.more", -ENOENT, 0, 0 },
		{ "vfs", -ENOENT, 0, 0 },
		{ "vfs_inode.", -ENOENT, 0, 0 },
		{ "", -ENOENT, 0, 0 },
	};
	_cleanup_(freep) char *data = NULL;
	struct btf_struct owner = { .name = "bdev_inode" };
	struct error err;
	struct btf btf;
	size_t size;

	data = seed_read_btf("btf/debian-6.12", &size);
	assert_int_equal(btf_init(&btf, data, size, &err), 0);
	btf_find_structs(&btf, &owner, 1);
	assert_int_equal(owner.size, 1600);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint32_t offset = 0, length = 0;

		assert_int_equal(btf_find_member(&btf, &owner, cases[i].path,
						 &offset, &length),
				 cases[i].result);
		if (cases[i].result == 0) {
			assert_int_equal(offset, cases[i].offset);
			assert_int_equal(length, cases[i].size);
		}
	}
	btf_deinit(&btf);
}

/* Hand-made types, for BTF that no kernel would have. */
struct made {
	struct {
		uint16_t magic;
		uint8_t version;
		uint8_t flags;
		uint32_t header_size, types_offset, types_size;
		uint32_t strings_offset, strings_size;
	} header;
	uint32_t types[24];
	char strings[16];
};

#define STRUCT(members) (4U << 24 | (members))
#define TYPEDEF (8U << 24)
#define HAS_WIDTHS (1U << 31)

/* "s" is at 1, "m" at 3. */
static struct made make(const uint32_t *types, size_t count)
{
	struct made made = {
		.header = { 0xeb9f, 1, 0, 24, 0, (uint32_t)count * 4, 96, 16 },
		.strings = "\0s\0m",
	};

	if (count)
		memcpy(made.types, types, count * sizeof(*types));
	return made;
}

static int find_made(const struct made *made, const char *path)
{
	struct btf_struct owner = { .name = "s" };
	uint32_t offset, size;
	struct error err;
	struct btf btf;
	int ret;

	assert_int_equal(btf_init(&btf, made, sizeof(*made), &err), 0);
	btf_find_structs(&btf, &owner, 1);
	assert_int_not_equal(owner.id, 0);
	ret = btf_find_member(&btf, &owner, path, &offset, &size);
	btf_deinit(&btf);
	return ret;
}

/* The words that follow each kind of type, as in <linux/btf.h>. */
static void every_kind(void **state __attribute__((unused)))
{
	static const struct {
		uint32_t info;
		size_t words;
	} kinds[] = {
		{ 1U << 24, 1 },      { 2U << 24, 0 },	   { 3U << 24, 3 },
		{ STRUCT(2), 6 },     { 5U << 24 | 2, 6 }, { 6U << 24 | 2, 4 },
		{ 7U << 24, 0 },      { TYPEDEF, 0 },	   { 9U << 24, 0 },
		{ 10U << 24, 0 },     { 11U << 24, 0 },	   { 12U << 24, 0 },
		{ 13U << 24 | 2, 4 }, { 14U << 24, 1 },	   { 15U << 24 | 2, 6 },
		{ 16U << 24, 0 },     { 17U << 24, 1 },	   { 18U << 24, 0 },
		{ 19U << 24 | 2, 6 },
	};
	/* A struct s with a pointer m in it, and the pointer's type. */
	static const uint32_t rest[] = { 1,  STRUCT(1), 16,	  3, 3,
					 64, 0,		2U << 24, 0 };

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		uint32_t types[24] = { 0, kinds[i].info };
		struct made made;

		memcpy(types + 3 + kinds[i].words, rest, sizeof(rest));
		made = make(types, 3 + kinds[i].words + COUNT_OF(rest));
		if (find_made(&made, "m") < 0)
			fail_msg("kind %zu", i + 1);
	}
}

static void members_that_cannot_be_used(void **state __attribute__((unused)))
{
	static const uint32_t bit_field[] = { 1, HAS_WIDTHS | STRUCT(1),
					      8, 3,
					      1, 3U << 24 };
	static const uint32_t part_of_byte[] = { 1, STRUCT(1), 8, 3, 1, 4 };
	static const uint32_t no_such_type[] = { 1, STRUCT(1), 8, 3, 9, 0 };
	static const uint32_t of_void[] = { 1, STRUCT(1), 8, 3, 0, 0 };
	static const uint32_t own_typedef[] = { 1, STRUCT(1), 8,       3, 2,
						0, 3,	      TYPEDEF, 2 };
	static const uint32_t within_itself[] = { 1, STRUCT(2), 8, 0, 1,
						  0, 0,		1, 0 };
	struct made made = make(bit_field, COUNT_OF(bit_field));

	assert_int_equal(find_made(&made, "m"), -EBADMSG);
	made = make(part_of_byte, COUNT_OF(part_of_byte));
	assert_int_equal(find_made(&made, "m"), -EBADMSG);
	made = make(no_such_type, COUNT_OF(no_such_type));
	assert_int_equal(find_made(&made, "m"), -EBADMSG);
	made = make(of_void, COUNT_OF(of_void));
	assert_int_equal(find_made(&made, "m"), -EBADMSG);
	made = make(own_typedef, COUNT_OF(own_typedef));
	assert_int_equal(find_made(&made, "m"), -EBADMSG);
	/* Two per level: without a bound the search would take forever. */
	made = make(within_itself, COUNT_OF(within_itself));
	assert_int_equal(find_made(&made, "m"), -ENOENT);
}

/*
 * Its struct is called "s" by a string of its own, with a member "m" by one of
 * the kernel's, and another in a struct whose type is the kernel's.
 */
static void of_module(void **state __attribute__((unused)))
{
	static const uint32_t types[] = { 17, STRUCT(3), 16, 3,	 99, 32,
					  0,  98,	 64, 19, 99, 0 };
	struct made kernel = make(NULL, 0);
	struct made module = make(types, COUNT_OF(types));
	struct btf_struct owner = { .name = "s" };
	struct btf btf = { 0 }, base;
	uint32_t offset, size;
	struct error err;

	module.strings[3] = 't';
	assert_int_equal(btf_init(&base, &kernel, sizeof(kernel), &err), 0);
	assert_int_equal(
		btf_init_module(&btf, &base, &module, sizeof(module), &err), 0);
	btf_find_structs(&btf, &owner, 1);
	assert_int_not_equal(owner.id, 0);
	assert_int_equal(owner.size, 16);
	assert_int_equal(btf_find_member(&btf, &owner, "m", &offset, &size), 0);
	assert_int_equal(offset, 4);
	assert_int_equal(size, 4);
	assert_int_equal(btf_find_member(&btf, &owner, "t", &offset, &size), 0);
	assert_int_equal(offset, 0);
	assert_int_equal(btf_find_member(&btf, &owner, "m.m", &offset, &size),
			 -ENOENT);
	assert_int_equal(btf_find_member(&btf, &owner, "x", &offset, &size),
			 -ENOENT);
	btf_deinit(&btf);
	assert_int_equal(btf_init_module(&btf, &base, &module, 20, &err),
			 -EBADMSG);
	btf_deinit(&btf);
	btf_deinit(&base);
}

/* Called "s", with "m" in it. */
static void enumerators(void **state __attribute__((unused)))
{
	static const uint32_t types[] = { 3, STRUCT(0), 8, 1, 6U << 24 | 2,
					  4, 1,		7, 3, 42 };
	static const uint32_t negative[] = { 1, 6U << 24 | 1, 4, 3, -1U };
	static const uint32_t nameless[] = { 1, 6U << 24 | 1, 4, 3, 42,
					     0, 6U << 24 | 1, 4, 3, 43 };
	struct made made = make(types, COUNT_OF(types));
	struct error err;
	struct btf btf;
	uint32_t value;

	assert_int_equal(btf_init(&btf, &made, sizeof(made), &err), 0);
	assert_int_equal(btf_find_enumerator(&btf, "s", "m", &value), 0);
	assert_int_equal(value, 42);
	assert_int_equal(btf_find_enumerator(&btf, "s", "t", &value), -ENOENT);
	assert_int_equal(btf_find_enumerator(&btf, "m", "m", &value), -ENOENT);
	btf_deinit(&btf);
	made = make(negative, COUNT_OF(negative));
	assert_int_equal(btf_init(&btf, &made, sizeof(made), &err), 0);
	assert_int_equal(btf_find_enumerator(&btf, "s", "m", &value), -EBADMSG);
	btf_deinit(&btf);
	made = make(nameless, COUNT_OF(nameless));
	assert_int_equal(btf_init(&btf, &made, sizeof(made), &err), 0);
	assert_int_equal(btf_find_constant(&btf, "m", 2, &value), 0);
	assert_int_equal(value, 43);
	assert_int_equal(btf_find_constant(&btf, "m", 1, &value), -ENOENT);
	assert_int_equal(btf_find_constant(&btf, "t", 2, &value), -ENOENT);
	btf_deinit(&btf);
}

static void expect_refused(const struct made *made, size_t size,
			   const char *message)
{
	struct error err = { 0 };
	struct btf btf;

	assert_int_equal(btf_init(&btf, made, size, &err), -EBADMSG);
	if (!strstr(text_of(&err), message))
		fail_msg("%s", text_of(&err));
	assert_null(btf.types);
}

static void bad_headers(void **state __attribute__((unused)))
{
	static const uint32_t types[] = { 1, STRUCT(1), 8, 3, 1, 0 };
	const struct made good = make(types, COUNT_OF(types));
	struct made bad;

	expect_refused(&good, 0, "no room for a header");
	expect_refused(&good, 23, "no room for a header");
	expect_refused(&good, sizeof(good) - 1, "sections past its end");
	bad = good, bad.header.magic = 0x9feb;
	expect_refused(&bad, sizeof(bad), "byte order");
	bad = good, bad.header.version = 2;
	expect_refused(&bad, sizeof(bad), "version 2 is not known");
	bad = good, bad.header.header_size = 20;
	expect_refused(&bad, sizeof(bad), "a header of 20 bytes");
	bad = good, bad.header.header_size = UINT32_MAX;
	expect_refused(&bad, sizeof(bad), "a header of");
	bad = good, bad.header.types_offset = UINT32_MAX;
	expect_refused(&bad, sizeof(bad), "sections past its end");
	bad = good, bad.header.types_size = UINT32_MAX;
	expect_refused(&bad, sizeof(bad), "sections past its end");
	bad = good, bad.header.strings_size = UINT32_MAX;
	expect_refused(&bad, sizeof(bad), "sections past its end");
}

/* Expects @message only when the search gets as far as the bad type. */
static void expect_failure(const struct made *made, const char *message)
{
	struct btf_struct structs[] = { { .name = "s" }, { .name = "m" } };
	struct error err = { 0 };
	struct btf btf;

	assert_int_equal(btf_init(&btf, made, sizeof(*made), &err), 0);
	btf_find_structs(&btf, structs, 1);
	btf_find_structs(&btf, structs, 2);
	assert_int_equal(structs[1].id, 0);
	if (message)
		assert_int_equal(btf_failed(&btf, &err), -EBADMSG);
	else
		assert_int_equal(btf_failed(&btf, &err), 0);
	if (message && !strstr(text_of(&err), message))
		fail_msg("%s", text_of(&err));
	btf_deinit(&btf);
}

static void bad_types(void **state __attribute__((unused)))
{
	static const uint32_t types[] = { 1, STRUCT(1), 8, 3, 1, 0 };
	const struct made good = make(types, COUNT_OF(types));
	struct made bad;

	expect_failure(&good, NULL);
	bad = good, bad.header.strings_size = 0;
	expect_failure(&bad, NULL);
	bad = good, bad.header.types_size = 20;
	expect_failure(&bad, "type 1 is cut off");
	bad = good, bad.types[1] = STRUCT(2);
	expect_failure(&bad, "type 1 is cut off");
	bad = good, bad.header.types_size = 28;
	expect_failure(&bad, "type 2 is cut off");
	bad = good, bad.types[1] = 20U << 24;
	expect_failure(&bad, "does not know");
	bad = good, bad.types[1] = 0;
	expect_failure(&bad, "does not know");
	bad = good, bad.types[1] |= 1U << 20;
	expect_failure(&bad, "does not know");
}

/* An unterminated name does not match past the end of the strings. */
static void names_without_end(void **state __attribute__((unused)))
{
	static const uint32_t types[] = { 15, STRUCT(1), 8, 15, 1, 0 };
	struct made made = make(types, COUNT_OF(types));
	struct btf_struct owner = { .name = "s" };
	struct error err;
	struct btf btf;

	made.strings[15] = 's';
	assert_int_equal(btf_init(&btf, &made, sizeof(made), &err), 0);
	btf_find_structs(&btf, &owner, 1);
	assert_int_equal(owner.id, 0);
	btf_deinit(&btf);
}

/* BTF as large as a kernel's, made by the functions below. */
struct large {
	char data[1 << 20];
	char strings[1 << 18];
	uint32_t types_size, strings_size;
};

static uint32_t large_string(struct large *large, const char *text)
{
	uint32_t at = large->strings_size;

	strcpy(large->strings + at, text);
	large->strings_size += (uint32_t)strlen(text) + 1;
	return at;
}

static void large_words(struct large *large, const uint32_t *words,
			size_t count)
{
	memcpy(large->data + 24 + large->types_size, words, 4 * count);
	large->types_size += (uint32_t)(4 * count);
}

/* A struct of @i bytes whose last member has four bytes, at @i - 4. */
static void large_struct(struct large *large, uint32_t i, const char *name)
{
	const uint32_t words[] = {
		large_string(large, name),    STRUCT(2), i + 8,
		large_string(large, "first"), 2,	 0,
		large_string(large, "last"),  1,	 8 * (i + 4)
	};

	large_words(large, words, COUNT_OF(words));
}

static size_t large_finish(struct large *large)
{
	struct made made = { .header = { 0xeb9f, 1, 0, 24, 0, large->types_size,
					 large->types_size,
					 large->strings_size } };

	memcpy(large->data, &made.header, sizeof(made.header));
	memcpy(large->data + 24 + large->types_size, large->strings,
	       large->strings_size);
	return 24 + large->types_size + large->strings_size;
}

#define NAMED_TYPES 4000

/* An enum between the structs; its values look like other types. */
static void large_noise(struct large *large, uint32_t i)
{
	char name[16];
	uint32_t words[] = { 0, 6U << 24 | 4, 4, 0, 2U << 24, 1, 0,
			     0, 2U << 24,     1, 0 };

	snprintf(name, sizeof(name), "n%05ue", i);
	words[0] = large_string(large, name);
	large_words(large, words, COUNT_OF(words));
}

/* As in Linux 7.3: types without a name first, the others sorted by name. */
static void make_sorted(struct large *large)
{
	static const uint32_t pointer[] = { 0, 2U << 24, 2 };
	char name[16];

	*large = (struct large){ .strings_size = 1 };
	for (int i = 0; i < 1000; i++)
		large_words(large, pointer, COUNT_OF(pointer));
	for (uint32_t i = 0; i < NAMED_TYPES; i++) {
		snprintf(name, sizeof(name), "n%05u", i);
		/* A struct and a function of the same name. */
		if (i % 3 == 0) {
			const uint32_t function[] = { large_string(large, name),
						      12U << 24, 1 };

			large_words(large, function, COUNT_OF(function));
		}
		large_struct(large, i, name);
		if (i % 7 == 0)
			large_noise(large, i);
	}
}

static void expect_found(const struct btf *btf, uint32_t i)
{
	struct btf_struct owner = { 0 };
	uint32_t offset, size;
	char name[16];

	snprintf(name, sizeof(name), "n%05u", i);
	owner.name = name;
	btf_find_structs(btf, &owner, 1);
	if (!owner.id)
		fail_msg("%s is not found", name);
	assert_int_equal(owner.size, i + 8);
	assert_int_equal(btf_find_member(btf, &owner, "last", &offset, &size),
			 0);
	assert_int_equal(offset, i + 4);
}

static void sorted(void **state __attribute__((unused)))
{
	static struct large large;
	struct btf_struct missing = { .name = "n00001x" };
	struct error err;
	struct source source;
	struct btf btf;
	size_t size;

	make_sorted(&large);
	size = large_finish(&large);
	source = (struct source){ large.data, size, 0 };
	for (uint32_t i = 0; i < NAMED_TYPES; i += 97) {
		source.bytes = 0;
		assert_int_equal(btf_init_lazily(&btf, read_source, &source,
						 size, &err),
				 0);
		expect_found(&btf, i);
		/* Bisection reads a fifth of the 230 KB, a search reads all. */
		if (source.bytes > size / 4)
			fail_msg("%zu of %zu bytes read", source.bytes, size);
		btf_deinit(&btf);
	}
	assert_int_equal(btf_init(&btf, large.data, size, &err), 0);
	for (uint32_t i = 0; i < NAMED_TYPES; i++)
		expect_found(&btf, i);
	btf_find_structs(&btf, &missing, 1);
	assert_int_equal(missing.id, 0);
	assert_int_equal(btf_failed(&btf, &err), 0);
	btf_deinit(&btf);
}

/*
 * A member's type may be far away: its size is the room that it has, and what
 * is in it is found by its struct's name.
 */
static void room_of_members(void **state __attribute__((unused)))
{
	static struct large large;
	struct btf_struct owner = { .name = "o" };
	uint32_t offset, size;
	struct error err;
	struct btf btf;
	size_t bytes;

	make_sorted(&large);
	large_struct(&large, 7, "o");
	/* The members are structs n00000, the second type with a name. */
	memcpy(large.data + 24 + large.types_size - 8, &(uint32_t){ 1002 }, 4);
	memcpy(large.data + 24 + large.types_size - 20, &(uint32_t){ 1002 }, 4);
	bytes = large_finish(&large);
	assert_int_equal(btf_init(&btf, large.data, bytes, &err), 0);
	btf_find_structs(&btf, &owner, 1);
	assert_int_equal(btf_find_member(&btf, &owner, "last", &offset, &size),
			 0);
	assert_int_equal(offset, 11);
	assert_int_equal(size, 4); /* up to the struct's end */
	assert_int_equal(btf_find_member(&btf, &owner, "first", &offset, &size),
			 0);
	assert_int_equal(size, 11); /* up to the other one */
	assert_int_equal(btf_find_member(&btf, &owner, "last:n00100.last",
					 &offset, &size),
			 0);
	assert_int_equal(offset, 11 + 104);
	/* By its number, if there is no such struct. */
	assert_int_equal(btf_find_member(&btf, &owner, "last:none.last",
					 &offset, &size),
			 0);
	assert_int_equal(offset, 11 + 4);
	assert_int_equal(btf_find_member(&btf, &owner, "last:n00100.none",
					 &offset, &size),
			 -ENOENT);
	btf_deinit(&btf);
}

/* BTF that begins as if sorted but is not: everything is still found. */
static void not_sorted(void **state __attribute__((unused)))
{
	static struct large large;
	struct error err;
	struct btf btf;
	char name[16];
	size_t size;

	make_sorted(&large);
	for (uint32_t i = NAMED_TYPES; i < NAMED_TYPES + 100; i++) {
		snprintf(name, sizeof(name), "n%05u", 2 * NAMED_TYPES + 99 - i);
		large_struct(&large, 2 * NAMED_TYPES + 99 - i, name);
	}
	size = large_finish(&large);
	assert_int_equal(btf_init(&btf, large.data, size, &err), 0);
	for (uint32_t i = 0; i < NAMED_TYPES + 100; i += 13)
		expect_found(&btf, i);
	btf_deinit(&btf);
}

/* A read error is not the same as a missing type. */
static void read_errors(void **state __attribute__((unused)))
{
	static struct large large;
	struct btf_struct owner = { .name = "n00100" };
	struct bdev_layout layout;
	struct error err;
	struct source source;
	struct btf btf;
	size_t size;

	make_sorted(&large);
	size = large_finish(&large);
	source = (struct source){ large.data, 23, 0 };
	assert_int_equal(
		btf_init_lazily(&btf, read_source, &source, size, &err), -EIO);
	source.size = 65536;
	assert_int_equal(
		btf_init_lazily(&btf, read_source, &source, size, &err), 0);
	btf_find_structs(&btf, &owner, 1);
	assert_int_equal(owner.id, 0);
	assert_int_equal(btf_failed(&btf, &err), -EIO);
	assert_string_equal(text_of(&err), strerror(EIO));
	assert_int_equal(bdev_layout_init(&layout, &btf, &err), -EIO);
	assert_string_equal(text_of(&err), "reading BTF: Input/output error");
	btf_deinit(&btf);
}

static void kernel_without_a_member(void **state __attribute__((unused)))
{
	static const char name[] = "i_sb_list";
	_cleanup_(freep) char *data = NULL;
	struct bdev_layout layout;
	struct error err = { 0 };
	struct btf btf;
	size_t size;
	char *place;

	data = seed_read_btf("btf/debian-6.1", &size);
	place = memmem(data, size, name, sizeof(name));
	assert_non_null(place);
	*place = 'x';
	assert_int_equal(btf_init(&btf, data, size, &err), 0);
	assert_int_equal(bdev_layout_init(&layout, &btf, &err), -EOPNOTSUPP);
	assert_string_equal(text_of(&err),
			    "this kernel has no inode.i_sb_list, and this "
			    "bufstat cannot walk its devices");
	btf_deinit(&btf);
}

/* An inode has the alignment of a pointer. */
static void derived_alignment(void **state __attribute__((unused)))
{
	_cleanup_(freep) char *data = NULL;
	struct bdev_layout layout;
	uint32_t *words, i = 0;
	struct error err;
	struct btf btf;
	size_t size;

	data = seed_read_btf("btf/debian-6.1", &size);
	words = (uint32_t *)(void *)data;
	while (words[i] >> 24 != 4 || words[i + 1] != 928)
		i++;
	words[i + 1] = 921;
	assert_int_equal(btf_init(&btf, data, size, &err), 0);
	assert_int_equal(bdev_layout_derive(&layout, &btf, &err), 0);
	assert_int_equal(layout.offset[BDEV_INODE], 928);
	assert_int_equal(layout.bdev_inode_size, 1560);
	btf_deinit(&btf);
}

static void unsound_layouts(void **state __attribute__((unused)))
{
	struct bdev_layout good = { .bdev_inode_size = 784, .inode_size = 600 };
	struct bdev_layout bad;

	memcpy(good.offset, kernels[0].offset, sizeof(good.offset));
	assert_true(bdev_layout_is_sound(&good));
	bad = good, bad.bdev_inode_size = 783;
	assert_false(bdev_layout_is_sound(&bad));
	bad = good, bad.bdev_inode_size = 1 << 20;
	assert_false(bdev_layout_is_sound(&bad));
	bad = good, bad.inode_size = 0;
	assert_false(bdev_layout_is_sound(&bad));
	bad = good, bad.offset[BDEV_INODE_LIST] = 600 - 15;
	assert_false(bdev_layout_is_sound(&bad));
	bad = good, bad.offset[BDEV_INODE] = UINT32_MAX - 100;
	assert_false(bdev_layout_is_sound(&bad));
	bad = good, bad.offset[BDEV_DEV] = BDEV_ABSENT;
	assert_false(bdev_layout_is_sound(&bad));
	bad = good, bad.offset[BDEV_OPENERS] = BDEV_ABSENT;
	assert_true(bdev_layout_is_sound(&bad));
	bad = good, bad.offset[BDEV_SB_INODES] = 65536;
	assert_false(bdev_layout_is_sound(&bad));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_kernels),
		cmocka_unit_test(members_of_members),
		cmocka_unit_test(every_kind),
		cmocka_unit_test(members_that_cannot_be_used),
		cmocka_unit_test(of_module),
		cmocka_unit_test(enumerators),
		cmocka_unit_test(bad_headers),
		cmocka_unit_test(bad_types),
		cmocka_unit_test(names_without_end),
		cmocka_unit_test(sorted),
		cmocka_unit_test(room_of_members),
		cmocka_unit_test(not_sorted),
		cmocka_unit_test(read_errors),
		cmocka_unit_test(kernel_without_a_member),
		cmocka_unit_test(derived_alignment),
		cmocka_unit_test(unsound_layouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
