/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens a kernel whose memory can be read: the running one, through
 * /proc/kcore, or one in a dump. Finds what a walk of its memory needs: its
 * types, and where its block devices are.
 */
#ifndef BUFSTAT_KERNEL_H
#define BUFSTAT_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/bdev_root.h"
#include "kernel/btf.h"
#include "kernel/dump.h"
#include "kernel/exports.h"
#include "kernel/kallsyms.h"
#include "kernel/kcore.h"

struct error;
struct patience;
struct sysroot;

struct kernel {
	bool is_live; /* the running kernel, not one in a dump */
	const char *path; /* of the dump that could be opened; or NULL */
	/* The caller's, or NULL; all reading of the memory keeps to it. */
	struct patience *patience;
	const struct kmem *kmem; /* its memory */
	const char *vmcoreinfo; /* or NULL; owned by kcore or dump */
	struct btf btf;
	struct exports exports; /* data is NULL if they were not found */
	/* The table of all symbols, which may take long to find: 1 with it, 0
	 * before anybody looked for it, or a negative errno. */
	int kallsyms_status;
	struct kallsyms kallsyms;
	struct bdev_root root;
	uint64_t superblock; /* address of the one of all block devices */
	uint64_t page_size; /* bytes */
	unsigned int machine; /* EM_X86_64, ... */
	/* One of these is open; for kernel_live.c and kernel_dump.c only. */
	struct kcore kcore;
	struct dump dump;
	int types; /* descriptor of the file that has its types, or -1 */
	uint64_t types_address; /* address of the types in a dump */
};

/* Why the file of types of the running kernel is not there. */
enum lack types_lack(const struct sysroot *root);

/*
 * Opens the kernel in the dump at @vmcore, which must outlive @kernel, or, if
 * that is NULL, the running one. Returns 0, -EOPNOTSUPP with the obstacle and
 * its remedy, -EBADMSG if the dump is damaged, -ENODATA if it lacks a page,
 * -ETIMEDOUT if the time of @root's patience is over, or another negative
 * errno. The caller closes @kernel in any case, and does not move it until
 * then.
 */
int kernel_open(struct kernel *kernel, const struct sysroot *root,
		const char *vmcore, struct error *err);

/*
 * Returns the result of a walk that returned @ret, 0 or a negative errno or
 * more than 0. Adds to an error that it is about the dump. If the dump's reader
 * failed, that is an error even if the walk had none.
 */
int kernel_close(struct kernel *kernel, int ret, struct error *err);

/*
 * Whether the running kernel does not show its struct pages, one of which is at
 * @page. That of riscv64 maps them below what an offset in /proc/kcore can say
 * (Linux 6.12: its segment begins before PAGE_OFFSET). The answer is wrong only
 * for a page whose memory was unplugged since.
 */
bool kernel_hides_pages(const struct kernel *kernel, uint64_t page);
#define KERNEL_HIDES_PAGES "this kernel's /proc/kcore lacks its struct pages"

/* For kernel_open() and kernel_close() only. */
int kernel_open_live(struct kernel *kernel, const struct sysroot *root,
		     struct error *err);
int kernel_open_dump(struct kernel *kernel, const struct sysroot *root,
		     const char *path, struct error *err);

#endif
