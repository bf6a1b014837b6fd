// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "all_devices.h"
#include "cleanup.h"
#include "error.h"
#include "number.h"
#include "snapshot.h"
#include "sysfs.h"
#include "sysroot.h"

#define CLASS_BLOCK "/sys/class/block"

/* -ENOENT: the device is gone again, or has no number to be opened by. */
static int read_number(const struct sysroot *root, const char *kname,
		       unsigned int *major, unsigned int *minor)
{
	_cleanup_(freep) char *text = NULL;
	uint64_t major_number, minor_number;
	const char *rest;
	char dir[300];
	int ret;

	snprintf(dir, sizeof(dir), CLASS_BLOCK "/%s", kname);
	ret = sysfs_attribute(root, dir, "dev", &text);
	if (ret < 0)
		return ret;
	rest = text;
	if (!number_scan(&rest, UINT32_MAX, &major_number) || *rest++ != ':' ||
	    !number_scan(&rest, UINT32_MAX, &minor_number))
		return -ENOENT;
	*major = (unsigned int)major_number;
	*minor = (unsigned int)minor_number;
	return 0;
}

static int add_missing(const struct sysroot *root, struct snapshot *snapshot,
		       size_t known, const char *kname)
{
	struct device_sample *sample;
	unsigned int major, minor;
	int ret = read_number(root, kname, &major, &minor);

	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
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
	_cleanup_(closedirp) DIR *dir = sysroot_opendir(root, CLASS_BLOCK);
	size_t known = snapshot->count;
	const char *kname;
	int ret;

	if (!dir)
		return error_errno(err, errno, "listing block devices",
				   CLASS_BLOCK);
	snapshot_sort(snapshot);
	while ((ret = sysroot_next_name(dir, &kname)) > 0) {
		ret = add_missing(root, snapshot, known, kname);
		if (ret < 0)
			break;
	}
	if (ret < 0)
		return error_errno(err, -ret, "listing block devices",
				   CLASS_BLOCK);
	return 0;
}
