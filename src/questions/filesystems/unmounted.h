/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds page cache that no mount leads to, through open files that do:
 * filesystems that were unmounted lazily (umount -l) and are still in use, and
 * files without a filesystem, such as those of memfd_secret(2) and virtual
 * machines.
 */
#ifndef BUFSTAT_UNMOUNTED_H
#define BUFSTAT_UNMOUNTED_H

struct all_mounts;
struct string_list;
struct sysroot;

/* The most descriptors that are tried. */
#define UNMOUNTED_MOST 1024

/*
 * Adds descriptors to @paths, as /proc/PID/fd/N: one for each mount that is not
 * in @mounts, and one for each file without a filesystem, up to UNMOUNTED_MOST.
 * Skips those that cannot have page cache. What could not be read is noted in
 * @mounts. Reads links and fdinfo, for which the kernel asks no filesystem.
 * Returns 0 or -ENOMEM.
 */
int unmounted_find(const struct sysroot *root, struct all_mounts *mounts,
		   struct string_list *paths);

#endif
