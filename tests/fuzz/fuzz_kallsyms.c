// SPDX-License-Identifier: GPL-2.0-or-later
/* Any memory as the kernel's symbol tables: finds them and looks up in them. */
#include <elf.h>
#include <string.h>

#include "fuzz.h"
#include "kallsyms_input.h"
#include "kernel/kallsyms.h"
#include "kernel/pointer_loads.h"
#include "lib/error.h"
#include "memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms_symbol symbols[] = { { "blockdev_superblock", 0 },
					     { "nr_blockdev_pages", 0 },
					     { "", 0 } };
	struct kallsyms_input input;
	struct kallsyms kallsyms;
	struct memory memory;
	uint64_t candidates[4];
	struct kmem kmem;
	struct error err;

	if (size < sizeof(input))
		return 0;
	memcpy(&input, data, sizeof(input));
	memory = (struct memory){ KALLSYMS_BASE,
				  (unsigned char *)data + sizeof(input),
				  size - sizeof(input) };
	kmem = memory_kmem(&memory);
	kallsyms = (struct kallsyms){
		input.names,   input.token_table,   input.token_index,
		input.offsets, input.relative_base, (uint32_t)input.count,
	};
	kallsyms_lookup(&kallsyms, &kmem, input.stext, symbols, 3, &err);
	if (kallsyms_search(&kmem, KALLSYMS_BASE, memory.size, &kallsyms) == 0)
		kallsyms_lookup(&kallsyms, &kmem, input.stext, symbols, 3,
				&err);
	fuzz_require(pointer_loads_find(EM_X86_64, data, size, KALLSYMS_BASE,
					candidates, 4) <= 4);
	fuzz_require(pointer_loads_find(EM_AARCH64, data, size, KALLSYMS_BASE,
					candidates, 4) <= 4);
	return 0;
}
