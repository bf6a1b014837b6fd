// SPDX-License-Identifier: GPL-2.0-or-later
/* Page tables of x86-64, made by hand. */
#include <errno.h>

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

static void unknown_place(void **state __attribute__((unused)))
{
	static const char *const texts[] = {
		"",
		"SYMBOL(swapper_pg_dir)=ffffffff82000000\n",
		"NUMBER(phys_base)=0\n",
		"SYMBOL(swapper_pg_dir)=1000\nNUMBER(phys_base)=0\n",
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
		cmocka_unit_test_setup(unknown_place, make_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
