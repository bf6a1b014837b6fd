// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes the beginning of any input for VMCOREINFO and the rest for the memory
 * where it says that the kernel's counters are. They must be possible, so that
 * whatever adds them up does not overflow.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kernel/kernel.h"
#include "kernel/vm_counters.h"
#include "lib/error.h"
#include "memory.h"

#define BASE 0xffff888000100000ULL

/* Sums of these do not overflow. */
#define MOST (INT64_C(1) << 53)

static void read_counters(struct kernel *kernel, uint32_t cpus)
{
	struct vm_counter counters[] = {
		{ .kind = VM_NODE, .known = true, .offset = 8 },
		{ .kind = VM_ZONE, .known = true, .offset = 8, .item = 1 },
		{ .kind = VM_WATERMARK, .known = true, .offset = 16 },
		{ .kind = VM_LISTS, .known = true, .offset = 24 },
	};
	/* As small as possible, so that many nodes fit into an input. */
	struct vm_counters places = {
		.kernel = kernel,
		.counters = counters,
		.count = 4,
		.zones = 8,
		.zone_count = 2,
		.zone_size = 8,
		.present = 0,
		.differences = { { .array = 1, .items = 1 },
				 { .array = 2, .items = 2 } },
		.lists = 16,
		.offsets = BASE,
		.cpus = cpus,
	};
	struct error err;

	if (!vm_counters_find_nodes(&places, kernel) ||
	    vm_counters_read(&places, &err) < 0)
		return;
	for (size_t i = 0; i < places.count; i++)
		fuzz_require(counters[i].count < MOST &&
			     counters[i].count > -MOST);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\0', size);
	size_t length = end ? (size_t)(end - data) + 1 : size;
	struct memory memory = { BASE, (unsigned char *)data + length,
				 size - length };
	struct kmem kmem = memory_kmem(&memory);
	struct kernel kernel = { .kmem = &kmem,
				 .vmcoreinfo = (const char *)data };

	if (end)
		read_counters(&kernel, (uint32_t)(size % 64));
	return 0;
}
