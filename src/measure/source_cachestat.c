// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cachestat(2), Linux 6.5, on the device node of every block device. It needs
 * no module, but each device must be opened, and the figures are of as many
 * instants as there are devices.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cachestat.h"
#include "cleanup.h"
#include "error.h"
#include "number.h"
#include "snapshot.h"
#include "source.h"
#include "sysfs.h"
#include "sysroot.h"

#define CLASS_BLOCK "/sys/class/block"
#define MAX_ATTRIBUTE 65536

/* What /sys/class/block says of a device. */
struct entry {
	unsigned int major;
	unsigned int minor;
	char node[300]; /* in /dev */
};

static bool value_of(const char *uevent, const char *key, const char **value)
{
	const char *line = strstr(uevent, key);

	if (!line || (line != uevent && line[-1] != '\n'))
		return false;
	*value = line + strlen(key);
	return true;
}

/* -ENODEV: the device has no node (the hidden paths of an NVMe multipath). */
static int read_entry(const struct sysroot *root, const char *kname,
		      struct entry *entry)
{
	_cleanup_(freep) char *uevent = NULL;
	const char *major_text, *minor_text, *node;
	uint64_t major, minor;
	char path[300];
	int ret;

	snprintf(path, sizeof(path), CLASS_BLOCK "/%s/uevent", kname);
	ret = sysroot_read(root, path, MAX_ATTRIBUTE, &uevent, NULL);
	if (ret < 0)
		return ret;
	if (!value_of(uevent, "MAJOR=", &major_text) ||
	    !value_of(uevent, "MINOR=", &minor_text) ||
	    !value_of(uevent, "DEVNAME=", &node))
		return -ENODEV;
	if (!number_scan(&major_text, UINT32_MAX, &major) ||
	    !number_scan(&minor_text, UINT32_MAX, &minor))
		return -EBADMSG;

	entry->major = (unsigned int)major;
	entry->minor = (unsigned int)minor;
	snprintf(entry->node, sizeof(entry->node), "/dev/%.*s",
		 (int)strcspn(node, "\n"), node);
	return 0;
}

/* A device without sectors, an unused loop device say, can cache nothing. */
static bool has_sectors(const struct sysroot *root, const char *kname)
{
	_cleanup_(freep) char *text = NULL;
	char dir[300];

	snprintf(dir, sizeof(dir), CLASS_BLOCK "/%s", kname);
	return sysfs_attribute(root, dir, "size", &text) < 0 ||
	       strcmp(text, "0") != 0;
}

/*
 * Only the node's own number says which device it opens. O_NONBLOCK: a drive
 * is not asked to load or wait for a medium.
 */
static int measure(const struct entry *entry, struct cachestat_counts *counts,
		   const char **doing)
{
	_cleanup_(closep) int fd = -1;
	struct stat status;

	*doing = "opening";
	fd = open(entry->node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISBLK(status.st_mode) ||
	    status.st_rdev != makedev(entry->major, entry->minor))
		return -ENODEV;
	*doing = "cachestat";
	return cachestat_read(fd, 0, 0, counts);
}

/* Did the device go away between the listing and the opening? */
static bool is_gone(const struct sysroot *root, const char *kname, int error)
{
	struct entry again;

	return (error == -ENOENT || error == -ENXIO || error == -ENODEV) &&
	       read_entry(root, kname, &again) == -ENOENT;
}

static int set_refused(struct device_sample *sample, const char *doing,
		       const struct entry *entry, int error)
{
	if (asprintf(&sample->refused, "%s: %s: %s", doing, entry->node,
		     strerror(-error)) >= 0)
		return 0;
	sample->refused = NULL;
	return -ENOMEM;
}

struct collection {
	const struct sysroot *root;
	struct snapshot *snapshot;
	size_t asked; /* devices with sectors */
	size_t denied; /* of these, by file permissions */
};

static int add_device(struct collection *all, const char *kname,
		      const struct entry *entry)
{
	bool measured = has_sectors(all->root, kname);
	struct device_sample *sample;
	struct cachestat_counts counts = { 0 };
	const char *doing = NULL;
	int ret = 0;

	if (measured)
		ret = measure(entry, &counts, &doing);
	if (ret < 0 && is_gone(all->root, kname, ret))
		return 0;
	all->asked += measured;
	all->denied += ret == -EACCES;

	sample = snapshot_add(all->snapshot, entry->major, entry->minor);
	if (!sample)
		return -ENOMEM;
	sample->kname = strdup(kname);
	if (!sample->kname)
		return -ENOMEM;
	sysfs_name_restore(sample->kname);
	if (ret < 0)
		return set_refused(sample, doing, entry, ret);
	if (measured) {
		sample_set(sample, FIGURE_PAGES, counts.cached);
		sample_set(sample, FIGURE_DIRTY, counts.dirty);
		sample_set(sample, FIGURE_WRITEBACK, counts.writeback);
	}
	return 0;
}

static int add_all(struct collection *all, DIR *dir)
{
	struct entry entry;
	const char *kname;
	int ret;

	while ((ret = sysroot_next_name(dir, &kname)) > 0) {
		/* A device that is gone again has no pages. */
		ret = read_entry(all->root, kname, &entry);
		if (ret == -ENOENT || ret == -ENODEV || ret == -ENOTDIR)
			continue;
		if (!ret)
			ret = add_device(all, kname, &entry);
		if (ret < 0)
			return ret;
	}
	return ret;
}

static int probe(const struct sysroot *root, struct error *err)
{
	struct cachestat_counts counts;
	int ret;

	if (!sysroot_is_live(root))
		return error_set(err, EOPNOTSUPP,
				 "%s: a captured tree has no devices",
				 root->prefix);
	/* Where the call exists, no descriptor is what it minds. */
	ret = cachestat_read(-1, 0, 0, &counts);
	if (ret == -ENOSYS)
		return error_set(err, EOPNOTSUPP, "needs Linux 6.5 or newer");
	if (ret != -EBADF)
		return error_set(err, EOPNOTSUPP, "refused: %s",
				 strerror(-ret));
	return 0;
}

static int all_denied(struct error *err)
{
	return error_set(err, EOPNOTSUPP,
			 "the devices are for root (use sudo)");
}

int source_cachestat_collect(const struct sysroot *root,
			     struct snapshot *snapshot, struct error *err)
{
	struct collection all = { .root = root, .snapshot = snapshot };
	_cleanup_(closedirp) DIR *dir = NULL;
	int ret = probe(root, err);

	if (ret < 0)
		return ret;
	dir = sysroot_opendir(root, CLASS_BLOCK);
	if (!dir)
		return error_set(err, EOPNOTSUPP, "reading: %s: %s",
				 CLASS_BLOCK, strerror(errno));

	snapshot->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	ret = add_all(&all, dir);
	if (ret < 0)
		return error_errno(err, -ret, "listing", CLASS_BLOCK);
	return all.asked && all.denied == all.asked ? all_denied(err) : 0;
}

int source_cachestat_collect_device(const struct sysroot *root, dev_t device,
				    struct snapshot *snapshot,
				    struct error *err)
{
	struct collection all = { .root = root, .snapshot = snapshot };
	_cleanup_(freep) char *kname = NULL;
	struct entry entry;
	char path[64];
	int ret = probe(root, err);

	if (ret < 0)
		return ret;
	snapshot->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device),
		 minor(device));
	ret = sysroot_link_name(root, path, &kname);
	if (!ret)
		ret = read_entry(root, kname, &entry);
	if (!ret)
		ret = add_device(&all, kname, &entry);
	if (ret < 0)
		return error_errno(err, -ret, "reading", path);
	return all.denied ? all_denied(err) : 0;
}
