/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cached blocks of one device of a kernel, running or dumped. Reads the
 * kernel's memory, from /proc/kcore, for root, or from a dump. The device is
 * not opened, and no page of it is brought in or marked.
 */
#ifndef BUFSTAT_DEVICE_BLOCKS_H
#define BUFSTAT_DEVICE_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "blocks/blocks.h"
#include "blocks/device_cache.h"
#include "blocks/identity.h"
#include "lib/error.h"

struct selection;
struct sysroot;

struct device_blocks {
	unsigned int major;
	unsigned int minor;
	/* The kernel's name; then, of the running one, what users call it. */
	char *name;
	char *mountpoint; /* the first one, or NULL */
	uint64_t page_size; /* bytes */
	uint64_t pages; /* cached; those that came or went included */
	bool is_dump;
	char *release; /* of the kernel in a dump; or NULL */
	struct identity identity; /* what is on it */
	struct error unasked; /* why libblkid was not asked */
	bool is_unasked;
	struct blocks blocks;
	struct device_cache cached; /* the kinds; its contents are gone */
};

/* Nanoseconds, if --timeout gives no other time. */
#define DEVICE_BLOCKS_TIME INT64_C(2000000000)

/*
 * Reads the first device in @selection, of the running kernel or, if @vmcore is
 * not NULL, of that in the dump. Looks into its pages for as long as @root's
 * patience allows, or for DEVICE_BLOCKS_TIME. Returns 1, 0 if no device is
 * in it, or a negative errno as kernel_open(). The caller deinits @device in
 * any case.
 */
int device_blocks_read(struct device_blocks *device, const struct sysroot *root,
		       const char *vmcore, struct selection *selection,
		       struct error *err);
void device_blocks_deinit(struct device_blocks *device);

#endif
