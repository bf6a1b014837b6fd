/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where an experiment takes place: a directory with sparse files in it, loop
 * devices on these, and a mount point, in a mount namespace of its own. Nothing
 * else on the host is touched.
 *
 * What a process leaves that is killed: the directory. Its devices are freed
 * and its mounts gone by themselves, but for a device without autoclear; the
 * next process that calls lab_remove_dead() removes both.
 */
#ifndef BUFSTAT_LAB_H
#define BUFSTAT_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "loop_device.h"

struct error;
struct string_list;
struct sysroot;

#define LAB_DEVICES 2
#define LAB_DEFAULT_PLACE "/var/tmp"

struct lab {
	char *path; /* of the directory; NULL: there is none */
	int fd; /* the directory, locked */
	char *mount_point; /* in it */
	bool is_mounted;
	struct loop_device devices[LAB_DEVICES];
	int files[LAB_DEVICES]; /* below them */
	uint64_t sizes_bytes[LAB_DEVICES];
	unsigned int device_count;
};

/*
 * Moves the process into a mount namespace of its own: what it mounts is seen
 * by nobody else and goes with it. Unmounting elsewhere reaches it all the
 * same, so it keeps no disk busy. Its disk requests come after those of others
 * from then on. Returns 0 or a negative errno.
 */
int lab_isolate(struct error *err);

/* Makes the directory in @where. @lab is to be destroyed in any case. */
int lab_create(struct lab *lab, const struct sysroot *root, const char *where,
	       struct error *err);

/*
 * Adds a device of @size_bytes that is all holes. Returns 0 or a negative
 * errno.
 */
int lab_add_device(struct lab *lab, const struct sysroot *root,
		   uint64_t size_bytes, bool autoclear, struct error *err);

/* Mounts the first device, or a tmpfs of @size_bytes. */
int lab_mount(struct lab *lab, const char *type, struct error *err);
int lab_mount_tmpfs(struct lab *lab, uint64_t size_bytes, struct error *err);
int lab_unmount(struct lab *lab, struct error *err);

/* Unmounts it and leaves the rest to the user; destroys it if that fails. */
int lab_keep(struct lab *lab, struct error *err);

/* Takes everything down. Returns 0 or the first error, and goes on after it. */
int lab_destroy(struct lab *lab, struct error *err);

/*
 * Removes what dead processes left in @where, in the usual place and below
 * loop devices, and adds the paths to @removed. Returns 0 or a negative errno.
 */
int lab_remove_dead(const struct sysroot *root, const char *where,
		    struct string_list *removed, struct error *err);

#endif
