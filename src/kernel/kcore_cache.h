/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was found out about the running kernel, kept until the next boot in
 * /run/bufstat/kcore: the kernel's types and symbols do not change while it
 * runs. Addresses are relative to _stext; the build ID says which kernel it is.
 *
 * Only a file that nobody but the owner can have written is read, every figure
 * in it is checked like one from BTF, and what it leads to must turn out to be
 * the superblock of all block devices.
 */
#ifndef BUFSTAT_KCORE_CACHE_H
#define BUFSTAT_KCORE_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct bdev_root;
struct sysroot;

#define KCORE_BUILD_ID_SIZE 65 /* a SHA-256 in hex */

struct kcore_cache {
	const struct sysroot *root;
	uid_t owner; /* of the directory and the file: root */
	char build_id[KCORE_BUILD_ID_SIZE]; /* "": nothing is kept */
	uint64_t stext;
};

/* From what VMCOREINFO says; without a build ID nothing is read or written. */
void kcore_cache_init(struct kcore_cache *cache, const struct sysroot *root,
		      const char *vmcoreinfo);

/* Returns 0, -ENOENT without a usable file, or -EBADMSG if one is not sound. */
int kcore_cache_read(const struct kcore_cache *cache, struct bdev_root *root);

/* Writes a new file in place of the old one. Returns 0 or a negative errno. */
int kcore_cache_write(const struct kcore_cache *cache,
		      const struct bdev_root *root);

/* The file's text, for those above and for tests. Reading returns as above. */
int kcore_cache_parse(const struct kcore_cache *cache, const char *text,
		      struct bdev_root *root);
char *kcore_cache_format(const struct kcore_cache *cache,
			 const struct bdev_root *root);

#endif
