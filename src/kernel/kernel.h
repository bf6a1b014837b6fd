/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel that can be looked into: the running one, through /proc/kcore, or
 * one in a dump. All that has to be known before its memory can be walked: its
 * types, and where its block devices are.
 */
#ifndef BUFSTAT_KERNEL_H
#define BUFSTAT_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/bdev_root.h"
#include "kernel/btf.h"
#include "kernel/dump.h"
#include "kernel/kcore.h"

struct error;
struct sysroot;

struct kernel {
	bool is_live; /* not in a dump */
	const struct kmem *kmem; /* its memory */
	const char *vmcoreinfo; /* NULL: it says nothing of itself */
	struct btf btf;
	struct bdev_root root;
	uint64_t superblock; /* of all block devices */
	uint64_t page_size; /* bytes */
	/* For kernel_live.c and kernel_dump.c: one of the two. */
	struct kcore kcore;
	struct dump dump;
	int types; /* descriptor of the file that has its types, or -1 */
	uint64_t types_address; /* where they are in a dump */
};

/*
 * Opens the running kernel. Returns 0, -EOPNOTSUPP with what stands in the way
 * and what to do about it, or another negative errno. The caller closes @kernel,
 * which must stay where it is, with kernel_close_live() in either case.
 */
int kernel_open_live(struct kernel *kernel, const struct sysroot *root,
		     struct error *err);
void kernel_close_live(struct kernel *kernel);

/*
 * Opens the kernel in the dump at @path. Returns 0, -EOPNOTSUPP for one that
 * cannot be read here, -EBADMSG for one that is damaged, -ENODATA if it lacks a
 * page, or another negative errno. The caller closes it as above.
 */
int kernel_open_dump(struct kernel *kernel, const char *path,
		     struct error *err);
void kernel_close_dump(struct kernel *kernel);

/*
 * What a walk of the kernel in the dump at @path has come to, if it returned
 * @ret: an error says that it was of a dump, and what its reader choked on is
 * one whatever the walk returned. Returns 0 or a negative errno.
 */
int kernel_dump_result(const struct kernel *kernel, const char *path, int ret,
		       struct error *err);

#endif
