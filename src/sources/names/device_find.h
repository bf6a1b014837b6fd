/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_DEVICE_FIND_H
#define BUFSTAT_DEVICE_FIND_H

#include <stdbool.h>
#include <sys/types.h>

struct error;
struct sysroot;

struct found_device {
	dev_t number;
	char *node; /* path to open; the caller checks its number */
};

/*
 * Finds the block device that a user calls @word: a path (it begins with a
 * slash or a dot), major:minor, the kernel's name or, if no device has that
 * name, a device-mapper name or a tag: LABEL=, UUID=, PARTLABEL=, PARTUUID=. A
 * captured tree has no nodes, so /dev/X, /dev/mapper/X, /dev/VG/LV and what is
 * in /dev/disk/by-label and the like stand for those names there. Opens no
 * device, only files that names.h lists; a worker looks a path up.
 *
 * Returns 0, -ENOTBLK if @word is something else, -ENOTUNIQ if two devices have
 * the tag, -EBUSY if the path does not answer, or another negative errno.
 * The caller deinits @found after success.
 */
int device_find(const struct sysroot *root, const char *word,
		struct found_device *found, struct error *err);

/*
 * Like device_find() of a captured tree, for paths below /dev alone. It looks
 * up no path: what a mount says was mounted may be any text, and lead to
 * a server that does not answer.
 */
int device_find_mounted(const struct sysroot *root, const char *path,
			struct found_device *found, struct error *err);

/* Whether @word begins as a tag does. */
bool device_is_tag(const char *word);

/* What there is to say of tags and of links to devices in a recording. */
#define NO_TAGS                                                                \
	"recordings and dumps have no labels, UUIDs or links: use a name or "  \
	"number"

/*
 * Whether the device called @name in a table, or the one of that node, is what
 * @word means: that, as it is shown (NULL: nothing), or a path below /dev that
 * device_find_mounted() takes for it.
 */
bool device_is_called(const char *name, const char *word);

/* Like device_find(), for the kernel's name only. */
int device_find_kname(const struct sysroot *root, const char *kname,
		      struct found_device *found);
void found_device_deinit(struct found_device *found);

#endif
