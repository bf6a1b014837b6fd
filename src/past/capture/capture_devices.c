// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture_devices.h"
#include "capture/capture_filter.h"
#include "capture/capture_out.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "lib/tar.h"
#include "names/openers.h"

#define HOME "/sys/devices/block"
#define MAX_ATTRIBUTE 8192
#define MAX_RECORD (1U << 20)

struct device {
	const struct capture_out *to;
	const struct sysroot *root;
	const char *name; /* in sysfs */
	char number[32]; /* major:minor, or "" if unknown */
	char home[2 * NAME_MAX + 32];
};

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
	return only_enomem(capture_put(device->to, to, text, size));
}

static int copy_holders(const struct device *device)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/holders", device->name);
	ret = only_enomem(sysroot_list(device->root, path, &names));
	for (size_t i = 0; !ret && i < names.count; i++) {
		snprintf(path, sizeof(path), "%s/holders/%s", device->home,
			 names.strings[i]);
		ret = only_enomem(capture_put(device->to, path, "", 0));
		if (ret < 0)
			return ret;
	}
	/* The device went away meanwhile. */
	return ret == -ENOENT ? 0 : ret;
}

/*
 * A partition's directory is in its disk's. The disk is the last but one
 * component of the partition's link target.
 */
static int find_home(struct device *device)
{
	_cleanup_(freep) char *target = NULL;
	_cleanup_(closep) int fd = -1;
	char *name, *disk = NULL;
	char path[PATH_MAX];
	int ret;

	snprintf(device->home, sizeof(device->home), HOME "/%s", device->name);
	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/partition", device->name);
	fd = sysroot_open(device->root, path, O_PATH);
	if (fd < 0)
		return only_enomem(fd);
	snprintf(path, sizeof(path), CLASS_BLOCK "/%s", device->name);
	ret = sysroot_link(device->root, path, &target);
	if (ret < 0)
		return only_enomem(ret);
	name = strrchr(target, '/');
	if (name) {
		*name = '\0';
		disk = strrchr(target, '/');
	}
	if (disk && strlen(disk + 1) <= NAME_MAX)
		snprintf(device->home, sizeof(device->home), HOME "/%s/%.255s",
			 disk + 1, device->name);
	return 0;
}

static int write_link(const struct device *device, const char *path)
{
	char target[sizeof(device->home) + 16];

	snprintf(target, sizeof(target), "../../%s",
		 device->home + strlen("/sys/"));
	return only_enomem(tar_write_link(device->to->out, path, target));
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
	return capture_put(device->to, path, record, strlen(record));
}

static int capture_device(const struct capture_out *to,
			  const struct sysroot *root, const char *name,
			  bool paths)
{
	static const char *const attributes[] = {
		"dev", "size", "partition", "ro", "dm/name", "loop/dio",
	};
	struct device device = { .to = to, .root = root, .name = name };
	int ret;

	ret = find_home(&device) ?: read_number(&device);
	if (!ret)
		ret = write_links(&device);
	for (size_t i = 0; !ret && i < sizeof(attributes) / sizeof(*attributes);
	     i++)
		ret = copy_attribute(&device, attributes[i]);
	if (!ret && paths)
		ret = copy_attribute(&device, "loop/backing_file");
	if (!ret)
		ret = copy_holders(&device);
	return ret ?: copy_udev(&device);
}

/*
 * The devices of each btrfs, which mountinfo does not tell. A number stands for
 * the UUID, which --redact replaces elsewhere.
 */
static int copy_members(const struct capture_out *to,
			const struct sysroot *root)
{
	_cleanup_(string_list_deinit) struct string_list uuids = { 0 };
	int ret = only_enomem(sysroot_list(root, "/sys/fs/btrfs", &uuids));
	char path[PATH_MAX], target[NAME_MAX + 8];

	for (size_t i = 0; !ret && i < uuids.count; i++) {
		_cleanup_(string_list_deinit) struct string_list names = { 0 };

		snprintf(path, sizeof(path), "/sys/fs/btrfs/%s/devices",
			 uuids.strings[i]);
		ret = only_enomem(sysroot_list(root, path, &names));
		for (size_t j = 0; !ret && j < names.count; j++) {
			snprintf(path, sizeof(path),
				 "/sys/fs/btrfs/%zu/devices/%s", i,
				 names.strings[j]);
			snprintf(target, sizeof(target), "/dev/%s",
				 names.strings[j]);
			ret = only_enomem(
				tar_write_link(to->out, path, target));
		}
	}
	return ret;
}

int capture_devices(const struct capture_out *to, const struct sysroot *root,
		    bool paths)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	int ret = only_enomem(sysroot_list(root, CLASS_BLOCK, &names));

	for (size_t i = 0; !ret && i < names.count; i++)
		ret = capture_device(to, root, names.strings[i], paths);
	return ret < 0 ? ret : copy_members(to, root);
}

/*
 * Writes a descriptor as a link to /dev/KNAME. Neither the path that was opened
 * nor the descriptor's own number is kept.
 */
static int write_opener(const struct capture_out *to,
			const struct sysroot *root, const struct opener *opener,
			size_t descriptor)
{
	_cleanup_(freep) char *kname = NULL;
	char path[64], node[300];
	int ret;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", opener->major,
		 opener->minor);
	ret = sysroot_link_name(root, path, &kname);
	if (ret < 0)
		return only_enomem(ret);
	sysfs_name_restore(kname);
	snprintf(node, sizeof(node), "/dev/%s", kname);
	snprintf(path, sizeof(path), "/proc/%u/fd/%zu", opener->pid,
		 descriptor);
	ret = tar_write_link(to->out, path, node);
	return only_enomem(ret);
}

static int write_name(const struct capture_out *to, const struct opener *opener)
{
	char path[64], text[sizeof(opener->comm) + 1];

	snprintf(text, sizeof(text), "%s\n", opener->comm);
	snprintf(path, sizeof(path), "/proc/%u/comm", opener->pid);
	return capture_put(to, path, text, strlen(text));
}

static int by_pid(const void *left, const void *right)
{
	const struct opener *a = left, *b = right;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int write_openers(const struct capture_out *to,
			 const struct sysroot *root, struct openers *openers)
{
	size_t descriptor = 0;
	int ret = 0;

	if (openers->count)
		qsort(openers->openers, openers->count,
		      sizeof(*openers->openers), by_pid);
	for (size_t i = 0; !ret && i < openers->count; i++) {
		const struct opener *opener = &openers->openers[i];

		if (!i || opener[-1].pid != opener->pid) {
			descriptor = 0;
			ret = write_name(to, opener);
		}
		if (!ret)
			ret = write_opener(to, root, opener, descriptor++);
	}
	return ret;
}

/* Writes an empty fd directory, which says that the process could be read. */
static int write_process(const struct capture_out *to,
			 const struct sysroot *root, unsigned int pid)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	ret = sysroot_list(root, path, &names);
	if (ret < 0)
		return only_enomem(ret);
	return tar_write_directory(to->out, path);
}

static int write_processes(const struct capture_out *to,
			   const struct sysroot *root)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	uint64_t pid;
	int ret = sysroot_list(root, "/proc", &names);

	if (ret < 0)
		return only_enomem(ret);
	for (size_t i = 0; !ret && i < names.count; i++) {
		if (number_parse(names.strings[i], UINT_MAX, &pid))
			ret = write_process(to, root, (unsigned int)pid);
	}
	return ret;
}

int capture_openers(const struct capture_out *to, const struct sysroot *root,
		    int *failed)
{
	struct openers openers;
	int ret = openers_init(&openers, root);

	/* The capture would claim to have all of them. */
	*failed = openers.failed;
	if (!ret && !*failed)
		ret = write_processes(to, root);
	if (!ret && !*failed)
		ret = write_openers(to, root, &openers);
	openers_deinit(&openers);
	return ret;
}
