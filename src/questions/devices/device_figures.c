// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "devices/device_figures.h"
#include "devices/devices.h"
#include "lib/error.h"

/* Copies what @devices say of the device, without strings, which they own. */
static int take_sample(const struct devices *devices, dev_t device,
		       struct sample *taken, struct error *err)
{
	for (size_t i = 0; i < devices->count; i++) {
		const struct sample *sample = &devices->devices[i].sample;

		if (makedev(sample->major, sample->minor) != device)
			continue;
		if (sample->refused)
			return error_set(err, EIO, "%s", sample->refused);
		memcpy(taken->figures, sample->figures, sizeof(taken->figures));
		taken->present = sample->present;
		return 0;
	}
	if (devices->lists_all_pages)
		sample_set(taken, FIGURE_PAGES, 0);
	return 0;
}

int device_figures_take(const struct sysroot *root, const char *source,
			dev_t device, struct device_figures *figures,
			struct error *err)
{
	struct devices devices = { 0 };
	int ret = devices_collect(&devices, root, source, &device, err);

	*figures = (struct device_figures){ 0 };
	if (!ret)
		ret = take_sample(&devices, device, &figures->sample, err);
	if (!ret) {
		figures->source = devices.source;
		figures->page_size = devices.page_size;
	}
	devices_deinit(&devices);
	return ret;
}

void device_write_error_take(const struct sysroot *root, dev_t device,
			     struct sample *sample)
{
	/* cachestat(2) does not know it, and would open the device. */
	static const char *const knowing[] = { "module", "kcore" };

	for (size_t i = 0; i < sizeof(knowing) / sizeof(*knowing); i++) {
		struct device_figures figures;

		if (device_figures_take(root, knowing[i], device, &figures,
					NULL) < 0 ||
		    !sample_has(&figures.sample, FIGURE_WRITE_ERROR))
			continue;
		sample_set(sample, FIGURE_WRITE_ERROR,
			   figures.sample.figures[FIGURE_WRITE_ERROR]);
		return;
	}
}
