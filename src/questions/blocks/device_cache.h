/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cached pages of a device of a kernel, running or dumped, and what is in
 * them. The device is not opened, and no page of it is brought in or marked.
 */
#ifndef BUFSTAT_DEVICE_CACHE_H
#define BUFSTAT_DEVICE_CACHE_H

#include <stdint.h>

#include "blocks/block_cache.h"
#include "kernel/bdev_walk.h"
#include "kernel/cached_pages.h"
#include "kernel/page_contents.h"

struct error;
struct kernel;

/* The devices of a kernel, and what is the same for all of them. */
struct device_caches {
	struct kernel *kernel;
	struct bdev_list devices; /* sorted by number */
	/* Of no device yet; kmem is NULL until it is needed. */
	struct page_contents contents;
	uint32_t size_offset; /* inode.i_size, bytes; 0: not known */
};

/*
 * Lists the devices of @kernel, which must outlive @caches. Returns as
 * bdev_walk() does. The caller deinits in any case.
 */
int device_caches_init(struct device_caches *caches, struct kernel *kernel,
		       struct error *err);
void device_caches_deinit(struct device_caches *caches);

/* Its parts point to each other: do not move it. */
struct device_cache {
	uint64_t device_bytes; /* its size; 0: not known */
	struct cached_pages list;
	struct page_contents contents; /* for as long as the kernel is open */
	struct block_cache cache;
};

/*
 * Lists the pages of the device @entry, one of @caches, of which contents can
 * be read while the kernel is open. With @end_bytes, only of so much at each
 * end of the device, and of none if its size is not known. Returns 0;
 * -EOPNOTSUPP with what this kernel does not say; or another negative errno,
 * with the reason in @err. The caller deinits @cached in any case.
 */
int device_cache_init(struct device_cache *cached, struct device_caches *caches,
		      const struct bdev_entry *entry, uint64_t end_bytes,
		      struct error *err);
void device_cache_deinit(struct device_cache *cached);

/* Explains the errno @ret of reading such a cache. Returns the errno of @err. */
int device_cache_error(struct error *err, int ret);

#endif
