// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any text as a sample that was saved: what is taken is sorted, and compares
 * with itself without a change.
 */
#include <dlfcn.h>

#include "baseline_file.h"
#include "error.h"
#include "fuzz.h"
#include "history.h"
#include "memory_file.h"
#include "snapshot.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Without this the library is loaded and unloaded for every input. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_require(dlopen("libjson-c.so.5", RTLD_NOW | RTLD_LOCAL));
	return 0;
}

static uint64_t number(const struct baseline_device *device)
{
	return (uint64_t)device->major << 32 | device->minor;
}

static void check(const struct baseline *baseline)
{
	int64_t change;

	for (size_t i = 0; i < baseline->count; i++) {
		const struct baseline_device *device = &baseline->devices[i];
		struct device_sample sample = { .major = device->major,
						.minor = device->minor };

		fuzz_require(i == 0 || number(device - 1) <= number(device));
		fuzz_require(device->pages <= INT64_MAX);
		sample_set(&sample, FIGURE_PAGES, device->pages);
		if ((i == 0 || number(device - 1) != number(device)) &&
		    (i + 1 == baseline->count ||
		     number(device + 1) != number(device)))
			fuzz_require(baseline_change(baseline, &sample,
						     baseline->page_size,
						     &change) &&
				     change == 0);
	}
	fuzz_require(baseline->has_rest || baseline->rest_pages == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_file file = memory_file(data, size);
	struct baseline baseline = { 0 };
	struct error err;

	if (baseline_read(&baseline, file.path, "devices", &err) == 0)
		check(&baseline);
	if (baseline_read(&baseline, file.path, "filesystems", &err) == 0)
		check(&baseline);
	baseline_deinit(&baseline);
	close(file.fd);
	return 0;
}
