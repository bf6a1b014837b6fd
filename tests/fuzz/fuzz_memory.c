// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as /proc/vmstat, zoneinfo and meminfo: heads and rest are the
 * total, no figure overflows in bytes, and no action frees less than nothing.
 */
#include <string.h>

#include "fuzz.h"
#include "memory/available.h"
#include "memory/give_back.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "memory/zone_sums.h"

static void check_heads(const struct memory_reading *reading)
{
	struct memory_heads heads;
	int64_t bytes;

	memory_heads_init(&heads, reading);
	fuzz_require(memory_heads_sum(&heads) + heads.rest == heads.total);
	fuzz_require(!__builtin_mul_overflow(heads.rest, 65536, &bytes));
}

static void check_actions(const struct memory_reading *reading)
{
	struct memory_heads heads;
	struct give_backs table;

	memory_heads_init(&heads, reading);
	give_backs_init(&table, reading, &heads);
	for (size_t i = 0; i < table.count; i++) {
		const struct give_back *action = &table.actions[i];

		fuzz_require(action->low >= 0 && (action->high == -1 ||
						  action->low <= action->high));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_reading reading = { .page_size = 4096, .processors = 2 };
	struct available available;
	char *text = malloc(size + 1);

	fuzz_require(text);
	memcpy(text, data, size);
	text[size] = '\0';
	memory_parse_vmstat(&reading.fields, text, size);
	memory_parse_meminfo(&reading.fields, text, size, reading.page_size);
	fuzz_require(zoneinfo_parse(&reading.zones, text) == 0);
	memory_zones_add_up(&reading.zones, &reading.fields);
	check_heads(&reading);
	check_actions(&reading);
	memory_available(&available, &reading);
	memory_reading_deinit(&reading);
	free(text);
	return 0;
}
