// SPDX-License-Identifier: GPL-2.0-or-later
/* Page tables of x86-64 and arm64, made by hand. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>

#include "kernel/pagetable.h"
#include "lib/error.h"
#include "memory.h"
#include "test.h"

#define SIZE (16 * 4096)
#define PRESENT 1
#define LARGE 0x80
#define NO_EXECUTE (1ULL << 63)
#define TEXT 0xffffffff81000000ULL

static unsigned char data[SIZE];
static struct memory memory = { 0x1000000, data, SIZE };

/* Sets the @index-th entry of the @table-th page. */
static void put(int table, unsigned int index, uint64_t entry)
{
	memory_put_word(&memory,
			memory.base + (uint64_t)table * 4096 + index * 8ULL,
			entry);
}

static uint64_t page(int number)
{
	return memory.base + (uint64_t)number * 4096;
}

static void make_table(struct pagetable *table, const char *vmcoreinfo)
{
	const struct physmem physical = { memory_read, &memory };
	struct error err;

	assert_int_equal(pagetable_init(table, &physical, vmcoreinfo, &err), 0);
}

/* Four levels from page 0 on: TEXT is page 4, TEXT + 4096 page 6. */
static int make_memory(void **state __attribute__((unused)))
{
	memset(data, 0, sizeof(data));
	put(0, 511, page(1) | PRESENT);
	put(1, 510, page(2) | PRESENT);
	put(2, 8, page(3) | PRESENT);
	put(3, 0, page(4) | PRESENT | NO_EXECUTE);
	put(3, 1, page(6) | PRESENT);
	memset(data + 4 * 4096, 'a', 4096);
	memset(data + 5 * 4096, 'x', 4096);
	memset(data + 6 * 4096, 'b', 4096);
	return 0;
}

/* swapper_pg_dir is at the physical 0x1000000. */
#define FOUR                                                                   \
	"SYMBOL(swapper_pg_dir)=ffffffff82000000\nNUMBER(phys_base)=-16777216\n"

static void pages(void **state __attribute__((unused)))
{
	struct pagetable table;
	char text[8192];

	make_table(&table, FOUR);
	assert_int_equal(pagetable_read(&table, TEXT, text, 8192), 0);
	assert_int_equal(text[0], 'a');
	assert_int_equal(text[4095], 'a');
	assert_int_equal(text[4096], 'b');
	assert_int_equal(text[8191], 'b');
	assert_int_equal(pagetable_read(&table, TEXT + 1, text, 8192), -EFAULT);
	assert_int_equal(pagetable_read(&table, TEXT - 1, text, 2), -EFAULT);
	assert_int_equal(pagetable_read(&table, TEXT + 4095, text, 2), 0);
	assert_memory_equal(text, "ab", 2);
}

static void not_there(void **state __attribute__((unused)))
{
	static const uint64_t addresses[] = {
		0,
		0x1000,
		0xffff800000000000,
		UINT64_MAX,
		0x7fffffffffff,
		0x0000800000000000,
		TEXT >> 16,
		0xff00ffff81000000,
	};
	struct pagetable table;
	char byte;

	make_table(&table, FOUR);
	for (size_t i = 0; i < COUNT_OF(addresses); i++)
		assert_int_equal(pagetable_read(&table, addresses[i], &byte, 1),
				 -EFAULT);
	put(2, 8, page(100) | PRESENT);
	assert_int_equal(pagetable_read(&table, TEXT, &byte, 1), -EFAULT);
	put(2, 8, page(3));
	assert_int_equal(pagetable_read(&table, TEXT, &byte, 1), -EFAULT);
}

static void large_pages(void **state __attribute__((unused)))
{
	struct pagetable table;
	char byte;

	make_table(&table, FOUR);
	/* 2 MiB at physical 0x1000000; bit 12 is not part of the address. */
	put(2, 8, 0x1000000 | 1 << 12 | PRESENT | LARGE);
	assert_int_equal(pagetable_read(&table, TEXT + 4 * 4096, &byte, 1), 0);
	assert_int_equal(byte, 'a');
	assert_int_equal(pagetable_read(&table, TEXT + SIZE, &byte, 1),
			 -EFAULT);
	/* 1 GiB at 0: TEXT is 16 MiB into it. */
	make_table(&table, FOUR);
	put(1, 510, 0 | PRESENT | LARGE);
	assert_int_equal(pagetable_read(&table, TEXT + 6 * 4096, &byte, 1), 0);
	assert_int_equal(byte, 'b');
	/* There are no larger pages. */
	make_table(&table, FOUR);
	put(0, 511, 0 | PRESENT | LARGE);
	assert_int_equal(pagetable_read(&table, TEXT, &byte, 1), -EFAULT);
}

static void five_levels(void **state __attribute__((unused)))
{
	struct pagetable table;
	char byte;

	put(7, 511, page(0) | PRESENT);
	make_table(&table, "SYMBOL(swapper_pg_dir)=ffffffff82007000\n"
			   "NUMBER(phys_base)=-16777216\n"
			   "NUMBER(pgtable_l5_enabled)=1\n");
	assert_int_equal(pagetable_read(&table, TEXT, &byte, 1), 0);
	assert_int_equal(byte, 'a');
	/* Only with four levels must these bits be equal. */
	assert_int_equal(pagetable_read(&table, 0xff00ffff81000000, &byte, 1),
			 -EFAULT);
}

static void encrypted_memory(void **state __attribute__((unused)))
{
	struct pagetable table;
	char byte;

	put(3, 0, page(4) | 1ULL << 47 | PRESENT);
	make_table(&table, FOUR);
	assert_int_equal(pagetable_read(&table, TEXT, &byte, 1), -EFAULT);
	make_table(&table, FOUR "NUMBER(sme_mask)=140737488355328\n");
	assert_int_equal(pagetable_read(&table, TEXT, &byte, 1), 0);
	assert_int_equal(byte, 'a');
}

/* The kernel's image of arm64 is mapped 0xffffd00008000000 above its memory. */
#define ARM                                                                    \
	"SYMBOL(swapper_pg_dir)=ffffd00009000000\n"                            \
	"NUMBER(kimage_voffset)=0xffffd00008000000\n"
#define ARM_4K ARM "PAGESIZE=4096\nNUMBER(VA_BITS)=48\n"
#define ARM_TEXT 0xffff800010001000ULL
#define VALID 1
#define TABLE 3 /* or a page, in the last table */

static void arm_pages(void **state __attribute__((unused)))
{
	static const uint64_t others[] = {
		0,
		0x1000,
		0x0000800010001000,
		0x7fff800010001000,
		ARM_TEXT - 4096,
		UINT64_MAX,
	};
	struct pagetable table;
	char text[8192];

	/* Attributes above and below the address are no part of it. */
	put(0, 256, page(1) | TABLE | 1ULL << 59);
	put(1, 0, page(2) | TABLE);
	put(2, 128, page(3) | TABLE);
	put(3, 1, page(4) | TABLE | 0x78ULL << 48 | 0xf00);
	put(3, 2, page(6) | TABLE);
	make_table(&table, ARM_4K);
	assert_int_equal(table.machine, EM_AARCH64);
	assert_int_equal(pagetable_read(&table, ARM_TEXT, text, 8192), 0);
	assert_int_equal(text[0], 'a');
	assert_int_equal(text[4095], 'a');
	assert_int_equal(text[4096], 'b');
	assert_int_equal(text[8191], 'b');
	for (size_t i = 0; i < COUNT_OF(others); i++)
		assert_int_equal(pagetable_read(&table, others[i], text, 1),
				 -EFAULT);
	/* Not valid, and what is reserved in the last table. */
	put(3, 1, page(4) | (TABLE - VALID));
	assert_int_equal(pagetable_read(&table, ARM_TEXT, text, 1), -EFAULT);
	put(3, 1, page(4) | VALID);
	assert_int_equal(pagetable_read(&table, ARM_TEXT, text, 1), -EFAULT);
}

static void arm_blocks(void **state __attribute__((unused)))
{
	struct pagetable table;
	char byte;

	make_table(&table, ARM_4K "NUMBER(TCR_EL1_T1SZ)=0x10\n");
	put(0, 256, page(1) | TABLE);
	put(1, 0, page(2) | TABLE);
	/* 2 MiB, of which the page is the second. */
	put(2, 128, 0x1000000 | VALID);
	assert_int_equal(pagetable_read(&table, ARM_TEXT + 3 * 4096, &byte, 1),
			 0);
	assert_int_equal(byte, 'a');
	/* 1 GiB at 0: this is 16 MiB and four pages into it. */
	make_table(&table, ARM_4K);
	put(1, 0, 0 | VALID);
	assert_int_equal(pagetable_read(&table, 0xffff800001004000, &byte, 1),
			 0);
	assert_int_equal(byte, 'a');
	/* There are no larger blocks. */
	make_table(&table, ARM_4K);
	put(0, 256, 0 | VALID);
	assert_int_equal(pagetable_read(&table, 0xffff800001004000, &byte, 1),
			 -EFAULT);
}

/*
 * One table at all levels, which is also the page: address bits 47 and 16 to
 * 29 of 0xffff800010010000 are the indexes.
 */
static void arm_large_pages(void **state __attribute__((unused)))
{
	static const struct {
		const char *vmcoreinfo;
		unsigned int root, last; /* indexes; all others are 0 */
	} cases[] = {
		{ "PAGESIZE=65536\nNUMBER(VA_BITS)=48\n", 32, 0x1001 },
		/* Built for 52 bits, on a processor without. */
		{ "PAGESIZE=65536\nNUMBER(VA_BITS)=52\n"
		  "NUMBER(TCR_EL1_T1SZ)=0x10\n",
		  992, 0x1001 },
		{ "PAGESIZE=65536\nNUMBER(VA_BITS)=52\n"
		  "NUMBER(TCR_EL1_T1SZ)=0xc\n",
		  992, 0x1001 },
	};
	const uint64_t address = 0xffff800010010000;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct pagetable table;
		char text[256], byte;

		memset(data, 'x', sizeof(data));
		put(0, cases[i].root, page(0) | TABLE);
		put(0, 0, page(0) | TABLE);
		put(0, cases[i].last, page(0) | TABLE);
		snprintf(text, sizeof(text), ARM "%s", cases[i].vmcoreinfo);
		make_table(&table, text);
		assert_int_equal(table.levels, 3);
		data[40000] = (unsigned char)i;
		assert_int_equal(
			pagetable_read(&table, address + 40000, &byte, 1), 0);
		assert_int_equal(byte, i);
		/* Another page, whose entry is not one. */
		assert_int_equal(pagetable_read(&table, address + 65536, &byte,
						1),
				 -EFAULT);
	}
}

/* 16 KiB pages: four tables for 48 bits, three for 47. */
static void arm_middle_pages(void **state __attribute__((unused)))
{
	struct pagetable table;
	char byte;

	memset(data, 0, sizeof(data));
	/* Bits 47; 46 to 36: 0; 35 to 25: 8; 24 to 14: 4. */
	put(0, 1, page(0) | TABLE);
	put(0, 0, page(0) | TABLE);
	put(0, 8, page(0) | TABLE);
	put(0, 4, page(12) | TABLE);
	data[12 * 4096 + 5] = 'm';
	make_table(&table, ARM "PAGESIZE=16384\nNUMBER(VA_BITS)=48\n");
	assert_int_equal(table.levels, 4);
	assert_int_equal(pagetable_read(&table, 0xffff800010010005, &byte, 1),
			 0);
	assert_int_equal(byte, 'm');
	/* The same without the highest; bit 47 must be set. */
	put(0, 1, 0);
	make_table(&table, ARM "PAGESIZE=16384\nNUMBER(VA_BITS)=47\n");
	assert_int_equal(table.levels, 3);
	assert_int_equal(pagetable_read(&table, 0xffff800010010005, &byte, 1),
			 0);
	assert_int_equal(byte, 'm');
	assert_int_equal(pagetable_read(&table, 0xffff000010010005, &byte, 1),
			 -EFAULT);
	/* Built for 52 bits, on a processor without: Linux uses 47. */
	make_table(&table, ARM "PAGESIZE=16384\nNUMBER(VA_BITS)=52\n"
			       "NUMBER(TCR_EL1_T1SZ)=0x11\n");
	assert_int_equal(table.levels, 3);
	assert_int_equal(pagetable_read(&table, 0xffff800010010005, &byte, 1),
			 0);
}

/* Memory above 48 bits: where the entries have those bits. */
static void arm_high_memory(void **state __attribute__((unused)))
{
	struct pagetable table;
	char byte;

	memory.base = 5ULL << 48 | 0x1000000;
	memset(data, 0, sizeof(data));
	put(0, 32, 0x1000000 | 5 << 12 | TABLE);
	put(0, 0, 0x1000000 | 5 << 12 | TABLE);
	put(0, 0x1001, 0x1000000 | 5 << 12 | TABLE);
	data[77] = 'h';
	make_table(&table, "SYMBOL(swapper_pg_dir)=ffffd00009000000\n"
			   "NUMBER(kimage_voffset)=0xfffad00008000000\n"
			   "PAGESIZE=65536\nNUMBER(VA_BITS)=48\n");
	assert_int_equal(pagetable_read(&table, 0xffff80001001004d, &byte, 1),
			 0);
	assert_int_equal(byte, 'h');
	/* With 4 KiB pages, only if the addresses have 52 bits. */
	memory.base = 9ULL << 48 | 0x1000000;
	memset(data, 0, sizeof(data));
	put(0, 15, 1ULL << 48 | 0x1000000 | 2 << 8 | TABLE);
	put(0, 256, 1ULL << 48 | 0x1000000 | 2 << 8 | TABLE);
	put(0, 0, 1ULL << 48 | 0x1000000 | 2 << 8 | TABLE);
	put(0, 128, 1ULL << 48 | 0x1000000 | 2 << 8 | TABLE);
	put(0, 1, 1ULL << 48 | 0x1000000 | 2 << 8 | TABLE);
	data[77] = 'H';
	make_table(&table, "SYMBOL(swapper_pg_dir)=ffffd00009000000\n"
			   "NUMBER(kimage_voffset)=0xfff6d00008000000\n"
			   "PAGESIZE=4096\nNUMBER(VA_BITS)=52\n"
			   "NUMBER(TCR_EL1_T1SZ)=0xc\n");
	assert_int_equal(table.levels, 5);
	assert_int_equal(pagetable_read(&table, 0xffff80001000104d, &byte, 1),
			 0);
	assert_int_equal(byte, 'H');
	memory.base = 0x1000000;
}

static void unknown_place(void **state __attribute__((unused)))
{
	static const char *const texts[] = {
		"",
		"SYMBOL(swapper_pg_dir)=ffffffff82000000\n",
		"NUMBER(phys_base)=0\n",
		"SYMBOL(swapper_pg_dir)=1000\nNUMBER(phys_base)=0\n",
		ARM,
		ARM "PAGESIZE=4096\n",
		ARM "NUMBER(VA_BITS)=48\n",
		ARM "PAGESIZE=8192\nNUMBER(VA_BITS)=48\n",
		ARM "PAGESIZE=4096\nNUMBER(VA_BITS)=64\n",
		ARM "PAGESIZE=4096\nNUMBER(VA_BITS)=12\n",
		ARM_4K "NUMBER(TCR_EL1_T1SZ)=0x40\n",
		ARM_4K "NUMBER(TCR_EL1_T1SZ)=0xc\n",
	};
	const struct physmem physical = { memory_read, &memory };
	struct pagetable table;
	struct error err;

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_int_equal(pagetable_init(&table, &physical, texts[i],
						&err),
				 -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(pages, make_memory),
		cmocka_unit_test_setup(not_there, make_memory),
		cmocka_unit_test_setup(large_pages, make_memory),
		cmocka_unit_test_setup(five_levels, make_memory),
		cmocka_unit_test_setup(encrypted_memory, make_memory),
		cmocka_unit_test_setup(arm_pages, make_memory),
		cmocka_unit_test_setup(arm_blocks, make_memory),
		cmocka_unit_test_setup(arm_large_pages, make_memory),
		cmocka_unit_test_setup(arm_middle_pages, make_memory),
		cmocka_unit_test_setup(arm_high_memory, make_memory),
		cmocka_unit_test_setup(unknown_place, make_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
