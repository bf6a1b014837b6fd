/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page cache that no mount shows, found by the open files that lead to it:
 * filesystems that were unmounted lazily (umount -l) and are still in use, and
 * files of no filesystem, which memfd_secret(2) and virtual machines have.
 */
#ifndef BUFSTAT_UNMOUNTED_H
#define BUFSTAT_UNMOUNTED_H

#include <stdbool.h>

struct all_mounts;
struct string_list;
struct sysroot;

/* Mounts, and files of none, that are tried at most. */
#define UNMOUNTED_MOST 1024

/*
 * Adds to @paths the descriptors, as /proc/PID/fd/N, that lead to neither a
 * mount of @mounts nor something without page cache, one for each other mount
 * or file of none, up to UNMOUNTED_MOST.
 * What could not be read is noted in @mounts.
 * Reads links and fdinfo, for which the kernel asks no filesystem. Returns 0 or
 * -ENOMEM.
 */
int unmounted_find(const struct sysroot *root, struct all_mounts *mounts,
		   struct string_list *paths);

#endif
