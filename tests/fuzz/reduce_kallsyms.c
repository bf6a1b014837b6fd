// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reduce_kallsyms DUMP >SEED: writes the symbol table of the kernel in a dump,
 * without most of its symbols, as an input of fuzz_kallsyms and for the unit
 * tests. Build it with make build/fuzz/reduce_kallsyms. tests/vm/dump takes
 * dumps and removes them.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kallsyms_input.h"
#include "kernel/dump.h"
#include "kernel/kallsyms.h"
#include "kernel/kallsyms_names.h"
#include "kernel/vmcoreinfo.h"
#include "lib/error.h"

/* One of this many symbols stays. */
#define EVERY 200

/* In the order of Linux up to 5.19, whose tables can be searched for. */
static unsigned char memory[1 << 20];
static size_t used;

static uint64_t put(const void *data, size_t size)
{
	uint64_t address = KALLSYMS_BASE + used;

	memcpy(memory + used, data, size);
	used += size;
	return address;
}

static void align(void)
{
	used = (used + 7) & ~(size_t)7;
}

static void read_or_die(const struct dump *dump, uint64_t address, void *buffer,
			size_t size)
{
	if (kmem_read(&dump->kmem, address, buffer, size) < 0)
		errx(1, "%#llx: not in the dump", (unsigned long long)address);
}

static bool is_wanted(const struct kallsyms_symbol *symbols, uint64_t address)
{
	for (int i = 0; i < 3; i++) {
		if (symbols[i].address == address)
			return true;
	}
	return false;
}

static uint64_t address_of(const struct kallsyms *table, uint32_t index,
			   int32_t offset)
{
	if (!table->relative_base)
		return table->offsets + 4ULL * index +
		       (uint64_t)(int64_t)offset;
	if (offset >= 0)
		return (uint64_t)offset;
	return table->relative_base - 1 - (uint64_t)(int64_t)offset;
}

int main(int argc, char **argv)
{
	struct kallsyms_symbol symbols[] = { { "blockdev_superblock", 0 },
					     { "nr_blockdev_pages", 0 },
					     { "_stext", 0 } };
	static unsigned char names[1 << 18], token_table[16384];
	static int32_t offsets[4096];
	static uint32_t markers[64];
	static struct kallsyms_names walk;
	struct kallsyms_input input = { 0 };
	uint16_t token_index[256];
	const unsigned char *tokens;
	size_t length, names_size = 0;
	struct kallsyms table;
	char text[ERROR_TEXT_SIZE];
	struct error error;
	struct dump dump;
	uint32_t kept = 0;

	if (argc != 2 || dump_open(&dump, argv[1], NULL, &error) < 0)
		errx(1, "usage: reduce_kallsyms DUMP");
	vmcoreinfo_symbol(dump.vmcoreinfo, "_stext", &input.stext);
	if (kallsyms_from_vmcoreinfo(dump.vmcoreinfo, &dump.kmem, &table) < 0 &&
	    kallsyms_search(&dump.kmem, input.stext, 128 << 20, &table) < 0)
		errx(1, "no symbols");
	if (kallsyms_lookup(&table, &dump.kmem, input.stext, symbols, 3,
			    &error) < 0)
		errx(1, "%s", error_text(&error, text));

	kallsyms_names_init(&walk, &dump.kmem, table.names);
	for (uint32_t i = 0; i < table.count; i++) {
		uint64_t before = kallsyms_names_position(&walk), address;
		int32_t offset;

		if (kallsyms_names_next(&walk, &tokens, &length) < 0)
			errx(1, "bad names");
		read_or_die(&dump, table.offsets + 4ULL * i, &offset, 4);
		address = address_of(&table, i, offset);
		if (i % EVERY && !is_wanted(symbols, address))
			continue;
		if (kept % 256 == 0)
			markers[kept / 256] = (uint32_t)names_size;
		length = kallsyms_names_position(&walk) - before;
		read_or_die(&dump, before, names + names_size, length);
		names_size += length;
		offsets[kept] = table.relative_base ?
					offset :
					(int32_t)(address - (KALLSYMS_BASE +
							     4ULL * kept));
		kept++;
	}
	read_or_die(&dump, table.token_index, token_index, sizeof(token_index));
	length = kmem_read_some(&dump.kmem, table.token_table, token_table,
				sizeof(token_table));
	length = token_index[255];
	length += strlen((char *)token_table + length) + 1;

	input.count = kept;
	input.relative_base = table.relative_base;
	input.offsets = put(offsets, 4 * kept);
	align();
	put(&table.relative_base, 8);
	put(&kept, 4);
	align();
	input.names = put(names, names_size);
	align();
	put(markers, 4 * ((kept + 255) / 256));
	align();
	input.token_table = put(token_table, length);
	align();
	input.token_index = put(token_index, sizeof(token_index));
	fwrite(&input, sizeof(input), 1, stdout);
	fwrite(memory, used, 1, stdout);
	fprintf(stderr, "%u symbols, nr_blockdev_pages %#llx:", kept,
		(unsigned long long)symbols[1].address);
	read_or_die(&dump, symbols[1].address, memory, 64);
	for (int i = 0; i < 64; i++)
		fprintf(stderr, " %02x", memory[i]);
	fprintf(stderr, "\nblockdev_superblock %#llx\n",
		(unsigned long long)symbols[0].address);
	return 0;
}
