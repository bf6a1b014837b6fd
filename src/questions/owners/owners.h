/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the largest owners of memory (memory_owners.h), each kind in one pass
 * and only if it was asked for. It makes slab itself: read the counts before.
 */
#ifndef BUFSTAT_OWNERS_H
#define BUFSTAT_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct memory_owners;
struct memory_reading;
struct sysroot;

/*
 * Fills the lists that memory_owners_ask() asked for. What cannot be read is
 * noted there. Ends when @root's patience is over. With @pss, programs are
 * ranked by what is theirs alone and their part of what they share, which takes
 * the mmap_lock of each; a process that does not answer is left out. From a
 * capture, takes what was found then, which is by RSS. Returns 0 or a negative
 * errno with @err set; the caller deinits @owners in either case.
 */
int owners_find(struct memory_owners *owners, const struct sysroot *root,
		bool pss, struct error *err);

/*
 * Sets MEMORY_CGROUP_REST, what cgroups are charged for and no count of the
 * host has (version 2, Linux 5.18). Only the cgroups right below the root are
 * read: they have what is below them. Returns 0 or -ENOMEM.
 */
int owners_name_rest(struct memory_reading *reading,
		     const struct sysroot *root);

/*
 * Sets *@place to where the tmpfs is mounted that has most inodes, which the
 * caller frees, and *@inodes to how many; NULL and 0 if none counts them. Asks
 * the running host, and only filesystems in memory. Returns 0 or -ENOMEM.
 */
int owners_most_inodes(const struct sysroot *root, char **place,
		       uint64_t *inodes);

#endif
