// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as /proc/meminfo: what was understood is the same when it is
 * written and read again, and whole pages are what they were read as.
 */
#include <string.h>

#include "fuzz.h"
#include "meminfo.h"

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
	struct meminfo meminfo, again;
	size_t length = 0;
	char *text = NULL;
	FILE *out;

	meminfo_parse(&meminfo, (const char *)data, size);
	for (uint64_t page_size = 4096; page_size <= 65536; page_size *= 4)
		check_pages(&meminfo, page_size);

	out = open_memstream(&text, &length);
	fuzz_require(out);
	meminfo_write(out, &meminfo);
	fuzz_require(fclose(out) == 0);
	meminfo_parse(&again, text, length);
	fuzz_require(memcmp(&meminfo, &again, sizeof(meminfo)) == 0);
	free(text);
	return 0;
}
