// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as /proc/meminfo: whole pages convert back to the figure, and an
 * absent field has no value.
 */
#include "fuzz.h"
#include "measure/meminfo.h"

static void check_pages(const struct meminfo *meminfo, uint64_t page_size)
{
	uint64_t pages;
	int64_t bytes;

	for (unsigned int i = 0; i < MEMINFO_FIELDS; i++) {
		if (!meminfo_pages(meminfo, i, page_size, &pages))
			continue;
		fuzz_require(meminfo_bytes(meminfo, i, &bytes));
		fuzz_require(pages * page_size == (uint64_t)bytes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct meminfo meminfo;

	meminfo_parse(&meminfo, (const char *)data, size);
	for (uint64_t page_size = 4096; page_size <= 65536; page_size *= 4)
		check_pages(&meminfo, page_size);
	for (unsigned int i = 0; i < MEMINFO_FIELDS; i++)
		fuzz_require(meminfo_has(&meminfo, i) || !meminfo.kib[i]);
	return 0;
}
