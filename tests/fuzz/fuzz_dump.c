// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any file as an ELF dump: headers, notes, VMCOREINFO, page tables, memory.
 * Files that are not ELF would go to libkdumpfile.
 */
#include <elf.h>
#include <string.h>

#include "fuzz.h"
#include "kernel/dump_file.h"
#include "kernel/pagetable.h"
#include "kernel/vmcoreinfo.h"
#include "lib/error.h"
#include "memory_file.h"

static void read_memory(const struct kmem *kmem, const char *vmcoreinfo)
{
	static const uint64_t addresses[] = { 0, 0xffffffff81000000,
					      0xffff888000000000,
					      0xff11000000000000, UINT64_MAX };
	uint64_t symbol;
	char buffer[64];

	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		kmem_read(kmem, addresses[i], buffer, sizeof(buffer));
		kmem_read_some(kmem, addresses[i], buffer, sizeof(buffer));
		kmem_read_string(kmem, addresses[i], buffer, sizeof(buffer));
	}
	if (vmcoreinfo_symbol(vmcoreinfo, "_stext", &symbol))
		kmem_read(kmem, symbol, buffer, sizeof(buffer));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pagetable table;
	const struct kmem kmem = { pagetable_read, &table };
	struct dump_file dump;
	struct memory_file file;
	struct error err;

	if (size < SELFMAG || memcmp(data, ELFMAG, SELFMAG) != 0)
		return 0;
	file = memory_file(data, size);
	if (dump_file_open(&dump, file.path, &err) == 0 &&
	    pagetable_init(&table, &dump.physical, dump.vmcoreinfo, &err) == 0)
		read_memory(&kmem, dump.vmcoreinfo);
	dump_file_close(&dump);
	close(file.fd);
	return 0;
}
