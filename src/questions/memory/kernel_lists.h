/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's lists of its own allocations, for root: line by line. */
#ifndef BUFSTAT_KERNEL_LISTS_H
#define BUFSTAT_KERNEL_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLABINFO "/proc/slabinfo"
#define VMALLOCINFO "/proc/vmallocinfo"
#define ALLOCINFO "/proc/allocinfo"

/* The most bytes that these files are read with. */
enum {
	SLABINFO_MOST = 1 << 20,
	VMALLOCINFO_MOST = 256 << 20,
	ALLOCINFO_MOST = 64 << 20,
};

struct sysroot;

/* @ret, or -EBADMSG where the last line of @text, which was read, has no end. */
int kernel_list_whole(int ret, char *const *text);

/*
 * Reads /proc/slabinfo, in a worker on the running host: the kernel holds
 * slab_mutex for it, and while it destroys a cache. Returns as file_text_ask();
 * the caller frees *@text.
 */
int slabinfo_read(const struct sysroot *root, char **text);

/* A line of /proc/slabinfo, version 2.1. */
struct slab_cache {
	char name[64];
	int64_t objects; /* in use; at most so many, with SLUB */
	int64_t room; /* objects that its slabs have room for */
	int64_t object_bytes;
	int64_t slabs;
	int64_t pages; /* of all its slabs, full or not */
};

/* A line of /proc/vmallocinfo that has pages of its own. */
struct vmalloc_area {
	const char *caller; /* the function; in the text, not terminated */
	size_t length; /* of its name */
	int64_t pages;
};

/* A line of /proc/allocinfo (Linux 6.10, CONFIG_MEM_ALLOC_PROFILING). */
struct allocation_site {
	const char *name; /* file, line, module, function; not terminated */
	size_t length;
	int64_t bytes;
};

/*
 * Parses the next line at *@text, which it moves on. Skips what it cannot
 * parse. Returns false after the last.
 */
bool slab_next(const char **text, struct slab_cache *cache);
bool vmalloc_next(const char **text, struct vmalloc_area *area);
bool site_next(const char **text, struct allocation_site *site);

#endif
