/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The zones of the kernel's page allocator, from /proc/zoneinfo. */
#ifndef BUFSTAT_ZONEINFO_H
#define BUFSTAT_ZONEINFO_H

#include <stddef.h>
#include <stdint.h>

struct memory_fields;

/* All in pages. A figure that the file does not have is -1. */
struct memory_zone {
	unsigned int node;
	char name[16];
	int64_t free;
	int64_t per_cpu; /* free, on the processors' own lists */
	int64_t min, low, high; /* watermarks, with a boost */
	int64_t spanned, present, managed;
	int64_t protection; /* the largest: what higher zones may not take */
	int64_t lag; /* what one count may be behind, over all processors */
};

struct memory_zones {
	struct memory_zone *zones; /* in the order of the file */
	size_t count;
};

/* Parses the whole text into empty @zones. Returns 0 or -ENOMEM. */
int zoneinfo_parse(struct memory_zones *zones, const char *text);
void memory_zones_deinit(struct memory_zones *zones);

/* Sets the fields of MEMORY_ZONEINFO, if every zone with pages has them. */
void memory_zones_add_up(const struct memory_zones *zones,
			 struct memory_fields *fields);

#endif
