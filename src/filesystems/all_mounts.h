/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every filesystem that is mounted somewhere, once: here, or in the mount
 * namespace of some process. They are told apart by their device numbers.
 */
#ifndef BUFSTAT_ALL_MOUNTS_H
#define BUFSTAT_ALL_MOUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "string_list.h"

struct sysroot;

struct mounted {
	unsigned int major;
	unsigned int minor;
	char *type;
	char *source; /* what was mounted: mostly a device */
	/* Here; else, in one other namespace, as /proc/PID/root shows it. */
	struct string_list mountpoints;
	struct string_list roots; /* what of it is mounted at each */
};

/* The filesystem of a mount that some process has. */
struct mount_id {
	uint64_t id;
	unsigned int major;
	unsigned int minor;
};

struct all_mounts {
	struct mounted *mounts; /* in the order in which they were met */
	size_t count;
	size_t capacity;
	struct mount_id *ids; /* of all namespaces */
	size_t id_count;
	size_t id_capacity;
};

/*
 * Looks at /proc only: no filesystem is touched. Returns 0 or -ENOMEM; the
 * caller deinits in either case.
 */
int all_mounts_init(struct all_mounts *all, const struct sysroot *root);
void all_mounts_deinit(struct all_mounts *all);

/* NULL if no process has such a mount, as with the kernel's own. */
const struct mount_id *all_mounts_find_id(const struct all_mounts *all,
					  uint64_t id);

/*
 * The path at which a file is seen whose path inside the filesystem is @inside.
 * *@path is the caller's to free, and NULL if no mount shows it. Returns 0 or
 * -ENOMEM.
 */
int mounted_path(const struct mounted *mounted, const char *inside,
		 char **path);

#endif
