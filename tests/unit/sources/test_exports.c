// SPDX-License-Identifier: GPL-2.0-or-later
/* Hand-made tables of exported symbols, laid out as in a kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/exports.h"
#include "memory.h"
#include "test.h"

#define BASE 0xffffffff81000000ULL
#define TABLES 0x52000
#define ENTRIES 4000
#define STRINGS (TABLES + 0x1a000)
#define BTF 0x88000
#define SIZE 0x90000

/* The address of the first symbol; the others follow. */
#define VALUES (BASE + 0x1000)

struct image {
	unsigned char data[SIZE];
	struct memory memory;
	struct kmem kmem;
	size_t strings; /* offset for the next string */
};

static void put_offset(struct image *image, size_t place, uint64_t target)
{
	int32_t offset = (int32_t)(target - (BASE + place));

	memcpy(image->data + place, &offset, sizeof(offset));
}

/* Writes an entry and its strings: the name, and an empty namespace. */
static void put_entry(struct image *image, size_t place, const char *name,
		      uint64_t value)
{
	put_offset(image, place, value);
	put_offset(image, place + 4, BASE + image->strings);
	strcpy((char *)image->data + image->strings, name);
	image->strings += strlen(name) + 1;
	put_offset(image, place + 8, BASE + image->strings);
	image->strings++;
}

/* The tables begin at @start; @name is in its sorted place among others. */
static void make_image(struct image *image, size_t start, const char *name)
{
	uint32_t noise = 1;

	*image = (struct image){ .strings = STRINGS + 1 };
	image->memory = (struct memory){ BASE, image->data, SIZE };
	image->kmem = memory_kmem(&image->memory);
	for (size_t i = 0; i < TABLES; i += 4) {
		noise = noise * 1103515245 + 12345;
		memcpy(image->data + i, &noise, 4);
	}
	for (size_t i = 0; i < ENTRIES; i++) {
		char other[16];

		snprintf(other, sizeof(other), "f%05zu", i);
		put_entry(image, start + i * 12, i == 1234 ? name : other,
			  VALUES + i);
	}
}

static void put_btf(struct image *image, size_t place)
{
	static const struct {
		uint16_t magic;
		uint8_t version;
		uint8_t flags;
		uint32_t sizes[5];
	} header = { 0xeb9f, 1, 0, { 24, 0, 400, 400, 100 } };

	memcpy(image->data + place, &header, sizeof(header));
}

static const char vmcoreinfo[] = "OSRELEASE=5.10\n"
				 "SYMBOL(_stext)=ffffffff81000000\n";

/* Returns the value, or 0 without one. */
static uint64_t find(struct image *image, const char *text, const char *name)
{
	struct exports exports;
	uint64_t value = 0;

	if (exports_init(&exports, &image->kmem, text) == 0 &&
	    !exports_find(&exports, name, &value))
		assert_true(value == 0);
	exports_deinit(&exports);
	return value;
}

static uint64_t find_btf(struct image *image)
{
	struct exports exports;
	uint64_t address = 0;

	assert_int_equal(exports_init(&exports, &image->kmem, vmcoreinfo), 0);
	if (!exports_find_btf(&exports, &address))
		assert_true(address == 0);
	exports_deinit(&exports);
	return address;
}

static void found(void **state __attribute__((unused)))
{
	static struct image image;

	/* The tables may begin at any multiple of 4. */
	for (size_t i = 0; i < 40; i += 4) {
		make_image(&image, TABLES + i, "blockdev_superblock");
		assert_true(find(&image, vmcoreinfo, "blockdev_superblock") ==
			    VALUES + 1234);
		assert_true(find(&image, vmcoreinfo, "f00000") == VALUES);
		assert_true(find(&image, vmcoreinfo, "f03999") ==
			    VALUES + 3999);
	}
}

/* Names at the boundary of two pieces that are read separately. */
static void across_pieces(void **state __attribute__((unused)))
{
	static struct image image;
	const size_t first = (0x70000 - STRINGS - 1) / 8 - 2;

	make_image(&image, TABLES, "f01234");
	for (size_t i = first; i < first + 5; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%05zu", i);
		assert_true(find(&image, vmcoreinfo, name) == VALUES + i);
	}
}

static void not_found(void **state __attribute__((unused)))
{
	static const char *const others[] = { "xblockdev_superblock",
					      "blockdev_superblockx",
					      "BLOCKDEV_SUPERBLOCK" };
	static struct image image;
	char longest[200];

	for (size_t i = 0; i < COUNT_OF(others); i++) {
		make_image(&image, TABLES, others[i]);
		assert_true(find(&image, vmcoreinfo, "blockdev_superblock") ==
			    0);
	}
	memset(longest, 'f', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_true(find(&image, vmcoreinfo, longest) == 0);
	/* The name is there, but no entry points to it. */
	make_image(&image, TABLES, "blockdev_superblock");
	put_offset(&image, TABLES + 1234 * 12 + 4, BASE);
	assert_true(find(&image, vmcoreinfo, "blockdev_superblock") == 0);
}

static void no_tables(void **state __attribute__((unused)))
{
	static struct image image;
	struct exports exports;

	make_image(&image, TABLES, "blockdev_superblock");
	assert_int_equal(exports_init(&exports, &image.kmem, NULL), -ENOENT);
	exports_deinit(&exports);
	assert_int_equal(exports_init(&exports, &image.kmem, "OSRELEASE=5\n"),
			 -ENOENT);
	exports_deinit(&exports);
	/* Not sorted by name: this is no table of exports. */
	for (size_t i = 0; i < ENTRIES; i++)
		put_offset(&image, TABLES + i * 12 + 4, BASE + STRINGS + 1);
	assert_int_equal(exports_init(&exports, &image.kmem, vmcoreinfo),
			 -ENOENT);
	exports_deinit(&exports);
	/* Sorted, but pointing into the middle of names. */
	make_image(&image, TABLES, "f01234");
	for (size_t i = 0; i < ENTRIES; i++)
		put_offset(&image, TABLES + i * 12 + 4,
			   BASE + STRINGS + 2 + i * 8);
	assert_int_equal(exports_init(&exports, &image.kmem, vmcoreinfo),
			 -ENOENT);
	exports_deinit(&exports);
	/* No names. */
	make_image(&image, TABLES, "blockdev_superblock");
	memset(image.data + STRINGS, ' ', SIZE - STRINGS);
	assert_int_equal(exports_init(&exports, &image.kmem, vmcoreinfo),
			 -ENOENT);
	exports_deinit(&exports);
	memset(image.data + STRINGS, 0, SIZE - STRINGS);
	assert_int_equal(exports_init(&exports, &image.kmem, vmcoreinfo),
			 -ENOENT);
	exports_deinit(&exports);
}

/* The kallsyms lines of VMCOREINFO, in their order since Linux 6.4. */
static void kallsyms_text(char text[1024], uint64_t offsets)
{
	snprintf(text, 1024,
		 "SYMBOL(_stext)=ffffffff00000000\n"
		 "SYMBOL(kallsyms_names)=%llx\nSYMBOL(kallsyms_num_syms)=%llx\n"
		 "SYMBOL(kallsyms_token_table)=%llx\n"
		 "SYMBOL(kallsyms_token_index)=%llx\n"
		 "SYMBOL(kallsyms_offsets)=%llx\n",
		 BASE + 8, BASE, BASE + 16, BASE + 24,
		 (unsigned long long)offsets);
}

/* The search begins at the end of kallsyms; at _stext nothing can be read. */
static void behind_kallsyms(void **state __attribute__((unused)))
{
	static struct image image;
	char text[1024];
	uint32_t count = 1000;

	make_image(&image, TABLES, "blockdev_superblock");
	memcpy(image.data, &count, sizeof(count));
	kallsyms_text(text, BASE + TABLES - 7000);
	assert_true(find(&image, text, "blockdev_superblock") == VALUES + 1234);
	/* Up to Linux 6.3 the offsets come first. */
	kallsyms_text(text, BASE - (16 << 20));
	assert_true(find(&image, text, "blockdev_superblock") == VALUES + 1234);
	/* If kallsyms ends after the tables, the search begins at _stext. */
	count = 1 << 20;
	memcpy(image.data, &count, sizeof(count));
	kallsyms_text(text, BASE + 0x1000);
	assert_true(find(&image, text, "blockdev_superblock") == 0);
	memcpy(strstr(text, "ffffffff00000000"), "ffffffff81000000", 16);
	assert_true(find(&image, text, "blockdev_superblock") == VALUES + 1234);
}

static void btf(void **state __attribute__((unused)))
{
	static struct image image;

	make_image(&image, TABLES, "blockdev_superblock");
	assert_true(find_btf(&image) == 0);
	put_btf(&image, BTF + 3);
	assert_true(find_btf(&image) == BASE + BTF + 3);
	/* At the end of a piece, and of the memory. */
	for (size_t i = 0; i < 24; i++) {
		make_image(&image, TABLES, "blockdev_superblock");
		put_btf(&image, TABLES - 0x2000 + 0x30000 - i);
		assert_true(find_btf(&image) ==
			    BASE + TABLES - 0x2000 + 0x30000 - i);
	}
	make_image(&image, TABLES, "blockdev_superblock");
	put_btf(&image, SIZE - 24);
	assert_true(find_btf(&image) == BASE + SIZE - 24);
	/* The first bytes of a name are not enough. */
	for (size_t i = 0; i < 4; i++) {
		static const unsigned char places[] = { 2, 5, 8, 15 };

		make_image(&image, TABLES, "blockdev_superblock");
		put_btf(&image, BTF);
		image.data[BTF + places[i]] = 0xff;
		assert_true(find_btf(&image) == 0);
	}
	make_image(&image, TABLES, "blockdev_superblock");
	put_btf(&image, BTF);
	image.data[BTF + 4] = 20;
	assert_true(find_btf(&image) == 0);
}

/* Memory that cannot be read counts as missing. */
static void cut_off(void **state __attribute__((unused)))
{
	static struct image image;

	make_image(&image, TABLES, "blockdev_superblock");
	put_btf(&image, BTF);
	image.memory.size = STRINGS + 0x5000;
	assert_true(find(&image, vmcoreinfo, "blockdev_superblock") ==
		    VALUES + 1234);
	assert_true(find_btf(&image) == 0);
	image.memory.size = STRINGS + 0x2000;
	assert_true(find(&image, vmcoreinfo, "blockdev_superblock") == 0);
	image.memory.size = TABLES;
	assert_true(find(&image, vmcoreinfo, "blockdev_superblock") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found),	   cmocka_unit_test(not_found),
		cmocka_unit_test(across_pieces),   cmocka_unit_test(no_tables),
		cmocka_unit_test(behind_kallsyms), cmocka_unit_test(btf),
		cmocka_unit_test(cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
