// SPDX-License-Identifier: GPL-2.0-or-later
/* A kernel's list of block devices, also while it changes under the reader. */
#include <errno.h>
#include <stdlib.h>

#include "kernel/bdev_layout.h"
#include "kernel/bdev_root.h"
#include "kernel/bdev_walk.h"
#include "lib/error.h"
#include "memory.h"
#include "test.h"

#define BASE 0xffff888000100000ULL
#define SIZE 65536
#define SYMBOL BASE
#define SUPERBLOCK (BASE + 0x100)
#define TYPE (BASE + 0x1000)
#define TYPE_NAME (BASE + 0x1100)
#define DISK (BASE + 0x1200)
#define FIRST (BASE + 0x2000)
#define SPACING 0x800
#define DEVICES 4

/* The layout of Debian's 6.1; see test_btf.c. */
static const struct bdev_layout layout = {
	1560,
	632,
	{ 1416, 40, 0,	 280, 48,	   40, 76, 128, 0, 928, 0,
	  36,	40, 856, 848, BDEV_ABSENT, 12, 8,  4,	8, 160 },
};

static unsigned char data[SIZE];
static struct memory memory = { BASE, data, SIZE };

static uint64_t object(int device)
{
	return FIRST + (uint64_t)device * SPACING;
}

static uint64_t inode(int device)
{
	return object(device) + layout.offset[BDEV_INODE];
}

static uint64_t member(int device, enum bdev_member which)
{
	return inode(device) + layout.offset[which];
}

/* Address of a device's list node; -1 and DEVICES are the head. */
static uint64_t node(int device)
{
	if (device < 0 || device >= DEVICES)
		return SUPERBLOCK + layout.offset[BDEV_SB_INODES];
	return member(device, BDEV_INODE_LIST);
}

/* i_data comes after all other members that are read. */
static uint64_t mapping(int device)
{
	return inode(device) + 340;
}

static void put_device(int device)
{
	uint32_t dev = 254U << 20 | (uint32_t)device;

	memory_put_word(&memory, node(device), node(device + 1));
	memory_put_word(&memory, node(device) + 8, node(device - 1));
	memory_put_word(&memory, member(device, BDEV_INODE_SB), SUPERBLOCK);
	memory_put_half(&memory, member(device, BDEV_INODE_RDEV), dev);
	memory_put_half(&memory, object(device) + layout.offset[BDEV_DEV], dev);
	memory_put_half(&memory, object(device) + layout.offset[BDEV_OPENERS],
			(uint32_t)device);
	memory_put_word(&memory, member(device, BDEV_INODE_MAPPING),
			mapping(device));
	memory_put_word(&memory, mapping(device), inode(device));
	memory_put_word(&memory, mapping(device) + 128, (uint64_t)device * 100);
	memory_put_word(&memory, object(device) + layout.offset[BDEV_DISK],
			DISK);
	data[object(device) + layout.offset[BDEV_PARTNO] - BASE] =
		(unsigned char)device;
}

static int make_kernel(void **state __attribute__((unused)))
{
	memset(data, 0, sizeof(data));
	memory_put_word(&memory, SYMBOL, SUPERBLOCK);
	memory_put_word(&memory, SUPERBLOCK + layout.offset[BDEV_SB_TYPE],
			TYPE);
	memory_put_word(&memory, TYPE, TYPE_NAME);
	memory_put(&memory, TYPE_NAME, "bdev", 5);
	memory_put(&memory, DISK + layout.offset[BDEV_DISK_NAME], "vda", 4);
	memory_put_word(&memory, node(-1), node(0));
	memory_put_word(&memory, node(-1) + 8, node(DEVICES - 1));
	for (int i = 0; i < DEVICES; i++)
		put_device(i);
	return 0;
}

static int walk(struct bdev_list *list, struct error *err)
{
	struct kmem kmem = memory_kmem(&memory);

	*list = (struct bdev_list){ 0 };
	return bdev_walk(&kmem, &layout, SUPERBLOCK, list, err);
}

static void whole_list(void **state __attribute__((unused)))
{
	struct kmem kmem = memory_kmem(&memory);
	char name[BDEV_NAME_SIZE];
	struct bdev_list list;
	struct error err;

	assert_int_equal(walk(&list, &err), 0);
	assert_int_equal(list.count, DEVICES);
	assert_int_equal(list.pages, 600);
	for (int i = 0; i < DEVICES; i++) {
		const struct bdev_entry *entry = &list.entries[i];

		assert_int_equal(entry->dev, 254U << 20 | (uint32_t)i);
		assert_int_equal(entry->pages, i * 100);
		assert_true(entry->has_openers);
		assert_int_equal(entry->openers, i);
	}
	assert_true(bdev_entry_name(&kmem, &layout, &list.entries[0], name));
	assert_string_equal(name, "vda");
	assert_true(bdev_entry_name(&kmem, &layout, &list.entries[2], name));
	assert_string_equal(name, "vda2");
	memory_put(&memory, DISK + layout.offset[BDEV_DISK_NAME], "loop1", 6);
	assert_true(bdev_entry_name(&kmem, &layout, &list.entries[2], name));
	assert_string_equal(name, "loop1p2");
	memory_put(&memory, DISK + layout.offset[BDEV_DISK_NAME], "\033[2J", 5);
	assert_false(bdev_entry_name(&kmem, &layout, &list.entries[2], name));
	memset(data + (DISK - BASE), 'x', 64);
	assert_false(bdev_entry_name(&kmem, &layout, &list.entries[2], name));
	bdev_list_deinit(&list);
}

/* Since Linux 6.10 the partition's number has flags above it. */
static void partition_with_flags(void **state __attribute__((unused)))
{
	struct kmem kmem = memory_kmem(&memory);
	struct bdev_layout newer = layout;
	struct bdev_list list = { 0 };
	char name[BDEV_NAME_SIZE];
	struct error err;

	newer.offset[BDEV_FLAGS] = layout.offset[BDEV_PARTNO];
	newer.offset[BDEV_PARTNO] = BDEV_ABSENT;
	memory_put_half(&memory, object(2) + newer.offset[BDEV_FLAGS],
			0x300 | 128);
	assert_int_equal(bdev_walk(&kmem, &newer, SUPERBLOCK, &list, &err), 0);
	assert_true(bdev_entry_name(&kmem, &newer, &list.entries[2], name));
	assert_string_equal(name, "vda128");
	bdev_list_deinit(&list);
}

/* The mapping's members besides the number of its pages. */
static void mapping_members(void **state __attribute__((unused)))
{
	struct kmem kmem = memory_kmem(&memory);
	struct bdev_layout older = layout;
	struct bdev_list list = { 0 };
	struct error err;

	memory_put_half(&memory, mapping(2) + 12, 33);
	memory_put_word(&memory, mapping(2) + 16, BASE);
	/* EIO, the seen flag, and the counter at 5. */
	memory_put_half(&memory, mapping(2) + layout.offset[BDEV_WRITE_ERROR],
			5 << 13 | 1 << 12 | EIO);
	assert_int_equal(walk(&list, &err), 0);
	assert_true(list.entries[2].bdev == object(2));
	assert_true(list.entries[2].mapping == mapping(2));
	assert_true(list.entries[2].has_tree);
	assert_int_equal(list.entries[2].tree_flags, 33);
	assert_true(list.entries[2].tree_head == BASE);
	assert_true(list.entries[1].has_write_error);
	assert_int_equal(list.entries[1].write_error, 0);
	assert_int_equal(list.entries[2].write_error, EIO);
	assert_false(list.entries[2].has_tags);
	bdev_list_deinit(&list);

	/* One member does not exist, one crosses the end of the object. */
	older.offset[BDEV_TREE_HEAD] = BDEV_ABSENT;
	older.offset[BDEV_WRITE_ERROR] =
		layout.bdev_inode_size - layout.offset[BDEV_INODE] - 340 - 2;
	assert_int_equal(bdev_walk(&kmem, &older, SUPERBLOCK, &list, &err), 0);
	assert_false(list.entries[2].has_tree);
	assert_false(list.entries[2].has_write_error);
	bdev_list_deinit(&list);
}

static void empty_list(void **state __attribute__((unused)))
{
	struct bdev_list list;
	struct error err;

	memory_put_word(&memory, node(-1), node(-1));
	memory_put_word(&memory, node(-1) + 8, node(-1));
	assert_int_equal(walk(&list, &err), 0);
	assert_int_equal(list.count, 0);
	bdev_list_deinit(&list);
}

/* Changes that a reader without the lock has met, and others it could meet. */
static void changed_list(void **state)
{
	const struct {
		uint64_t address;
		uint64_t word;
		const char *check;
	} cases[] = {
		{ node(1), node(1), "leads to itself" },
		{ node(1), node(3), "another one before it" },
		{ node(2), node(1), "another one before it" },
		{ node(3), node(0), "another one before it" },
		{ node(0), 0, "outside memory" },
		{ node(0), node(1) + 1, "an address that is none" },
		{ node(0), 0xdead000000000100, "outside memory" },
		{ node(-1) + 8, node(1), "another one at its end" },
		{ member(1, BDEV_INODE_SB), TYPE, "another filesystem" },
		{ member(1, BDEV_INODE_MAPPING), mapping(2),
		  "a mapping elsewhere" },
		{ member(1, BDEV_INODE_MAPPING), 0, "a mapping elsewhere" },
		{ member(1, BDEV_INODE_MAPPING),
		  object(1) + layout.bdev_inode_size - 64,
		  "a mapping elsewhere" },
		{ mapping(1), inode(2), "a mapping of another inode" },
		{ object(1) + layout.offset[BDEV_DEV], 0x123,
		  "two device numbers" },
		{ mapping(1) + 128, UINT64_MAX, "impossible number" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bdev_list list;
		struct error err = { 0 };

		make_kernel(state);
		memory_put_word(&memory, cases[i].address, cases[i].word);
		if (walk(&list, &err) != -EAGAIN ||
		    !strstr(text_of(&err), cases[i].check))
			fail_msg("case %zu: %s", i, text_of(&err));
		bdev_list_deinit(&list);
	}
}

/* Two inodes with pages cannot both have one device number. */
static void number_twice(void **state __attribute__((unused)))
{
	struct bdev_list list;
	struct error err = { 0 };

	memory_put_half(&memory, member(2, BDEV_INODE_RDEV), 254U << 20 | 1);
	memory_put_half(&memory, object(2) + layout.offset[BDEV_DEV],
			254U << 20 | 1);
	assert_int_equal(walk(&list, &err), -EAGAIN);
	assert_non_null(strstr(text_of(&err), "one number"));
	bdev_list_deinit(&list);
	/* One without pages may still be on the list while it is evicted. */
	memory_put_word(&memory, mapping(2) + 128, 0);
	assert_int_equal(walk(&list, &err), 0);
	assert_int_equal(list.pages, 400);
	bdev_list_deinit(&list);
}

static void superblocks(void **state)
{
	struct kmem kmem = memory_kmem(&memory);
	uint64_t superblock;

	assert_int_equal(
		bdev_superblock_find(&kmem, &layout, SYMBOL, &superblock), 0);
	assert_true(superblock == SUPERBLOCK);
	assert_int_equal(bdev_superblock_find(&kmem, &layout, BASE - 8,
					      &superblock),
			 -EFAULT);
	memory_put(&memory, TYPE_NAME, "ext4", 5);
	assert_int_equal(bdev_superblock_find(&kmem, &layout, SYMBOL,
					      &superblock),
			 -EBADMSG);
	memory_put(&memory, TYPE_NAME, "bdevfs-and-more", 16);
	assert_int_equal(bdev_superblock_find(&kmem, &layout, SYMBOL,
					      &superblock),
			 -EBADMSG);
	make_kernel(state);
	memory_put_word(&memory, TYPE, BASE + SIZE - 2);
	assert_int_equal(bdev_superblock_find(&kmem, &layout, SYMBOL,
					      &superblock),
			 -EBADMSG);
	memory_put_word(&memory, TYPE, 0);
	assert_int_equal(bdev_superblock_find(&kmem, &layout, SYMBOL,
					      &superblock),
			 -EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(whole_list, make_kernel),
		cmocka_unit_test_setup(empty_list, make_kernel),
		cmocka_unit_test_setup(partition_with_flags, make_kernel),
		cmocka_unit_test_setup(mapping_members, make_kernel),
		cmocka_unit_test_setup(changed_list, make_kernel),
		cmocka_unit_test_setup(number_twice, make_kernel),
		cmocka_unit_test_setup(superblocks, make_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
