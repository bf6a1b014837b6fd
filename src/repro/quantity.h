/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an experiment measures, all of it in pages. */
#ifndef BUFSTAT_QUANTITY_H
#define BUFSTAT_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

enum quantity {
	/* The experiment's own: nobody else moves them. */
	QUANTITY_DEVICE, /* pages of the device */
	QUANTITY_DEVICE_DIRTY, /* of these, dirty or being written */
	QUANTITY_WITNESS, /* pages of the second device */
	QUANTITY_FILE, /* pages of the file that is read or written */
	QUANTITY_FILE_DIRTY, /* of these, dirty or being written */
	QUANTITY_BACKING, /* pages of the files below the devices */
	/* Of the whole host, from /proc/meminfo. */
	QUANTITY_BUFFERS,
	QUANTITY_OTHERS, /* Buffers without the devices above */
	QUANTITY_CACHED, /* without QUANTITY_BACKING */
	QUANTITY_SHMEM,
	QUANTITY_DIRTY, /* Dirty and Writeback */
};

#define QUANTITIES (QUANTITY_DIRTY + 1)

/* For an array with a row for each. */
struct quantity_info {
	const char *name; /* NULL: what the device or file is called */
	const char *key; /* in JSON */
	bool is_host_wide;
	/* What shows the same, among other things, where this is not known;
	 * itself if nothing does. */
	enum quantity substitute;
};

extern const struct quantity_info quantities[QUANTITIES];

struct reading {
	int64_t pages[QUANTITIES];
	unsigned int present; /* bit per quantity */
	bool settled; /* Buffers was the same before and after */
	int64_t at_ns; /* of the monotonic clock */
};

static inline bool reading_has(const struct reading *reading,
			       enum quantity quantity)
{
	return reading->present >> quantity & 1;
}

static inline void reading_set(struct reading *reading, enum quantity quantity,
			       int64_t pages)
{
	reading->pages[quantity] = pages;
	reading->present |= 1U << quantity;
}

/* Are both there? Then @change is how much later is more. */
static inline bool reading_change(const struct reading *earlier,
				  const struct reading *later,
				  enum quantity quantity, int64_t *change)
{
	*change = later->pages[quantity] - earlier->pages[quantity];
	return reading_has(earlier, quantity) && reading_has(later, quantity);
}

#endif
