/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes filesystems on a lab's device, with their own mkfs programs. */
#ifndef BUFSTAT_FILESYSTEM_H
#define BUFSTAT_FILESYSTEM_H

#include <stdint.h>

struct error;
struct progress;
struct stop;
struct sysroot;

/*
 * Checks that the mkfs program for type @name is installed and that the kernel
 * already has the type: mounting must not load a module. Returns 0, -EOPNOTSUPP
 * with a remedy, or another negative errno.
 */
int filesystem_check(const struct sysroot *root, const char *name,
		     struct error *err);

/* The smallest size in bytes of a device for it, with @files files. */
uint64_t filesystem_least_bytes(const char *name, uint64_t files);

/*
 * Makes a filesystem of type @name, which must not be tmpfs, on @node, which
 * must be the caller's own device. Initialises all of it, so that no kernel
 * thread goes on writing after the mount. Returns 0 or a negative errno.
 */
int filesystem_make(struct stop *stop, struct progress *progress,
		    const char *name, const char *node, uint64_t files,
		    struct error *err);

#endif
