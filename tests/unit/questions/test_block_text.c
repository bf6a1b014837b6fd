// SPDX-License-Identifier: GPL-2.0-or-later
/* The sentence about a device's cache, its heat strip and its rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/block_rows.h"
#include "blocks/block_text.h"
#include "test.h"

#define PAGE 4096U
#define MIB (1U << 20)

static char name[] = "vg0-data";

static struct device_blocks device_of(uint64_t pages)
{
	return (struct device_blocks){
		.name = name,
		.page_size = PAGE,
		.pages = pages,
	};
}

static char *sentence_of(const struct device_blocks *device)
{
	const struct table_style style = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	block_sentence_print(out, device, &style);
	fclose(out);
	return text;
}

static void expect(const struct device_blocks *device, const char *expected)
{
	char *text = sentence_of(device);

	assert_string_equal(text, expected);
	free(text);
}

static void test_sentence(void **state __attribute__((unused)))
{
	struct device_blocks device = device_of(100 * MIB / PAGE);
	uint64_t *bytes = device.blocks.bytes;

	bytes[BLOCK_INODE_TABLE] = 82 * MIB;
	bytes[BLOCK_DIRECTORY] = 11 * MIB;
	bytes[BLOCK_FREE] = 7 * MIB;
	device.blocks.has_inodes = true;
	device.blocks.inodes = 41234567;
	expect(&device,
	       "100M of vg0-data: 82 % inode tables and 11 % directories, of 41 "
	       "million files: typical of something that walks the whole tree "
	       "(updatedb, backup, find), or checks it (fsck).\n"
	       "To release it: bufstat drop vg0-data\n");
	/* Nothing to release in a dump. */
	device.is_dump = true;
	device.blocks.inodes = 1234;
	bytes[BLOCK_DATA] = 82 * MIB;
	bytes[BLOCK_INODE_TABLE] = 0;
	expect(&device,
	       "100M of vg0-data: 82 % file data and 11 % directories, of 1234 "
	       "files: typical of something that reads the device itself (dd, "
	       "a backup of the image, a check of the disk).\n");
	/* Many things lead to this. */
	device.blocks.has_inodes = false;
	bytes[BLOCK_DATA] = 0;
	bytes[BLOCK_IN_USE] = 100 * MIB;
	bytes[BLOCK_DIRECTORY] = bytes[BLOCK_FREE] = 0;
	expect(&device, "100M of vg0-data: 100 % blocks in use by what is not "
			"cached.\n");
	device = device_of(0);
	expect(&device, "Nothing of vg0-data is cached.\n");
}

/* What there was no time for is in no share, and in no guess. */
static void test_sampled_sentence(void **state __attribute__((unused)))
{
	struct device_blocks device = device_of(1000 * MIB / PAGE);
	uint64_t *bytes = device.blocks.bytes;

	device.is_dump = true;
	bytes[BLOCK_UNSEEN] = 800 * MIB;
	bytes[BLOCK_INODE_TABLE] = 150 * MIB;
	bytes[BLOCK_DIRECTORY] = 20 * MIB;
	bytes[BLOCK_FREE] = 30 * MIB;
	expect(&device,
	       "1000M of vg0-data, of which 200M were looked at: 75 % inode "
	       "tables and 15 % free blocks: typical of something that walks "
	       "the whole tree (updatedb, backup, find), or checks it "
	       "(fsck).\n");
	bytes[BLOCK_UNSEEN] = 1000 * MIB;
	bytes[BLOCK_INODE_TABLE] = bytes[BLOCK_DIRECTORY] = 0;
	bytes[BLOCK_FREE] = 0;
	expect(&device,
	       "1000M of vg0-data, of which nothing was looked at in time.\n");
}

/* What was not read tells nothing of what was. */
static void test_unread_sentence(void **state __attribute__((unused)))
{
	struct device_blocks device = device_of(100 * MIB / PAGE);
	uint64_t *bytes = device.blocks.bytes;

	device.is_dump = true;
	bytes[BLOCK_UNREAD] = 60 * MIB;
	bytes[BLOCK_INODE_TABLE] = 32 * MIB;
	bytes[BLOCK_DIRECTORY] = 8 * MIB;
	expect(&device,
	       "100M of vg0-data: 60 % parts that were never read and 32 % "
	       "inode tables: typical of something that walks the whole tree "
	       "(updatedb, backup, find), or checks it (fsck).\n");
	bytes[BLOCK_UNREAD] = 100 * MIB;
	bytes[BLOCK_INODE_TABLE] = bytes[BLOCK_DIRECTORY] = 0;
	expect(&device, "100M of vg0-data: 100 % parts that were never "
			"read.\n");
}

/* What is on the device, and whether that is only likely. */
static void test_identity(void **state __attribute__((unused)))
{
	struct device_blocks device = device_of(100 * MIB / PAGE);
	char fstype[] = "ext4", label[] = "a\033b";

	device.is_dump = true;
	device.blocks.bytes[BLOCK_JOURNAL] = 20 * MIB;
	device.blocks.bytes[BLOCK_IN_USE] = 80 * MIB;
	device.identity = (struct identity){ .fstype = fstype };
	expect(&device, "100M of vg0-data (looks like ext4): 80 % blocks in "
			"use by what is not cached and 20 % journal.\n");
	device.identity.is_proven = true;
	device.identity.label = label;
	expect(&device, "100M of vg0-data (ext4, a\\x1bb): 80 % blocks in use "
			"by what is not cached and 20 % journal.\n");
}

/* The first quarter is half cached, the last one full, of another kind. */
static void test_strip(void **state __attribute__((unused)))
{
	const struct table_style style = { .terminal_width = 25 };
	struct block_answer answer = { .device = device_of(24) };
	struct device_blocks *device = &answer.device;
	struct cached_page pages[24];
	unsigned char kinds[24];
	const struct block_row *first;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; i < 24; i++) {
		pages[i].place = (i < 8 ? i * 2 : 64 - 24 + i) << 8;
		kinds[i] = i < 8 ? BLOCK_JOURNAL : BLOCK_DATA;
	}
	device->cached.device_bytes = 64 * PAGE;
	device->cached.cache = (struct block_cache){ .pages = pages,
						     .count = 24,
						     .page_size = PAGE,
						     .unit = PAGE,
						     .units_per_page = 1,
						     .kinds = kinds };
	device->blocks.bytes[BLOCK_JOURNAL] = 8 * PAGE;
	device->blocks.bytes[BLOCK_DATA] = 16 * PAGE;
	assert_int_equal(block_rows_init(&answer), 0);
	assert_int_equal(answer.head.rows.count, 2);
	first = rows_at(&answer.head.rows, 0);
	assert_int_equal(first->kind, BLOCK_DATA);
	assert_int_equal(block_strip_print(out, &answer, &style), 0);
	fclose(out);
	/* 18 parts of 14,565 bytes, a little less than four pages. */
	assert_non_null(strstr(text, " 256K\n"));
	assert_non_null(strstr(text, "\n  jjjj"));
	assert_non_null(strstr(text, "         fffff\n"));
	assert_non_null(strstr(text, "\n  f file data, j journal\n"));
	assert_int_equal(strncmp(text, "0 ", 2), 0);
	free(text);
	/* A part that was left out must not look as if nothing is cached. */
	device->cached.list.left_out = 1;
	out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_int_equal(block_strip_print(out, &answer, &style), 0);
	fclose(out);
	assert_string_equal(text, "");
	free(text);
	rows_deinit(&answer.head.rows);
}

static void test_looks(void **state __attribute__((unused)))
{
	struct block_answer answer = { .device = device_of(100) };
	struct blocks *blocks = &answer.device.blocks;
	const struct block_row *row;

	blocks->bytes[BLOCK_IN_USE] = 100 * PAGE;
	blocks->looks[BLOCK_IN_USE][LOOK_DIRECTORY] = 30;
	blocks->looks[BLOCK_IN_USE][LOOK_NONE] = 10;
	assert_int_equal(block_rows_init(&answer), 0);
	row = rows_at(&answer.head.rows, 0);
	assert_string_equal(row->looks, "other 25 %, directory 75 %");
	rows_deinit(&answer.head.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sentence),
		cmocka_unit_test(test_sampled_sentence),
		cmocka_unit_test(test_unread_sentence),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_strip),
		cmocka_unit_test(test_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
