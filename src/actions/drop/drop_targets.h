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
};

/*
 * Finds the devices that the @count @words name, each only once. If @nodes is
 * not NULL, it has for each word the number of the device whose node it is, or
 * 0 if it is a name. Refuses a ramdisk with -EPERM. Returns 0 or a negative
 * errno; the caller deinits @targets in either case.
 */
int drop_targets_init(struct drop_targets *targets, const struct sysroot *root,
		      const char *const *words, const dev_t *nodes,
		      size_t count, struct error *err);
void drop_targets_deinit(struct drop_targets *targets);

#endif
