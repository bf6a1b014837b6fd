// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "capture_devices.h"
#include "capture_filter.h"
#include "cleanup.h"
#include "sysroot.h"
#include "tar.h"

#define CLASS_BLOCK "/sys/class/block"
#define HOME "/sys/devices/block"
#define MAX_ATTRIBUTE 8192
#define MAX_RECORD (1U << 20)

struct device {
	FILE *out;
	const struct sysroot *root;
	const char *name; /* sysfs's */
	char number[32]; /* major:minor, or "" where sysfs does not say */
	char home[2 * NAME_MAX + 32];
};

/* A name that is too long for the tar file is left out with what it names. */
static int only_enomem(int ret)
{
	return ret == -ENOMEM ? ret : 0;
}

static int copy_attribute(const struct device *device, const char *attribute)
{
	_cleanup_(freep) char *text = NULL;
	char from[PATH_MAX], to[PATH_MAX];
	size_t size;
	int ret;

	snprintf(from, sizeof(from), CLASS_BLOCK "/%s/%s", device->name,
		 attribute);
	ret = sysroot_read(device->root, from, MAX_ATTRIBUTE, &text, &size);
	if (ret < 0)
		return only_enomem(ret);
	snprintf(to, sizeof(to), "%s/%s", device->home, attribute);
	return only_enomem(tar_write_file(device->out, to, text, size));
}

static int copy_holders(const struct device *device)
{
	_cleanup_(closedirp) DIR *dir = NULL;
	const struct dirent *item;
	char path[PATH_MAX];
	int ret = 0;

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/holders", device->name);
	dir = sysroot_opendir(device->root, path);
	if (!dir)
		return only_enomem(-errno);
	while (!ret && (item = readdir(dir))) {
		if (item->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/holders/%s", device->home,
			 item->d_name);
		ret = only_enomem(tar_write_file(device->out, path, "", 0));
	}
	return ret;
}

/*
 * A partition's directory is in its disk's: the disk is the last but one
 * component of where its link leads.
 */
static void find_home(struct device *device)
{
	char path[PATH_MAX], target[PATH_MAX];
	_cleanup_(closep) int fd = -1;
	char *name, *disk = NULL;
	ssize_t length = -1;

	snprintf(device->home, sizeof(device->home), HOME "/%s", device->name);
	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/partition", device->name);
	fd = sysroot_open(device->root, path, O_PATH);
	if (fd < 0)
		return;
	close(fd);
	snprintf(path, sizeof(path), CLASS_BLOCK "/%s", device->name);
	fd = sysroot_open(device->root, path, O_PATH | O_NOFOLLOW);
	if (fd >= 0)
		length = readlinkat(fd, "", target, sizeof(target) - 1);
	if (length < 0)
		return;
	target[length] = '\0';
	name = strrchr(target, '/');
	if (name) {
		*name = '\0';
		disk = strrchr(target, '/');
	}
	if (disk && strlen(disk + 1) <= NAME_MAX)
		snprintf(device->home, sizeof(device->home), HOME "/%s/%.255s",
			 disk + 1, device->name);
}

static int write_link(const struct device *device, const char *path)
{
	char target[sizeof(device->home) + 16];

	snprintf(target, sizeof(target), "../../%s",
		 device->home + strlen("/sys/"));
	return only_enomem(tar_write_link(device->out, path, target));
}

static int read_number(struct device *device)
{
	_cleanup_(freep) char *text = NULL;
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/dev", device->name);
	ret = sysroot_read(device->root, path, MAX_ATTRIBUTE, &text, NULL);
	if (ret < 0)
		return only_enomem(ret);
	snprintf(device->number, sizeof(device->number), "%.*s",
		 (int)strcspn(text, "\n"), text);
	return 0;
}

static int write_links(const struct device *device)
{
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s", device->name);
	ret = write_link(device, path);
	if (ret < 0 || !*device->number)
		return ret;
	snprintf(path, sizeof(path), "/sys/dev/block/%s", device->number);
	return write_link(device, path);
}

static int copy_udev(const struct device *device)
{
	_cleanup_(freep) char *record = NULL;
	char path[PATH_MAX];
	int ret;

	if (!*device->number)
		return 0;
	snprintf(path, sizeof(path), "/run/udev/data/b%s", device->number);
	ret = sysroot_read(device->root, path, MAX_RECORD, &record, NULL);
	if (ret < 0)
		return only_enomem(ret);
	capture_filter_udev(record);
	return tar_write_file(device->out, path, record, strlen(record));
}

static int capture_device(FILE *out, const struct sysroot *root,
			  const char *name)
{
	static const char *const attributes[] = {
		"dev",	    "size",    "partition",
		"ro",	    "dm/name", "loop/backing_file",
		"loop/dio",
	};
	struct device device = { .out = out, .root = root, .name = name };
	int ret;

	find_home(&device);
	ret = read_number(&device);
	if (!ret)
		ret = write_links(&device);
	for (size_t i = 0; !ret && i < sizeof(attributes) / sizeof(*attributes);
	     i++)
		ret = copy_attribute(&device, attributes[i]);
	if (!ret)
		ret = copy_holders(&device);
	if (!ret)
		ret = copy_udev(&device);
	return ret;
}

int capture_devices(FILE *out, const struct sysroot *root)
{
	_cleanup_(closedirp) DIR *dir = sysroot_opendir(root, CLASS_BLOCK);
	const char *name;
	int ret;

	if (!dir)
		return only_enomem(-errno);
	while ((ret = sysroot_next_name(dir, &name)) > 0) {
		ret = capture_device(out, root, name);
		if (ret < 0)
			break;
	}
	return ret;
}
