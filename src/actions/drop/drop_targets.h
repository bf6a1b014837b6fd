/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The devices whose pages are to be released, as the user named them. */
#ifndef BUFSTAT_DROP_TARGETS_H
#define BUFSTAT_DROP_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "names/device_find.h"
#include "names/names.h"

struct error;
struct sysroot;

struct drop_target {
	struct found_device found;
	struct device_names names;
	const char *name; /* names.name, or the node */
	unsigned int major, minor;
};

#define DROP_NO_SECTORS "it has no sectors"

/* Such a device may have pages: its file was truncated while it was in use. */
static inline bool drop_target_has_no_sectors(const struct drop_target *target)
{
	return target->names.has_size && !target->names.size_bytes;
}

struct drop_targets {
	struct drop_target *targets;
	size_t count;
	struct names *device_names;
};

/*
 * Makes room for @most devices. Returns 0 or -ENOMEM; the caller deinits
 * @targets in either case.
 */
int drop_targets_init(struct drop_targets *targets, const struct sysroot *root,
		      size_t most, struct error *err);

/*
 * Adds the device that @word names, unless it is there; if @node is not 0, the
 * word is the path of the device with that number. Refuses a ramdisk with
 * -EPERM. Returns 0 or a negative errno.
 */
int drop_targets_add(struct drop_targets *targets, const struct sysroot *root,
		     const char *word, dev_t node, struct error *err);
void drop_targets_deinit(struct drop_targets *targets);

#endif
