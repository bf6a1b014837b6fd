/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of mounted filesystems that have several. mountinfo names one of
 * them. The others are in sysfs (btrfs, bcachefs), in udev's records (ZFS, by
 * the pool's name) or in the mount's options (XFS), or a thread has the name of
 * the journal's (ext4).
 */
#ifndef BUFSTAT_MEMBERS_H
#define BUFSTAT_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/string_list.h"

struct device_names;
struct mountinfo;
struct sysroot;

struct members {
	/*
	 * For each filesystem the nodes of its devices, /dev/KNAME and
	 * /dev/mapper/NAME, and what else a mount of it names as its source.
	 */
	struct string_list *groups;
	size_t count;
	size_t capacity;
	/* Mounted types: not all devices are known; those with a name are. */
	unsigned int doubts;
	unsigned int named;
};

/*
 * Finds the groups of @info's mounts, which must outlive @members. Opens no
 * device. Returns 0 or -ENOMEM; the caller deinits @members in either case.
 */
int members_init(struct members *members, const struct sysroot *root,
		 const struct mountinfo *info);
void members_deinit(struct members *members);

/* Whether filesystems of this type have devices, but no number of them. */
bool members_is_pool(const char *type);

/* The group of what was mounted from @source, or NULL: one device at most. */
const struct string_list *members_of(const struct members *members,
				     const char *source);

/*
 * Whether the device, of which no mount was found, may be one of a mounted
 * filesystem all the same. @is_open: the kernel counts somebody who has it
 * open.
 */
bool members_may_have(const struct members *members,
		      const struct device_names *device, bool is_open);

#endif
