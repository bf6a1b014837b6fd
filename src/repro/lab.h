/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where an experiment takes place: a directory with a mount point in it, and
 * loop devices on sparse files, in a mount namespace of its own. Nothing else
 * on the host is touched.
 *
 * Nothing stays of it, however the process ends. The files lose their names
 * when they are made, the kernel frees a device with its last close, and a
 * guard, a process that lives a moment longer than this one, frees what has no
 * autoclear and removes the directory. If the guard is killed too, or the power
 * fails, the directory stays, empty but for the mount point, until the next
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
	char *path; /* of the directory; NULL: there is none */
	int fd; /* the directory, locked */
	char *mount_point; /* in it */
	bool is_mounted;
	bool can_be_kept; /* the files keep their names */
	pid_t guard; /* 0: there is none */
	int guard_pipe; /* it waits until nobody has this end */
	struct loop_device devices[LAB_DEVICES];
	int files[LAB_DEVICES]; /* below them */
	uint64_t sizes_bytes[LAB_DEVICES];
	unsigned int device_count;
};

/* No lab, which may be destroyed like any other. */
#define LAB_NONE                                                               \
	{                                                                      \
		.fd = -1, .files = { -1, -1 }                                  \
	}

/*
 * Moves the process into a mount namespace of its own: what it mounts is seen
 * by nobody else and goes with it. Unmounting elsewhere reaches it all the
 * same, so it keeps no disk busy. Its disk requests come after those of others
 * from then on. Returns 0 or a negative errno.
 */
int lab_isolate(struct error *err);

/*
 * Makes the directory in @where. Returns 0 or a negative errno with nothing
 * left; @lab may be destroyed in either case.
 */
int lab_create(struct lab *lab, const struct sysroot *root, const char *where,
	       bool can_be_kept, struct error *err);

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

/*
 * Unmounts it and leaves the directory, the devices and their files to the
 * user. Only of a lab that can be kept. Returns 0, or a negative errno after
 * destroying it.
 */
int lab_keep(struct lab *lab, struct error *err);

/* Takes everything down. Returns 0 or the first error, and goes on after it. */
int lab_destroy(struct lab *lab, struct error *err);

/*
 * Removes labs in @where and in the usual place that neither a process nor its
 * guard was there to remove, and adds their paths to @removed. Those that were
 * kept stay. Returns 0 or a negative errno.
 */
int lab_remove_dead(const struct sysroot *root, const char *where,
		    struct string_list *removed, struct error *err);

#endif
