// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/major.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "names/device_base.h"

static int read_loop(struct device_base *base, const struct sysroot *root,
		     const char *dir)
{
	_cleanup_(freep) char *direct = NULL;
	int ret = sysfs_attribute_if_any(root, dir, "loop/backing_file",
					 &base->loop_file);

	if (!ret && base->loop_file)
		ret = sysfs_attribute_if_any(root, dir, "loop/dio", &direct);
	base->loop_direct = direct && strcmp(direct, "1") == 0;
	return ret;
}

static bool is_partition(const struct sysroot *root, const char *disk,
			 const char *name)
{
	_cleanup_(closep) int fd = -1;
	char path[400];

	snprintf(path, sizeof(path), "%s/%s/partition", disk, name);
	fd = sysroot_open(root, path, O_PATH);
	return fd >= 0;
}

/* A partition is a subdirectory of its disk with a file "partition". */
static void find_partitions(struct device_base *base,
			    const struct sysroot *root, const char *path)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	int ret = sysroot_list(root, path, &names);

	for (size_t i = 0; i < names.count && !base->has_partitions; i++)
		base->has_partitions =
			is_partition(root, path, names.strings[i]);
	base->has_hidden_partitions = !base->has_partitions && ret < 0 &&
				      ret != -ENOENT && ret != -ENOTDIR;
}

int device_base_init(struct device_base *base, const struct sysroot *root,
		     unsigned int major, unsigned int minor)
{
	char dir[48];

	*base = (struct device_base){ 0 };
	snprintf(dir, sizeof(dir), "/sys/dev/block/%u:%u", major, minor);
	find_partitions(base, root, dir);
	return read_loop(base, root, dir);
}

void device_base_deinit(struct device_base *base)
{
	free(base->loop_file);
	*base = (struct device_base){ 0 };
}

enum fs_metadata fs_metadata(const char *fstype)
{
	static const struct {
		const char *fstype;
		enum fs_metadata metadata;
	} known[] = {
		{ "ext2", FS_METADATA_BUFFERS },
		{ "ext3", FS_METADATA_BUFFERS },
		{ "ext4", FS_METADATA_BUFFERS },
		{ "btrfs", FS_METADATA_CACHE },
		{ "xfs", FS_METADATA_OWN },
	};

	for (size_t i = 0; fstype && i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(known[i].fstype, fstype) == 0)
			return known[i].metadata;
	}
	return FS_METADATA_UNKNOWN;
}

#define MAX_SIZE 65536
#define MAX_DIR 64

/*
 * The sysfs directory of the device's disk. A partition may have the extended
 * major, which says nothing about the driver.
 */
static void find_disk(const struct sysroot *root, dev_t device,
		      char dir[MAX_DIR])
{
	_cleanup_(freep) char *partition = NULL;

	snprintf(dir, MAX_DIR, "/sys/dev/block/%u:%u", major(device),
		 minor(device));
	if (sysfs_attribute(root, dir, "partition", &partition) == 0)
		strcat(dir, "/..");
}

static unsigned int major_of(const struct sysroot *root, const char *dir,
			     dev_t device)
{
	_cleanup_(freep) char *text = NULL;
	const char *rest;
	uint64_t number;

	if (sysfs_attribute(root, dir, "dev", &text) < 0)
		return major(device);
	rest = text;
	if (!number_scan(&rest, UINT32_MAX, &number))
		return major(device);
	return (unsigned int)number;
}

/* Reads lines like " 1 ramdisk" below the heading "Block devices:". */
static bool has_driver(const struct sysroot *root, unsigned int wanted)
{
	_cleanup_(freep) char *text = NULL;
	char *rest, *line;
	uint64_t number;

	if (sysroot_read(root, "/proc/devices", MAX_SIZE, &text, NULL) < 0)
		return false;
	rest = strstr(text, "Block devices:\n");
	while ((line = strsep(&rest, "\n"))) {
		const char *field = line + strspn(line, " ");

		if (number_scan(&field, UINT32_MAX, &number) &&
		    number == wanted &&
		    (strcmp(field, " ramdisk") == 0 ||
		     strcmp(field, " zram") == 0))
			return true;
	}
	return false;
}

/* Whether the name is ram0, zram12 or a partition of one, but not rampage0. */
static bool has_name(const struct sysroot *root, dev_t device)
{
	_cleanup_(freep) char *name = NULL;
	const char *rest;
	char path[MAX_DIR];
	uint64_t number;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device),
		 minor(device));
	if (sysroot_link_name(root, path, &name) < 0)
		return false;
	rest = *name == 'z' ? name + 1 : name;
	if (strncmp(rest, "ram", 3) != 0)
		return false;
	rest += 3;
	return number_scan(&rest, UINT32_MAX, &number) &&
	       (!*rest || *rest == 'p');
}

bool is_ramdisk(const struct sysroot *root, dev_t device)
{
	char dir[MAX_DIR];
	unsigned int driver;

	find_disk(root, device, dir);
	driver = major_of(root, dir, device);
	return driver == RAMDISK_MAJOR || has_driver(root, driver) ||
	       has_name(root, device);
}
