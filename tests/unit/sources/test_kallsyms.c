// SPDX-License-Identifier: GPL-2.0-or-later
/* Reduced symbol tables of real kernels, and invalid tables. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/kallsyms.h"
#include "kernel/kallsyms_names.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "memory.h"
#include "seeds.h"
#include "test.h"

struct kernel {
	struct kallsyms_input input;
	struct kallsyms tables;
	struct memory memory;
	struct kmem kmem;
	char *data;
};

static void read_kernel(struct kernel *kernel, const char *name)
{
	size_t size;

	kernel->data = seed_read_kallsyms(name, &size, &kernel->input);
	kernel->memory = (struct memory){
		KALLSYMS_BASE,
		(unsigned char *)kernel->data + sizeof(kernel->input),
		size - sizeof(kernel->input),
	};
	kernel->kmem = (struct kmem){ memory_read, &kernel->memory };
	kernel->tables = (struct kallsyms){
		kernel->input.names,	     kernel->input.token_table,
		kernel->input.token_index,   kernel->input.offsets,
		kernel->input.relative_base, (uint32_t)kernel->input.count,
	};
}

/* reduce_kallsyms printed these from the whole tables. */
static const struct {
	const char *seed;
	uint64_t superblock;
	uint64_t function;
} kernels[] = {
	{ "kallsyms/debian-5.10", 0xffffffff82876af8, 0xffffffff8132d3c0 },
	{ "kallsyms/debian-6.1", 0xffffffff82c42850, 0xffffffff814d2430 },
	{ "kallsyms/debian-6.12", 0xffffffff826187d8, 0xffffffff81634090 },
	{ "kallsyms/debian-7.3", 0xffffffff82a0da78, 0xffffffff819e7a30 },
};

static void real_kernels(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(kernels); i++) {
		struct kallsyms_symbol symbols[] = {
			{ "blockdev_superblock", 0 },
			{ "nr_blockdev_pages", 0 },
			{ "no_such_symbol", 7 },
			{ "blockdev_superbloc", 7 },
			{ "blockdev_superblock2", 7 },
			{ "", 7 },
		};
		struct kernel kernel;
		struct error err = { 0 };

		read_kernel(&kernel, kernels[i].seed);
		if (kallsyms_lookup(&kernel.tables, &kernel.kmem,
				    kernel.input.stext, symbols,
				    COUNT_OF(symbols), &err) < 0)
			fail_msg("%s: %s", kernels[i].seed, text_of(&err));
		assert_true(symbols[0].address == kernels[i].superblock);
		assert_true(symbols[1].address == kernels[i].function);
		for (size_t j = 2; j < COUNT_OF(symbols); j++)
			assert_true(symbols[j].address == 0);
		free(kernel.data);
	}
}

/* The seeds have the layout of the tables up to Linux 5.19. */
static void search(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(kernels); i++) {
		struct kernel kernel;
		struct kallsyms found;

		read_kernel(&kernel, kernels[i].seed);
		assert_int_equal(kallsyms_search(&kernel.kmem, KALLSYMS_BASE,
						 1 << 20, &found),
				 0);
		assert_true(found.names == kernel.tables.names);
		assert_true(found.token_table == kernel.tables.token_table);
		assert_true(found.token_index == kernel.tables.token_index);
		assert_true(found.offsets == kernel.tables.offsets);
		assert_true(found.relative_base == kernel.tables.relative_base);
		assert_int_equal(found.count, kernel.tables.count);
		assert_int_equal(kallsyms_find("OSRELEASE=5.10\n", &kernel.kmem,
					       KALLSYMS_BASE, &found),
				 0);
		assert_true(found.names == kernel.tables.names);
		/* A table of tokens without valid tables before it. */
		memset(kernel.memory.data +
			       (kernel.tables.names - KALLSYMS_BASE),
		       0, 64);
		assert_int_equal(kallsyms_search(&kernel.kmem, KALLSYMS_BASE,
						 1 << 20, &found),
				 -ENOENT);
		free(kernel.data);
	}
}

/* Gives num_syms and the markers eight bytes, as Linux 4.18 does. */
static size_t widen(struct kernel *kernel)
{
	struct memory *memory = &kernel->memory;
	size_t count = (kernel->tables.count + 255) / 256;
	size_t narrow = (count + 1) / 2 * 8, wide = count * 8;
	size_t tokens = kernel->tables.token_table - KALLSYMS_BASE;
	unsigned char *data = malloc(memory->size + wide - narrow);
	uint64_t number = kernel->tables.count;

	assert_non_null(data);
	memcpy(data, memory->data, tokens);
	memcpy(data + (kernel->tables.names - KALLSYMS_BASE) - 8, &number, 8);
	for (size_t i = 0; i < count; i++) {
		uint32_t marker;

		memcpy(&marker, memory->data + tokens - narrow + 4 * i, 4);
		number = marker;
		memcpy(data + tokens - narrow + 8 * i, &number, 8);
	}
	memcpy(data + tokens - narrow + wide, memory->data + tokens,
	       memory->size - tokens);
	memory->data = data;
	memory->size += wide - narrow;
	return wide - narrow;
}

static void search_long_words(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(kernels); i++) {
		struct kernel kernel;
		struct kallsyms found;
		size_t moved;

		read_kernel(&kernel, kernels[i].seed);
		moved = widen(&kernel);
		assert_int_equal(kallsyms_search(&kernel.kmem, KALLSYMS_BASE,
						 1 << 20, &found),
				 0);
		assert_true(found.names == kernel.tables.names);
		assert_true(found.token_table ==
			    kernel.tables.token_table + moved);
		assert_true(found.offsets == kernel.tables.offsets);
		assert_true(found.relative_base == kernel.tables.relative_base);
		assert_int_equal(found.count, kernel.tables.count);
		free(kernel.memory.data);
		free(kernel.data);
	}
}

/* Linux 6.13 to 7.1: offsets are relative to the base, whatever their sign. */
static void without_percpu(void **state __attribute__((unused)))
{
	struct kallsyms_symbol symbol = { "blockdev_superblock", 0 };
	struct error err = { 0 };
	struct kernel kernel;

	read_kernel(&kernel, "kallsyms/debian-6.1");
	for (uint32_t i = 0; i < kernel.tables.count; i++) {
		uint64_t place = kernel.tables.offsets + 4ULL * i;
		int32_t offset;

		assert_int_equal(kmem_read(&kernel.kmem, place, &offset,
					   sizeof(offset)),
				 0);
		offset = offset < 0 ? -1 - offset : 0;
		memory_put(&kernel.memory, place, &offset, sizeof(offset));
	}
	assert_int_equal(kallsyms_lookup(&kernel.tables, &kernel.kmem,
					 kernel.input.stext, &symbol, 1, &err),
			 0);
	assert_true(symbol.address == 0xffffffff82c42850);
	free(kernel.data);
}

static int look_up(struct kernel *kernel, struct error *err)
{
	struct kallsyms_symbol symbol = { "blockdev_superblock", 0 };

	return kallsyms_lookup(&kernel->tables, &kernel->kmem,
			       kernel->input.stext, &symbol, 1, err);
}

static void expect(struct kernel *kernel, int result, const char *message)
{
	struct error err = { 0 };

	if (look_up(kernel, &err) != result || !strstr(text_of(&err), message))
		fail_msg("%s, expected %s", text_of(&err), message);
}

static void bad_tables(void **state __attribute__((unused)))
{
	struct kernel good, bad;

	read_kernel(&good, "kallsyms/debian-6.1");
	expect(&good, 0, "");
	bad = good, bad.input.stext += 4096;
	expect(&bad, -EBADMSG, "_stext is not where");
	bad = good, bad.tables.relative_base = 0;
	expect(&bad, -EBADMSG, "_stext is not where");
	bad = good, bad.tables.offsets += 200;
	expect(&bad, -EBADMSG, "_stext is not where");
	bad = good, bad.tables.offsets = 0;
	expect(&bad, -EFAULT, "reading an offset");
	bad = good, bad.tables.token_index = 0;
	expect(&bad, -EFAULT, "reading the tokens' index");
	bad = good, bad.tables.token_table = 0;
	expect(&bad, -EBADMSG, "outside the table");
	bad = good, bad.tables.names = 0;
	expect(&bad, -EBADMSG, "the names end at 0");
	bad = good, bad.tables.count = 1;
	expect(&bad, -EBADMSG, "_stext");
	bad = good, bad.tables.count = UINT32_MAX;
	expect(&bad, -EBADMSG, "symbols");
	free(good.data);
}

/* Lengths have one byte up to 127, else two. 0 and too large are refused. */
static void name_lengths(void **state __attribute__((unused)))
{
	static unsigned char names[4096];
	struct memory memory = { KALLSYMS_BASE, names, sizeof(names) };
	struct kmem kmem = memory_kmem(&memory);
	static struct kallsyms_names walk;
	const unsigned char *tokens;
	size_t count;

	names[0] = 127;
	names[128] = 0x80;
	names[129] = 1; /* 128 */
	names[258] = 0x81;
	names[259] = 8; /* 1025 */
	kallsyms_names_init(&walk, &kmem, KALLSYMS_BASE);
	assert_int_equal(kallsyms_names_next(&walk, &tokens, &count), 0);
	assert_int_equal(count, 127);
	assert_int_equal(kallsyms_names_next(&walk, &tokens, &count), 0);
	assert_int_equal(count, 128);
	assert_true(kallsyms_names_position(&walk) == KALLSYMS_BASE + 258);
	assert_int_equal(kallsyms_names_next(&walk, &tokens, &count), -EBADMSG);
	names[258] = 0;
	kallsyms_names_init(&walk, &kmem, KALLSYMS_BASE + 258);
	assert_int_equal(kallsyms_names_next(&walk, &tokens, &count), -EBADMSG);
	names[4094] = 2;
	kallsyms_names_init(&walk, &kmem, KALLSYMS_BASE + 4094);
	assert_int_equal(kallsyms_names_next(&walk, &tokens, &count), -EBADMSG);
	kallsyms_names_init(&walk, &kmem, KALLSYMS_BASE + 4095);
	assert_int_equal(kallsyms_names_next(&walk, &tokens, &count), -EBADMSG);
}

static int read_text(const char *text, struct kallsyms_symbol *symbols,
		     struct error *err)
{
	FILE *file = tmpfile();
	int ret;

	assert_non_null(file);
	fputs(text, file);
	fflush(file);
	rewind(file);
	ret = kallsyms_text_lookup(fileno(file), symbols, 2, err);
	fclose(file);
	return ret;
}

static void proc_kallsyms(void **state __attribute__((unused)))
{
	struct kallsyms_symbol symbols[] = { { "blockdev_superblock", 1 },
					     { "nr_blockdev_pages", 1 } };
	struct error err = { 0 };

	assert_int_equal(
		read_text("ffffffff8132d3c0 T nr_blockdev_pages\n"
			  "ffffffffc0000000 b blockdev_superblock\t[x]\n"
			  "ffffffffc0000000 b xblockdev_superblock\n"
			  "ffffffff82876af8 D blockdev_superblock\n",
			  symbols, &err),
		0);
	assert_true(symbols[0].address == 0xffffffff82876af8);
	assert_true(symbols[1].address == 0xffffffff8132d3c0);

	assert_int_equal(read_text("ffffffff8132d3c0 T nr_blockdev_pages\n",
				   symbols, &err),
			 0);
	assert_true(symbols[0].address == 0);

	assert_int_equal(read_text("0000000000000000 T nr_blockdev_pages\n"
				   "0000000000000000 D blockdev_superblock\n",
				   symbols, &err),
			 -EPERM);
	assert_string_equal(text_of(&err),
			    "/proc/kallsyms hides the addresses (sysctl "
			    "kernel.kptr_restrict=1)");
	assert_int_equal(read_text("", symbols, &err), -EPERM);
	assert_int_equal(read_text("no\nsuch lines\n \n", symbols, &err),
			 -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_kernels),
		cmocka_unit_test(search),
		cmocka_unit_test(search_long_words),
		cmocka_unit_test(without_percpu),
		cmocka_unit_test(bad_tables),
		cmocka_unit_test(name_lengths),
		cmocka_unit_test(proc_kallsyms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
