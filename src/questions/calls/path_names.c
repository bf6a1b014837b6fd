// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "calls/path_names.h"
#include "calls/path_tree.h"
#include "lib/sysroot.h"
#include "names/device_base.h"
#include "names/device_names.h"
#include "names/names_sysfs.h"

/* As in the kernel: major << 20 | minor. */
#define MINOR_BITS 20
#define MAJOR(device) ((unsigned int)((device) >> MINOR_BITS))
#define MINOR(device) ((unsigned int)((device) & ((1U << MINOR_BITS) - 1)))

int path_names_init(struct path_names *names, const struct sysroot *root)
{
	*names = (struct path_names){ .root = root };
	return mountinfo_init(&names->mounts, root, "/proc/self/mountinfo");
}

void path_names_deinit(struct path_names *names)
{
	mountinfo_deinit(&names->mounts);
}

/*
 * All devices are inodes in a filesystem of their own, which is mounted
 * nowhere. Its number has no place in /sys, and that of the inode is that of
 * the device; on Linux 5.10 it is 0.
 */
bool path_names_is_bdev(void *data, uint32_t device, uint64_t inode)
{
	struct path_names *names = data;
	char path[64];

	if (names->bdevfs || device >> MINOR_BITS || inode > UINT32_MAX)
		return names->bdevfs && device == names->bdevfs;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", MAJOR(inode),
		 MINOR(inode));
	if (inode && !sysroot_exists(names->root, path))
		return false;
	names->bdevfs = device;
	return true;
}

bool path_names_is_guess(const struct path_names *names,
			 const struct path_target *target)
{
	struct device_base base = { 0 };
	bool is_guess = true;

	if (!target->by_io)
		return false;
	if (device_base_init(&base, names->root, MAJOR(target->device),
			     MINOR(target->device)) == 0)
		is_guess = base.has_partitions || base.has_hidden_partitions;
	device_base_deinit(&base);
	return is_guess;
}

static const char *find_mount(const struct path_names *names, uint32_t device)
{
	for (size_t i = 0; i < names->mounts.count; i++) {
		const struct mount *mount = &names->mounts.mounts[i];

		if (mount->major == MAJOR(device) &&
		    mount->minor == MINOR(device))
			return mount->target;
	}
	return NULL;
}

const char *path_names_find(const struct path_names *names,
			    const struct path_target *target,
			    char text[PATH_NAME])
{
	struct device_names device = { 0 };
	const char *mount;

	if (!target->device)
		return NULL;
	snprintf(text, PATH_NAME, "%u:%u", MAJOR(target->device),
		 MINOR(target->device));
	if (!target->is_bdev) {
		mount = find_mount(names, target->device);
		if (mount)
			snprintf(text, PATH_NAME, "%s", mount);
		return text;
	}
	names_sysfs_lookup(names->root, MAJOR(target->device),
			   MINOR(target->device), &device);
	if (device.kname)
		snprintf(text, PATH_NAME, "/dev/%s", device.kname);
	device_names_deinit(&device);
	return text;
}
