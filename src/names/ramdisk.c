// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/major.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "cleanup.h"
#include "number.h"
#include "ramdisk.h"
#include "sysfs.h"
#include "sysroot.h"

#define MAX_SIZE 65536
#define MAX_DIR 64

/* The disk that a partition is on, as a directory; partitions may have the
 * extended major, which says nothing of the driver. */
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

/* Lines "  1 ramdisk" below the heading of the block devices. */
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

/* ram0, zram12 and their partitions, and nothing like rampage0. */
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
