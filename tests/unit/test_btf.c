// SPDX-License-Identifier: GPL-2.0-or-later
/* BTF of real kernels, reduced, and BTF that is not as it should be. */
#include <errno.h>
#include <string.h>

#include "bdev_layout.h"
#include "btf.h"
#include "cleanup.h"
#include "error.h"
#include "sysroot.h"
#include "test.h"

#define SEEDS FIXTURES "/../fuzz/seeds/btf/"

static char *read_seed(const char *name, size_t *size)
{
	const struct sysroot live = { .fd = -1 };
	char path[sizeof(SEEDS) + 32];
	char *data;

	snprintf(path, sizeof(path), SEEDS "%s", name);
	assert_int_equal(sysroot_read(&live, path, 1 << 20, &data, size), 0);
	return data;
}

/* What pahole says of the whole BTF of these kernels. */
static const struct expected {
	const char *seed;
	uint32_t bdev_inode_size;
	uint32_t inode_size;
	uint32_t offset[BDEV_MEMBERS];
} kernels[] = {
	{ "debian-5.10",
	  784,
	  600,
	  { 1352, 40, 0,   280, 48,	     40, 76, 88, 0, 184, 0,
	    0,	  4,  128, 104, BDEV_ABSENT, 12, 8,  4,	 8, 128 } },
	{ "debian-6.1",
	  1560,
	  632,
	  { 1416, 40, 0,   280, 48,	     40, 76, 128, 0, 928, 0,
	    36,	  40, 856, 848, BDEV_ABSENT, 12, 8,  4,	  8, 160 } },
	{ "debian-6.12", 1600, 624, { 1352,	   40, 0,   272, 48, 40, 76,
				      88,	   0,  976, 0,	 52, 64, 16,
				      BDEV_ABSENT, 48, 12,  8,	 4,  8,	 120 } },
	{ "debian-7.3", 1544, 560, { 1352,	  56, 0,   264, 48, 40, 76,
				     80,	  0,  984, 0,	52, 64, 16,
				     BDEV_ABSENT, 48, 12,  8,	4,  8,	112 } },
};

static void real_kernels(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(kernels); i++) {
		_cleanup_(freep) char *data = NULL;
		struct bdev_layout layout;
		struct error err = { "" };
		struct btf btf;
		size_t size;

		data = read_seed(kernels[i].seed, &size);
		assert_int_equal(btf_init(&btf, data, size, &err), 0);
		assert_int_equal(bdev_layout_init(&layout, &btf, &err), 0);
		assert_int_equal(layout.bdev_inode_size,
				 kernels[i].bdev_inode_size);
		assert_int_equal(layout.inode_size, kernels[i].inode_size);
		for (size_t j = 0; j < BDEV_MEMBERS; j++) {
			if (layout.offset[j] != kernels[i].offset[j])
				fail_msg("%s: %s: %u", kernels[i].seed,
					 bdev_member_name(j), layout.offset[j]);
		}
		btf_deinit(&btf);
	}
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

	data = read_seed("debian-6.12", &size);
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

/* Types are made by hand for what no kernel would do. */
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

/* What stands behind each kind of type, in words; <linux/btf.h> says it. */
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
	/* Twice at each level: without a bound this would not end. */
	made = make(within_itself, COUNT_OF(within_itself));
	assert_int_equal(find_made(&made, "m"), -ENOENT);
}

static void expect_refused(const struct made *made, size_t size,
			   const char *message)
{
	struct error err = { "" };
	struct btf btf;

	assert_int_equal(btf_init(&btf, made, size, &err), -EBADMSG);
	if (!strstr(err.text, message))
		fail_msg("%s", err.text);
	assert_null(btf.offsets);
}

static void bad_btf(void **state __attribute__((unused)))
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
	bad = good, bad.header.strings_size = 0;
	expect_refused(&bad, sizeof(bad), "strings without an end");
	bad = good, bad.strings[15] = 'x';
	expect_refused(&bad, sizeof(bad), "strings without an end");
	bad = good, bad.header.types_size = 20;
	expect_refused(&bad, sizeof(bad), "type 1 is cut off");
	bad = good, bad.types[1] = STRUCT(2);
	expect_refused(&bad, sizeof(bad), "type 1 is cut off");
	bad = good, bad.header.types_size = 28;
	expect_refused(&bad, sizeof(bad), "type 2 is cut off");
	bad = good, bad.types[1] = 20U << 24;
	expect_refused(&bad, sizeof(bad), "does not know");
	bad = good, bad.types[1] = 0;
	expect_refused(&bad, sizeof(bad), "does not know");
	bad = good, bad.types[1] |= 1U << 20;
	expect_refused(&bad, sizeof(bad), "does not know");
}

static void kernel_without_a_member(void **state __attribute__((unused)))
{
	static const char name[] = "i_sb_list";
	_cleanup_(freep) char *data = NULL;
	struct bdev_layout layout;
	struct error err = { "" };
	struct btf btf;
	size_t size;
	char *place;

	data = read_seed("debian-6.1", &size);
	place = memmem(data, size, name, sizeof(name));
	assert_non_null(place);
	*place = 'x';
	assert_int_equal(btf_init(&btf, data, size, &err), 0);
	assert_int_equal(bdev_layout_init(&layout, &btf, &err), -EOPNOTSUPP);
	assert_string_equal(err.text,
			    "this kernel has no inode.i_sb_list, and this "
			    "bufstat cannot walk its devices");
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
		cmocka_unit_test(bad_btf),
		cmocka_unit_test(kernel_without_a_member),
		cmocka_unit_test(unsound_layouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
