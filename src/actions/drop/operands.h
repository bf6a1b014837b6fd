/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user named, sorted: devices, files and filesystems. */
#ifndef BUFSTAT_OPERANDS_H
#define BUFSTAT_OPERANDS_H

#include <stddef.h>

#include "drop/drop_files.h"
#include "drop/drop_targets.h"
#include "drop/path_kind.h"
#include "filesystems/all_mounts.h"

struct sysroot;

struct drop_operands {
	struct drop_targets devices;
	struct drop_set *sets; /* files and filesystems */
	size_t set_count;
	struct all_mounts mounts; /* the sets point into it */
	struct path_found *paths;
	size_t path_count;
};

/*
 * Finds out what each of the @count @words is. One with a slash is a path.
 * Another is a device's name or, if no device is called that, a path. In a
 * captured tree all are devices. What is named twice is taken once. Returns 0,
 * or a negative errno if any is nothing that can be dropped. The caller deinits
 * @operands in either case; @words must outlive it.
 */
int drop_operands_init(struct drop_operands *operands,
		       const struct sysroot *root, char *const *words,
		       size_t count, struct error *err);
void drop_operands_deinit(struct drop_operands *operands);

#endif
