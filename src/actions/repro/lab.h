/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place of an experiment: a directory with a mount point, and loop devices
 * on sparse files, in a mount namespace of its own. It touches nothing else on
 * the host.
 *
 * Nothing of it survives the process, however that ends. The files are unlinked
 * as soon as they are made. The kernel frees a loop device at its last close. A
 * guard process, which outlives this one by a moment, frees devices without
 * autoclear and removes the directory. If the guard is killed too, or the power
 * fails, the directory stays, with only the mount point in it, until the next
 * lab_remove_dead().
 */
#ifndef BUFSTAT_LAB_H
#define BUFSTAT_LAB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "repro/loop_device.h"

struct error;
struct string_list;
struct sysroot;

#define LAB_DEVICES 2
#define LAB_DEFAULT_PLACE "/var/tmp"

struct lab {
	char *path; /* of the directory; NULL: no lab */
	int fd; /* the directory, locked */
	char *mount_point; /* inside path */
	bool is_mounted;
	bool can_be_kept; /* the files keep their names */
	pid_t guard; /* 0: none */
	int guard_pipe; /* the guard waits until nobody has this end */
	struct loop_device devices[LAB_DEVICES];
	int files[LAB_DEVICES]; /* backing files of devices */
	uint64_t sizes_bytes[LAB_DEVICES];
	unsigned int device_count;
};

/* An empty lab; lab_destroy() accepts it. */
#define LAB_NONE                                                               \
	{                                                                      \
		.fd = -1, .files = { -1, -1 }                                  \
	}

/*
 * Moves the process into its own mount namespace: nobody else sees its mounts,
 * and they end with it. Unmounts elsewhere still reach it, so it keeps no disk
 * busy. Also lowers the process's I/O priority to idle. Returns 0 or a negative
 * errno.
 */
int lab_isolate(struct error *err);

/*
 * Makes the lab's directory in @where. Returns 0, or a negative errno and
 * leaves nothing behind. The caller may destroy @lab in either case.
 */
int lab_create(struct lab *lab, const struct sysroot *root, const char *where,
	       bool can_be_kept, struct error *err);

/*
 * Adds a loop device on a new sparse file of @size_bytes. Returns 0 or a
 * negative errno.
 */
int lab_add_device(struct lab *lab, const struct sysroot *root,
		   uint64_t size_bytes, bool autoclear, struct error *err);

/*
 * Mount the first device, or a tmpfs of @size_bytes; unmount it. Return 0 or a
 * negative errno.
 */
int lab_mount(struct lab *lab, const char *type, struct error *err);
int lab_mount_tmpfs(struct lab *lab, uint64_t size_bytes, struct error *err);
int lab_unmount(struct lab *lab, struct error *err);

/*
 * Unmounts the lab and leaves its directory, devices and files to the user.
 * Only for a lab that can be kept. Returns 0, or destroys the lab and returns a
 * negative errno.
 */
int lab_keep(struct lab *lab, struct error *err);

/*
 * Takes everything down; goes on after an error. Returns 0 or the first error.
 * @err may be NULL.
 */
int lab_destroy(struct lab *lab, struct error *err);

/*
 * Removes labs whose process and guard were both killed, in @where and in
 * LAB_DEFAULT_PLACE, and adds their paths to @removed. Leaves kept labs alone.
 * Returns 0 or a negative errno.
 */
int lab_remove_dead(const struct sysroot *root, const char *where,
		    struct string_list *removed, struct error *err);

#endif
