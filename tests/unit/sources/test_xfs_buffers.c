// SPDX-License-Identifier: GPL-2.0-or-later
/* Buffers of XFS: in the hash tables of two groups, or of two devices. */
#include <errno.h>
#include <time.h>

#include "kernel/bdev_layout.h"
#include "kernel/kernel.h"
#include "kernel/xfs_buffers.h"
#include "memory.h"
#include "test.h"
#include "worker/patience.h"

#define BASE 0xffff888000100000ULL
#define SUPERBLOCK BASE
#define MOUNT (BASE + 0x100)
#define GROUPS (MOUNT + 0x10)
#define NODE (BASE + 0x1000)
#define GROUP(i) (BASE + 0x2000 + (i)*0x100ULL)
#define TABLE(i) (BASE + 0x3000 + (i)*0x1000ULL)
#define BUCKET(table, i) (TABLE(table) + 64 + (i)*8ULL)
#define BUFFER(i) (BASE + 0x8000 + (i)*0x80ULL)
#define VMALLOC 0xffffc90000000000ULL
#define NOWHERE 0xffff8f0000000000ULL

#define HAS_PAGES (1U << 20)
#define IN_SLAB (1U << 21)
#define BUCKETS 8

/* The members of a group have the offsets of Linux 6.12. */
static struct xfs_layout layout = {
	.offset = {
		[XFS_SB_MOUNT] = 8,	 [XFS_MOUNT_SB] = 0,
		[XFS_MOUNT_GROUPS] = 16, [XFS_TREE_HEAD] = 8,
		[XFS_GROUP_MOUNT] = 0,	 [XFS_GROUP_CACHE] = 16,
		[XFS_CACHE_HASH] = 8,	 [XFS_HASH_TABLE] = 0,
		[XFS_TABLE_SIZE] = 0,	 [XFS_TABLE_NEST] = 4,
		[XFS_TABLE_NEXT] = 48,	 [XFS_TABLE_BUCKETS] = 64,
		[XFS_BUFFER_LINK] = 8,	 [XFS_BUFFER_MOUNT] = 24,
		[XFS_BUFFER_GROUP] = 32, [XFS_BUFFER_FLAGS] = 40,
		[XFS_BUFFER_PAGES] = 44, [XFS_MOUNT_TARGET] = 32,
		[XFS_MOUNT_RT_TARGET] = 40, [XFS_TARGET_HASH] = 24,
		[XFS_BUFFER_ADDRESS] = 48, [XFS_BUFFER_LENGTH] = 40,
	},
	.buffer_size = 56,
	.tags = {
		.offset = { 0, 1, 2, 8, 16, 40, 552, BDEV_ABSENT, BDEV_ABSENT,
			    BDEV_ABSENT, BDEV_ABSENT, BDEV_ABSENT },
	},
};

static unsigned char data[0x10000];
static struct memory memory = { BASE, data, sizeof(data) };

/* @next: the link of the next buffer, or an odd number. */
static uint64_t put_buffer(unsigned int i, unsigned int group, uint32_t flags,
			   uint32_t pages, uint64_t next)
{
	memory_put_word(&memory, BUFFER(i) + 8, next);
	memory_put_word(&memory, BUFFER(i) + 24, MOUNT);
	memory_put_word(&memory, BUFFER(i) + 32, GROUP(group));
	memory_put_half(&memory, BUFFER(i) + 40, flags);
	memory_put_half(&memory, BUFFER(i) + 44, pages);
	return BUFFER(i) + 8;
}

static void put_group(unsigned int i)
{
	const unsigned char entry = (unsigned char)(i + 1);

	memory_put_word(&memory, GROUP(i), MOUNT);
	memory_put_word(&memory, GROUP(i) + 24, TABLE(i));
	memory_put_half(&memory, TABLE(i), BUCKETS);
	memory_put_word(&memory, NODE + 40 + i * 8, GROUP(i));
	memory_put(&memory, NODE + 2, &entry, 1);
}

/* 1 + 4 pages in the first group and 16 in the second, and 1 in slab. */
static int make_kernel(void **state __attribute__((unused)))
{
	memset(data, 0, sizeof(data));
	layout.is_by_target = false;
	memory_put_word(&memory, SUPERBLOCK + 8, MOUNT);
	memory_put_word(&memory, MOUNT, SUPERBLOCK);
	memory_put_word(&memory, GROUPS + 8, NODE + 2);
	memory_put_word(&memory, NODE + 16, GROUPS);
	put_group(0);
	put_group(1);
	/* The first bit of a bucket is its lock. */
	memory_put_word(&memory, BUCKET(0, 2),
			put_buffer(0, 0, HAS_PAGES, 1,
				   put_buffer(1, 0, IN_SLAB, 1, 5)) |
				1);
	memory_put_word(&memory, BUCKET(0, 7),
			put_buffer(2, 0, HAS_PAGES, 4, 15));
	memory_put_word(&memory, BUCKET(1, 0),
			put_buffer(3, 1, HAS_PAGES, 16, 1));
	return 0;
}

static int count(struct xfs_buffers *buffers, struct patience *patience)
{
	const struct kmem kmem = memory_kmem(&memory);
	/* What vmalloc maps, and all memory as it lies. */
	struct elf_segment segments[] = {
		{ .address = VMALLOC, .physical = UINT64_MAX, .size = 1 << 20 },
		{ .address = BASE, .physical = 0x100000, .size = sizeof(data) },
	};
	const struct kernel kernel = {
		.kmem = &kmem,
		.patience = patience,
		.page_size = 4096,
		.kcore.core = { .segments = segments,
				.count = COUNT_OF(segments) },
	};

	return xfs_buffers_count(buffers, &kernel, &layout, SUPERBLOCK);
}

static void expect(uint64_t pages, bool is_part)
{
	struct xfs_buffers buffers;

	assert_int_equal(count(&buffers, NULL), 0);
	assert_int_equal(buffers.pages, pages);
	assert_int_equal(buffers.is_part, is_part);
}

static void counted(void **state __attribute__((unused)))
{
	expect(21, false);
	/* A tree of one group has no node. */
	memory_put_word(&memory, GROUPS + 8, GROUP(1));
	expect(16, false);
	/* There is none without groups. */
	memory_put_word(&memory, GROUPS + 8, 0);
	expect(0, true);
}

/* Some of the buffers are in the next table already: it is not known. */
static void growing(void **state __attribute__((unused)))
{
	memory_put_word(&memory, TABLE(0) + 48, TABLE(2));
	expect(21, true);
	make_kernel(NULL);
	/* A table that was freed. */
	memory_put_half(&memory, TABLE(0), 0);
	expect(16, true);
}

/* What is where a group was is now a device. Two blocks are in slab, three not.
 */
static void by_target(void **state __attribute__((unused)))
{
	const struct {
		uint64_t address;
		uint32_t blocks;
	} buffers[] = {
		{ BASE, 8 }, { BASE, 2 }, { VMALLOC, 24 }, { BASE, 32 }
	};

	layout.is_by_target = true;
	memory_put_word(&memory, MOUNT + 32, GROUP(0));
	memory_put_word(&memory, MOUNT + 40, GROUP(1));
	for (unsigned int i = 0; i < COUNT_OF(buffers); i++) {
		memory_put_word(&memory, BUFFER(i) + 32, NOWHERE);
		memory_put_half(&memory, BUFFER(i) + 40, buffers[i].blocks);
		memory_put_word(&memory, BUFFER(i) + 48, buffers[i].address);
	}
	expect(5, false);
	memory_put_half(&memory, BUFFER(1) + 40, 3);
	expect(6, false);
	memory_put_half(&memory, BUFFER(1) + 40, 2);
	memory_put_word(&memory, MOUNT + 40, GROUP(0));
	expect(1, false);
	memory_put_word(&memory, MOUNT + 40, 0);
	expect(1, false);
	memory_put_word(&memory, MOUNT + 32, NOWHERE);
	expect(0, true);
}

static void damaged(void **state __attribute__((unused)))
{
	const struct {
		uint64_t place, value, pages;
	} damages[] = {
		{ BUCKET(0, 7), NOWHERE, 17 },
		/* Now of another mount, or of another group. */
		{ BUFFER(2) + 24, NOWHERE, 17 },
		{ BUFFER(2) + 32, GROUP(1), 17 },
		{ BUFFER(2) + 40, HAS_PAGES | 5000ULL << 32, 17 },
		/* A buffer follows itself, 256 times. */
		{ BUFFER(2) + 8, BUFFER(2) + 8, 17 + 256 * 4 },
		{ TABLE(0), BUCKETS | 3ULL << 32, 16 },
		{ TABLE(0), UINT32_MAX, 16 },
		{ GROUP(0) + 24, NOWHERE, 16 },
		{ GROUP(0), NOWHERE, 16 },
	};

	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		make_kernel(NULL);
		memory_put_word(&memory, damages[i].place, damages[i].value);
		expect(damages[i].pages, true);
	}
}

/* While buffers come and go, a few chains are cut off. */
static void few_broken(void **state __attribute__((unused)))
{
	memory_put_word(&memory, BUFFER(2) + 24, NOWHERE);
	memory_put_half(&memory, TABLE(1), 128);
	for (unsigned int i = 0; i < 128; i++)
		memory_put_word(&memory, BUCKET(1, i), BUFFER(3) + 8);
	expect(1 + 128 * 16, false);
}

static void no_mount(void **state __attribute__((unused)))
{
	struct xfs_buffers buffers;

	memory_put_word(&memory, MOUNT, SUPERBLOCK + 8);
	assert_int_equal(count(&buffers, NULL), -ESTALE);
	memory_put_word(&memory, SUPERBLOCK + 8, NOWHERE);
	assert_int_equal(count(&buffers, NULL), -EFAULT);
}

static void out_of_time(void **state __attribute__((unused)))
{
	struct patience patience = { .seconds = 1e-9 };
	struct xfs_buffers buffers;

	patience_begin(&patience);
	assert_int_equal(count(&buffers, &patience), -ETIMEDOUT);
	patience_end(&patience);
	assert_true(buffers.is_part);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(counted, make_kernel),
		cmocka_unit_test_setup(growing, make_kernel),
		cmocka_unit_test_setup(by_target, make_kernel),
		cmocka_unit_test_setup(damaged, make_kernel),
		cmocka_unit_test_setup(few_broken, make_kernel),
		cmocka_unit_test_setup(no_mount, make_kernel),
		cmocka_unit_test_setup(out_of_time, make_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
