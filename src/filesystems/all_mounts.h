/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every filesystem that is mounted somewhere, once: here, or in the mount
 * namespace of some process. They are told apart by their device numbers.
 */
#ifndef BUFSTAT_ALL_MOUNTS_H
#define BUFSTAT_ALL_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/string_list.h"

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

/*
 * Where something is mounted; of several things, one over the other, what is
 * true of them all.
 */
struct place {
	char *path; /* as in mountpoints, in every namespace */
	bool is_in_memory; /* nothing in it is ever waited for */
	bool is_local; /* no server is: a disk */
};

struct all_mounts {
	/* In the order in which they were met; none of a type that has no page
	 * cache (fs_types.h). */
	struct mounted *mounts;
	size_t count;
	size_t capacity;
	struct mount_id *ids; /* of all namespaces */
	size_t id_count;
	size_t id_capacity;
	struct place *places;
	size_t place_count;
	size_t place_capacity;
	/* The errno of what of /proc could not be read, or 0: then there may be
	 * more of them. */
	int failed;
};

/*
 * Looks at /proc only: no filesystem is touched. Returns 0 or -ENOMEM; the
 * caller deinits in either case.
 */
int all_mounts_init(struct all_mounts *all, const struct sysroot *root);
void all_mounts_deinit(struct all_mounts *all);

/*
 * Notes that something of a process could not be read, if @error, a negative
 * errno or none, hides anything.
 */
void all_mounts_note(struct all_mounts *all, int error);

/* NULL if no process has such a mount, as with the kernel's own. */
const struct mount_id *all_mounts_find_id(const struct all_mounts *all,
					  uint64_t id);

/*
 * The place that the first @length bytes of @path are, owned by @all, or NULL:
 * nothing is mounted there.
 */
const struct place *all_mounts_find_place(const struct all_mounts *all,
					  const char *path, size_t length);

/*
 * The path at which a file is seen whose path inside the filesystem is @inside.
 * *@path is the caller's to free, and NULL if no mount shows it. Returns 0 or
 * -ENOMEM.
 */
int mounted_path(const struct mounted *mounted, const char *inside,
		 char **path);

/* What is known of a filesystem by its type in /proc/PID/mountinfo. */

/*
 * Can its files have pages in the page cache? Nobody needs to ask about those
 * that cannot, proc say. An unknown type can.
 */
bool fs_type_has_pages(const char *type);

/*
 * Is looking a name up in it answered from memory, so that nothing is waited
 * for? An unknown type is not, and neither is autofs, which asks a daemon.
 */
bool fs_type_is_in_memory(const char *type);

/* Is it that, or on a local disk, with no server to wait for? */
bool fs_type_is_local(const char *type);

#endif
