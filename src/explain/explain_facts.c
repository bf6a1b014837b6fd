// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain_facts.h"
#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "names/names_mounts.h"

static int read_fstypes(struct explain_facts *facts, const struct sysroot *root)
{
	struct mounts *mounts = mounts_create(root);
	int ret = mounts ? mounts_types(mounts, &facts->fstypes) : -ENOMEM;

	mounts_destroy(mounts);
	return ret;
}

static int fill_device(struct explain_device *device, struct names *names,
		       const struct openers *openers,
		       const struct sysroot *root)
{
	unsigned int major = device->sample->major;
	unsigned int minor = device->sample->minor;
	int ret = names_lookup(names, device->sample, &device->names);

	if (ret < 0)
		return ret;
	device->openers =
		openers_find(openers, major, minor, &device->opener_count);
	return device_base_init(&device->base, root, major, minor);
}

static int fill_devices(struct explain_facts *facts, const struct sysroot *root)
{
	const struct report *report = &facts->report;
	struct names *names = names_create(root);
	int ret = names ? 0 : -ENOMEM;

	facts->devices = calloc(report->count + 1, sizeof(*facts->devices));
	if (!facts->devices)
		ret = -ENOMEM;
	for (size_t i = 0; !ret && i < report->count; i++) {
		struct explain_device *device = &facts->devices[facts->count];

		if (i >= report->with_pages && !report->rows[i]->refused)
			continue;
		device->sample = report->rows[i];
		facts->count++;
		ret = fill_device(device, names, &facts->openers, root);
	}
	names_destroy(names);
	return ret;
}

static int fill(struct explain_facts *facts, const struct sysroot *root)
{
	int ret = provenance_init(&facts->provenance, root);

	if (!ret)
		ret = read_fstypes(facts, root);
	if (!ret)
		facts->has_filesystems = filesystems_init(&facts->filesystems,
							  root, NULL,
							  NULL) == 0;
	if (ret < 0 || !explain_is_measured(facts))
		return ret;

	ret = report_init(&facts->report, &facts->measurement.snapshot,
			  &facts->measurement.meminfo);
	if (!ret)
		ret = openers_init(&facts->openers, root);
	if (!ret)
		ret = fill_devices(facts, root);
	return ret;
}

int explain_facts_init(struct explain_facts *facts, const struct sysroot *root,
		       const char *source, struct error *err)
{
	int ret;

	*facts = (struct explain_facts){ 0 };
	ret = measure(root, source, &facts->measurement, err);
	if (ret < 0)
		return ret;
	ret = fill(facts, root);
	if (ret < 0)
		return error_errno(err, -ret, "gathering", "the facts");
	return 0;
}

void explain_facts_deinit(struct explain_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		device_names_deinit(&facts->devices[i].names);
		device_base_deinit(&facts->devices[i].base);
	}
	free(facts->devices);
	openers_deinit(&facts->openers);
	report_deinit(&facts->report);
	measurement_deinit(&facts->measurement);
	string_list_deinit(&facts->fstypes);
	provenance_deinit(&facts->provenance);
	filesystems_deinit(&facts->filesystems);
	*facts = (struct explain_facts){ 0 };
}

bool explain_is_complete(const struct explain_facts *facts)
{
	return explain_is_measured(facts) && facts->report.has_buffers &&
	       facts->report.has_attributed &&
	       snapshot_is_whole(&facts->measurement.snapshot);
}
