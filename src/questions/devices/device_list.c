// SPDX-License-Identifier: GPL-2.0-or-later
/* What is added to the devices that were measured: others, changes, names. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices/devices.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"

static int by_number(const void *left, const void *right)
{
	const struct device *a = left, *b = right;

	return dev_number_compare(a->sample.major, a->sample.minor,
				  b->sample.major, b->sample.minor);
}

static void sort(struct devices *devices)
{
	if (devices->count)
		qsort(devices->devices, devices->count,
		      sizeof(*devices->devices), by_number);
}

/*
 * Adds the device if it is not among the first @known, which must be sorted. If
 * the source lists every device with pages, it has none. Sets *@device to it,
 * or to NULL. Returns 0 or -ENOMEM.
 */
static int add_missing(struct devices *devices, size_t known,
		       unsigned int major, unsigned int minor,
		       struct device **device)
{
	const struct device key = { .sample = { .major = major,
						.minor = minor } };

	*device = NULL;
	if (known &&
	    bsearch(&key, devices->devices, known, sizeof(key), by_number))
		return 0;
	if (array_make_room(&devices->devices, devices->count,
			    &devices->capacity) < 0)
		return -ENOMEM;
	*device = &devices->devices[devices->count++];
	**device = key;
	if (devices->lists_all_pages)
		sample_set(&(*device)->sample, FIGURE_PAGES, 0);
	return 0;
}

/* Returns -ENOENT if the device is gone or has no device number. */
static int read_number(const struct sysroot *root, const char *kname,
		       unsigned int *major, unsigned int *minor)
{
	_cleanup_(freep) char *text = NULL;
	char dir[300];
	int ret;

	snprintf(dir, sizeof(dir), CLASS_BLOCK "/%s", kname);
	ret = sysfs_attribute(root, dir, "dev", &text);
	if (ret < 0)
		return ret;
	return dev_number_parse(text, major, minor) ? 0 : -ENOENT;
}

static int add_kname(struct devices *devices, size_t known,
		     const struct sysroot *root, const char *kname)
{
	struct device *added;
	unsigned int major, minor;
	int ret = read_number(root, kname, &major, &minor);

	return ret < 0 ? only_enomem(ret) :
			 add_missing(devices, known, major, minor, &added);
}

int devices_add_all(struct devices *devices, const struct sysroot *root,
		    struct error *err)
{
	_cleanup_(string_list_deinit) struct string_list knames = { 0 };
	const size_t known = devices->count;
	int ret = sysroot_list(root, CLASS_BLOCK, &knames);

	/* A recording has no sysfs, only devices that were measured. */
	if (ret == -ENOENT && !sysroot_is_live(root))
		ret = 0;
	sort(devices);
	for (size_t i = 0; !ret && i < knames.count; i++)
		ret = add_kname(devices, known, root, knames.strings[i]);
	if (ret < 0)
		return error_errno(err, -ret, "listing block devices",
				   CLASS_BLOCK);
	return 0;
}

static int add_those_of(struct devices *devices,
			const struct baseline *baseline)
{
	const size_t known = devices->count;
	int ret = 0;

	sort(devices);
	for (size_t i = 0; !ret && i < baseline->count; i++) {
		const struct baseline_device *before = &baseline->devices[i];
		struct device *device = NULL;

		if (before->pages)
			ret = add_missing(devices, known, before->major,
					  before->minor, &device);
		/* sysfs does not know the name of a device that is gone. */
		if (device && before->kname)
			device->sample.kname = strdup(before->kname);
	}
	return ret;
}

struct samples devices_samples(struct devices *devices)
{
	return (struct samples){
		.first = devices->devices,
		.count = devices->count,
		.size = sizeof(*devices->devices),
		.rest = &devices->rest.sample,
		.page_size = devices->page_size,
		/*
		 * If every device was measured, one that is not listed had no
		 * pages, so it is new if it appears later.
		 */
		.lists_all_pages = devices->lists_all_pages || devices->has_all,
		.unsettled = devices->unsettled,
	};
}

int devices_add_vanished(struct devices *devices, const struct history *history)
{
	return add_those_of(devices, &history->first) ?:
		       add_those_of(devices, &history->last);
}

int devices_compare(struct devices *devices, const struct history *history)
{
	int ret = devices_check(devices);

	if (ret < 0)
		return ret;
	history_compare(history, devices_samples(devices));
	devices->is_compared = history_is_there(history);
	return 0;
}

int device_find_names(struct device *device, struct names *names)
{
	struct sample *sample = &device->sample;
	int ret = names_lookup(names, sample, &device->names);

	if (ret < 0 || sample->kname || !device->names.kname)
		return ret;
	/* Where it is saved, the device may be gone when it is compared. */
	sample->kname = strdup(device->names.kname);
	return sample->kname ? 0 : -ENOMEM;
}

int devices_find_names(struct devices *devices, const struct sysroot *root,
		       bool all)
{
	struct names *names = names_create(root);
	int ret = names ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < devices->count; i++) {
		if (all || device_is_listed(&devices->devices[i]))
			ret = device_find_names(&devices->devices[i], names);
	}
	names_destroy(names);
	return ret;
}
