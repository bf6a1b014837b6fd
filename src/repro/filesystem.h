/* SPDX-License-Identifier: GPL-2.0-or-later */
/* File systems that are made on a lab's device, by their own programs. */
#ifndef BUFSTAT_FILESYSTEM_H
#define BUFSTAT_FILESYSTEM_H

#include <stdint.h>

struct error;
struct progress;
struct stop;
struct sysroot;

/*
 * Is the program that makes a file system of type @name installed, and the type
 * in the kernel? Mounting it would load its module. Returns 0 or -EOPNOTSUPP
 * with what to do.
 */
int filesystem_check(const struct sysroot *root, const char *name,
		     struct error *err);

/* The least its device may have, with @files in it. */
uint64_t filesystem_least_bytes(const char *name, uint64_t files);

/*
 * Makes one on @node, which has to be a device of the caller's own, with all
 * of it initialised: no kernel thread goes on writing when it is mounted.
 */
int filesystem_make(struct stop *stop, struct progress *progress,
		    const char *name, const char *node, uint64_t files,
		    struct error *err);

#endif
