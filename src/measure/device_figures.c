// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "device_figures.h"
#include "error.h"
#include "source.h"

/* What the snapshot says of the device, without what the snapshot owns. */
static int take_sample(const struct snapshot *snapshot, dev_t device,
		       struct device_sample *taken, struct error *err)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct device_sample *sample = &snapshot->devices[i];

		if (makedev(sample->major, sample->minor) != device)
			continue;
		if (sample->refused)
			return error_set(err, EIO, "%s", sample->refused);
		memcpy(taken->figures, sample->figures, sizeof(taken->figures));
		taken->present = sample->present;
		return 0;
	}
	if (snapshot->lists_all_pages)
		sample_set(taken, FIGURE_PAGES, 0);
	return 0;
}

int device_figures_take(const struct sysroot *root, const char *source,
			dev_t device, struct device_figures *figures,
			struct error *err)
{
	struct snapshot snapshot = { 0 };
	int ret = source_collect_device(root, source, device, &snapshot, err);

	*figures = (struct device_figures){ 0 };
	if (!ret)
		ret = take_sample(&snapshot, device, &figures->sample, err);
	if (!ret) {
		figures->source = snapshot.source;
		figures->page_size = snapshot.page_size;
	}
	snapshot_deinit(&snapshot);
	return ret;
}

void device_write_error_take(const struct sysroot *root, dev_t device,
			     struct device_sample *sample)
{
	/* cachestat(2) has nothing to say of it, and would open the device. */
	static const char *const sources[] = { "module", "kcore" };

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		struct device_figures figures;

		if (device_figures_take(root, sources[i], device, &figures,
					NULL) < 0 ||
		    !sample_has(&figures.sample, FIGURE_WRITE_ERROR))
			continue;
		sample_set(sample, FIGURE_WRITE_ERROR,
			   figures.sample.figures[FIGURE_WRITE_ERROR]);
		return;
	}
}
