// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "measure/all_devices.h"
#include "measure/snapshot.h"

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

static int add_missing(const struct sysroot *root, struct snapshot *snapshot,
		       size_t known, const char *kname)
{
	struct sample *sample;
	unsigned int major, minor;
	int ret = read_number(root, kname, &major, &minor);

	if (ret < 0)
		return only_enomem(ret);
	if (snapshot_find(snapshot, known, major, minor))
		return 0;
	sample = snapshot_add(snapshot, major, minor);
	if (!sample)
		return -ENOMEM;
	if (snapshot->lists_all_pages)
		sample_set(sample, FIGURE_PAGES, 0);
	return 0;
}

int all_devices_add(const struct sysroot *root, struct snapshot *snapshot,
		    struct error *err)
{
	_cleanup_(string_list_deinit) struct string_list knames = { 0 };
	size_t known = snapshot->count;
	int ret = sysroot_list(root, CLASS_BLOCK, &knames);

	/* A recording has no sysfs, only devices that were measured. */
	if (ret == -ENOENT && !sysroot_is_live(root))
		ret = 0;
	snapshot_sort(snapshot);
	for (size_t i = 0; !ret && i < knames.count; i++)
		ret = add_missing(root, snapshot, known, knames.strings[i]);
	if (ret < 0)
		return error_errno(err, -ret, "listing block devices",
				   CLASS_BLOCK);
	return 0;
}
