/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording calls the caches of devices and filesystems. */
#ifndef BUFSTAT_CACHE_NAMES_H
#define BUFSTAT_CACHE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* All zero bytes is empty. */
struct cache_names {
	struct cache_name {
		unsigned int major;
		unsigned int minor;
		bool is_bdev; /* a device, not a filesystem */
		char *name; /* or where it is mounted */
	} * names;
	size_t count;
	size_t room;
};

/*
 * Takes a document of STORE_NAMES; the last name of a cache counts. Returns 0
 * or -ENOMEM; what is damaged is left out.
 */
int cache_names_take(struct cache_names *names, const char *text);

/* The name, or NULL. Valid until the next take. */
const char *cache_names_find(const struct cache_names *names,
			     unsigned int major, unsigned int minor,
			     bool is_bdev);
void cache_names_deinit(struct cache_names *names);

#endif
