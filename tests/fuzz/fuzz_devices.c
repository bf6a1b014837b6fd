// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any text as the module's file. If it is accepted, it has all rows of the text
 * and adds up, and the same text cut short is refused.
 */
#include <string.h>

#include <bufstat/devices.h>

#include "fuzz.h"
#include "lib/error.h"
#include "measure/devices_text.h"
#include "measure/snapshot.h"

/* Parses a NUL-terminated copy of the first @size bytes. */
static int parse(const uint8_t *data, size_t size, struct snapshot *snapshot)
{
	char *text = malloc(size + 1);
	struct error err;
	int ret;

	fuzz_require(text);
	memcpy(text, data, size);
	text[size] = '\0';
	ret = devices_text_parse(text, size, snapshot, &err);
	free(text);
	return ret;
}

static uint64_t announced_pages(const uint8_t *data, size_t size)
{
	static const char key[] = "\n" BUFSTAT_KEY_PAGES " ";
	const char *at = memmem(data, size, key, sizeof(key) - 1);

	fuzz_require(at);
	return strtoull(at + sizeof(key) - 1, NULL, 10);
}

static void check(const struct snapshot *snapshot, uint64_t announced)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < snapshot->count; i++) {
		const struct sample *sample = &snapshot->devices[i];

		fuzz_require(sample_has(sample, FIGURE_PAGES));
		fuzz_require(!sample->kname || *sample->kname);
		pages += sample->figures[FIGURE_PAGES];
	}
	fuzz_require(pages == announced);
	fuzz_require(snapshot->page_size >= 1024 &&
		     pages <= INT64_MAX / snapshot->page_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshot snapshot = { 0 };
	unsigned int major, minor;
	char *text = strndup((const char *)data, size);

	fuzz_require(text);
	devices_text_version(text, &major, &minor);
	free(text);
	if (parse(data, size, &snapshot) == 0) {
		check(&snapshot, announced_pages(data, size));
		snapshot_deinit(&snapshot);
		fuzz_require(parse(data, size - 1, &snapshot) < 0);
	}
	snapshot_deinit(&snapshot);
	return 0;
}
