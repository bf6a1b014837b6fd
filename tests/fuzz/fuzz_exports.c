// SPDX-License-Identifier: GPL-2.0-or-later
/* Any memory as a kernel's tables of exported symbols. */
#include <string.h>

#include "fuzz.h"
#include "kernel/exports.h"
#include "memory.h"

#define BASE 0xffffffff81000000ULL

/* The search for entries begins here, and also reads some memory before. */
#define STEXT 32768U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char vmcoreinfo[] = "SYMBOL(_stext)=ffffffff81008000\n";
	struct memory memory = { BASE, calloc(1, STEXT + size), STEXT + size };
	struct kmem kmem = memory_kmem(&memory);
	struct exports exports;
	uint64_t value;

	if (!memory.data)
		return 0;
	memcpy(memory.data + STEXT, data, size);
	if (exports_init(&exports, &kmem, vmcoreinfo) == 0) {
		exports_find(&exports, "blockdev_superblock", &value);
		exports_find(&exports, "", &value);
		if (exports_find_btf(&exports, &value))
			fuzz_require(value >= BASE &&
				     value <= BASE + memory.size);
	}
	exports_deinit(&exports);
	free(memory.data);
	return 0;
}
