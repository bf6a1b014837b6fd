// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any file as an ELF dump: headers, notes, VMCOREINFO, page tables, memory.
 * Files that are not ELF would go to libkdumpfile.
 */
#include <elf.h>
#include <string.h>

#include "fuzz.h"
#include "kernel/dump.h"
#include "kernel/vmcoreinfo.h"
#include "lib/error.h"
#include "memory_file.h"

static void read_memory(const struct dump *dump)
{
	static const uint64_t addresses[] = { 0, 0xffffffff81000000,
					      0xffff888000000000,
					      0xff11000000000000, UINT64_MAX };
	uint64_t symbol;
	char buffer[64];

	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		kmem_read(&dump->kmem, addresses[i], buffer, sizeof(buffer));
		kmem_read_some(&dump->kmem, addresses[i], buffer,
			       sizeof(buffer));
		kmem_read_string(&dump->kmem, addresses[i], buffer,
				 sizeof(buffer));
	}
	if (vmcoreinfo_symbol(dump->vmcoreinfo, "_stext", &symbol))
		kmem_read(&dump->kmem, symbol, buffer, sizeof(buffer));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err;
	struct dump dump;
	struct memory_file file;

	if (size < SELFMAG || memcmp(data, ELFMAG, SELFMAG) != 0)
		return 0;
	file = memory_file(data, size);
	if (dump_open(&dump, file.path, &err) == 0)
		read_memory(&dump);
	dump_close(&dump);
	close(file.fd);
	return 0;
}
