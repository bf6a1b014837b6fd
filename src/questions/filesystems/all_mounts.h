/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists every filesystem that is mounted in the mount namespace of some
 * process, each once. The device number identifies a filesystem.
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
	char *source; /* as in mountinfo: usually a device */
	/*
	 * In this process's mount namespace. A filesystem that is not mounted
	 * there has those of one other namespace, each with /proc/PID/root in
	 * front.
	 */
	struct string_list mountpoints;
	struct string_list roots; /* per mount point: mountinfo's root */
};

/* Which filesystem a mount ID belongs to. */
struct mount_id {
	uint64_t id;
	unsigned int major;
	unsigned int minor;
};

/*
 * A path on which something is mounted. If several mounts are stacked on it, a
 * flag is set only if it is true of all of them.
 */
struct place {
	char *path; /* like mountpoints, but of every namespace */
	bool is_in_memory; /* a lookup in it never blocks */
	bool is_local; /* a lookup waits for a disk at most, for no server */
};

struct all_mounts {
	/*
	 * In the order in which they were found. Types for which
	 * fs_type_has_pages() is false are left out.
	 */
	struct mounted *mounts;
	size_t count;
	size_t capacity;
	struct mount_id *ids; /* of all namespaces, sorted by id */
	size_t id_count;
	size_t id_capacity;
	struct place *places;
	size_t place_count;
	size_t place_capacity;
	/*
	 * 0, or the errno of the last read of /proc that failed: some mounts
	 * may then be missing here.
	 */
	int failed;
};

/*
 * Reads /proc only and touches no other filesystem. Returns 0 or -ENOMEM; the
 * caller deinits in either case.
 */
int all_mounts_init(struct all_mounts *all, const struct sysroot *root);
void all_mounts_deinit(struct all_mounts *all);

/*
 * Sets @all->failed if @error, a negative errno, means that something of a
 * process may have been missed. Any other @error is ignored.
 */
void all_mounts_note(struct all_mounts *all, int error);

/* The filesystem of that number, owned by @all, or NULL if none is mounted. */
const struct mounted *all_mounts_find(const struct all_mounts *all,
				      unsigned int major, unsigned int minor);

/* Returns NULL if no process has that mount, as for the kernel's own mounts. */
const struct mount_id *all_mounts_find_id(const struct all_mounts *all,
					  uint64_t id);

/*
 * Returns the place whose path is the first @length bytes of @path, owned by
 * @all, or NULL if nothing is mounted there.
 */
const struct place *all_mounts_find_place(const struct all_mounts *all,
					  const char *path, size_t length);

/*
 * Finds a path to the file whose path inside the filesystem is @inside: one
 * that is @below, if any is. The caller frees *@path, which is NULL if no mount
 * shows the file. Returns 0 or -ENOMEM.
 */
int mounted_path(const struct mounted *mounted, const char *inside,
		 const struct string_list *below, char **path);

/* The functions below judge a filesystem by its type in /proc/PID/mountinfo. */

/*
 * Whether its files can have pages in the page cache. If not, as for proc, the
 * module need not be asked about it. True for an unknown type.
 */
bool fs_type_has_pages(const char *type);

/*
 * Whether a lookup in it is answered from memory and never blocks. False for an
 * unknown type, and for autofs, which asks a daemon.
 */
bool fs_type_is_in_memory(const char *type);

/*
 * Whether it is in memory or on a local disk, so that a lookup asks no server.
 */
bool fs_type_is_local(const char *type);

#endif
