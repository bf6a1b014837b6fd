// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of inodes, also ones that change while they are read. */
#include <errno.h>
#include <stdlib.h>

#include "fake_fs.h"
#include "kernel/inode_name.h"
#include "kernel/kmem.h"
#include "test.h"

#define BASE 0xffff888000100000ULL
#define INODE (BASE + 0x100)
#define ROOT (BASE + 0x200)
#define DIRECTORY (BASE + 0x240)
#define FILE_DENTRY (BASE + 0x280)
#define LINK_DENTRY (BASE + 0x2c0)
#define NAMES (BASE + 0x400)

static unsigned char data[0x2000];
static struct memory memory = { BASE, data, sizeof(data) };
static uint64_t next_name;

/* If @after is not 0, a word of memory changes after that many reads. */
static unsigned int reads;
static struct {
	unsigned int after;
	uint64_t address;
	uint64_t word;
} change;

static int count_reads(void *from, uint64_t address, void *buffer, size_t size)
{
	int ret = memory_read(from, address, buffer, size);

	if (++reads == change.after)
		memory_put_word(&memory, change.address, change.word);
	return ret;
}

static void put_name(uint64_t dentry, const char *name)
{
	size_t length = strlen(name);

	memory_put(&memory, next_name, name, length + 1);
	memory_put_word(&memory, dentry + 8, next_name);
	memory_put_half(&memory, dentry + 16, (uint32_t)length);
	next_name += length + 8;
}

static void put_dentry(uint64_t dentry, uint64_t parent, const char *name,
		       uint64_t inode)
{
	fake_put_dentry(&memory, dentry, parent, inode);
	put_name(dentry, name);
}

/* /directory/file */
static int make_kernel(void **state __attribute__((unused)))
{
	memset(data, 0, sizeof(data));
	next_name = NAMES;
	reads = 0;
	change.after = 0;
	put_dentry(ROOT, ROOT, "/", BASE);
	put_dentry(DIRECTORY, ROOT, "directory", BASE);
	put_dentry(FILE_DENTRY, DIRECTORY, "file", INODE);
	memory_put_word(&memory, INODE + 56, FILE_DENTRY + 40);
	return 0;
}

static int read_name(uint32_t links, struct inode_name *name)
{
	const struct kmem kmem = { count_reads, &memory };

	return inode_name_read(&kmem, &fake_layout, INODE, links, name);
}

static void expect(uint32_t links, const char *expected)
{
	struct inode_name name;

	assert_int_equal(read_name(links, &name), 0);
	assert_string_equal(name.text, expected);
}

static void path(void **state __attribute__((unused)))
{
	expect(1, "/directory/file");
	memory_put_word(&memory, FILE_DENTRY, ROOT);
	expect(1, "/file");
	memory_put_word(&memory, INODE + 56, ROOT + 40);
	memory_put_word(&memory, ROOT + 24, INODE);
	expect(1, "/");
}

/* A deleted file, an unhashed dentry, and a memfd, which is its own root. */
static void name_only(void **state __attribute__((unused)))
{
	expect(0, "file");
	memory_put_word(&memory, FILE_DENTRY + 32, 0);
	expect(1, "file");
	put_dentry(FILE_DENTRY, FILE_DENTRY, "memfd:some", INODE);
	expect(0, "memfd:some");
	memory_put_word(&memory, INODE + 56, 0);
	expect(1, "");
}

/* An alias that a lookup finds is better than one that it does not find. */
static void several(void **state __attribute__((unused)))
{
	put_dentry(LINK_DENTRY, ROOT, "gone", INODE);
	memory_put_word(&memory, LINK_DENTRY + 32, 0);
	memory_put_word(&memory, LINK_DENTRY + 40, FILE_DENTRY + 40);
	memory_put_word(&memory, INODE + 56, LINK_DENTRY + 40);
	expect(1, "/directory/file");
	/* The aliases form a ring, and a lookup finds none of them. */
	memory_put_word(&memory, LINK_DENTRY + 40, LINK_DENTRY + 40);
	expect(1, "gone");
}

static void damaged(void **state)
{
	const struct {
		uint64_t address;
		uint64_t word;
	} cases[] = {
		{ INODE + 56, 40 }, /* outside memory */
		{ INODE + 56, FILE_DENTRY + 41 },
		{ FILE_DENTRY + 24, BASE }, /* another inode's */
		{ FILE_DENTRY, 0 },
		{ FILE_DENTRY, BASE - 4096 },
		{ FILE_DENTRY + 8, 0 }, /* a name outside memory */
		{ FILE_DENTRY + 16, 0 }, /* an empty name */
		{ FILE_DENTRY + 16, 4096 },
		{ FILE_DENTRY + 16, 5 }, /* a NUL within the name */
		{ DIRECTORY, FILE_DENTRY }, /* a ring of parents */
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct inode_name name;
		int ret;

		make_kernel(state);
		memory_put_word(&memory, cases[i].address, cases[i].word);
		ret = read_name(1, &name);
		if (ret == 0 && i == COUNT_OF(cases) - 1)
			continue;
		if (ret != -EAGAIN || *name.text)
			fail_msg("case %zu: %d, %s", i, ret, name.text);
	}
}

/* A file that is moved at any moment has its old path or its new one. */
static void renamed(void **state)
{
	unsigned int most;

	make_kernel(state);
	expect(1, "/directory/file");
	most = reads;
	for (unsigned int after = 1; after <= most; after++) {
		struct inode_name name;
		int ret;

		make_kernel(state);
		change.after = after;
		change.address = FILE_DENTRY;
		change.word = ROOT;
		ret = read_name(1, &name);
		assert_true(ret == 0 &&
			    (strcmp(name.text, "/directory/file") == 0 ||
			     strcmp(name.text, "/file") == 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(path, make_kernel),
		cmocka_unit_test_setup(name_only, make_kernel),
		cmocka_unit_test_setup(several, make_kernel),
		cmocka_unit_test_setup(damaged, make_kernel),
		cmocka_unit_test_setup(renamed, make_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
