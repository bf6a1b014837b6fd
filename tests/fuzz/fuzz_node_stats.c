// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes the beginning of any input for VMCOREINFO and the rest for the memory
 * where it says that the kernel's page counts are. They must be possible, so
 * that whatever adds them up does not overflow.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kernel/kernel.h"
#include "kernel/node_stats.h"
#include "lib/error.h"
#include "memory.h"

#define BASE 0xffff888000100000ULL

/* Pages; sums of these do not overflow. */
#define MOST (INT64_C(1) << 53)

static void read_stats(const struct kernel *kernel, uint32_t cpus)
{
	/* As small as possible, so that many nodes fit into an input. */
	const struct node_stats_place place = {
		.kernel = kernel,
		.items = { 0, 1 },
		.stats = 8,
		.per_cpu = 0,
		.differences = 1,
		.cpus = cpus,
		.offsets = BASE,
	};
	struct node_stats stats;
	struct error err;

	if (node_stats_read(&stats, &place, &err) < 0)
		return;
	fuzz_require(stats.file < MOST && stats.file > -MOST);
	fuzz_require(stats.swap_cache < MOST && stats.swap_cache > -MOST);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\0', size);
	size_t length = end ? (size_t)(end - data) + 1 : size;
	struct memory memory = { BASE, (unsigned char *)data + length,
				 size - length };
	struct kmem kmem = memory_kmem(&memory);
	const struct kernel kernel = { .kmem = &kmem,
				       .vmcoreinfo = (const char *)data };

	if (end)
		read_stats(&kernel, (uint32_t)(size % 64));
	return 0;
}
