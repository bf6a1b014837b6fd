/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was mounted, and what devices were called, when something was recorded. */
#ifndef BUFSTAT_RECORDED_NAMES_H
#define BUFSTAT_RECORDED_NAMES_H

#include "fields/fields.h"
#include "lib/string_list.h"

struct sysroot;

/* Where a recorded host has them. */
#define RECORDED_NAMES "/bufstat/names.json"

/* Strings that were read are owned; of a writer, they are not. */
struct recorded_name {
	unsigned int major, minor;
	char *name; /* of a filesystem where it was mounted; or NULL */
	char *fstype; /* or NULL */
	struct string_list mountpoints; /* or "[SWAP]" */
};

struct recorded_names {
	struct recorded_name *devices;
	size_t device_count;
	struct recorded_name *filesystems; /* with number and name only */
	size_t filesystem_count;
};

extern const struct fields recorded_names_fields;

/*
 * Reads those of a recorded host, and sorts the devices by their numbers.
 * Returns 0, -ENOMEM, or -ENOENT if it has none, or they are damaged: then
 * there are none. The caller deinits.
 */
int recorded_names_read(struct recorded_names *names,
			const struct sysroot *root);
void recorded_names_deinit(struct recorded_names *names);

/* What is known of the device, or NULL. @names were read so. */
const struct recorded_name *
recorded_names_find(const struct recorded_names *names, unsigned int major,
		    unsigned int minor);

#endif
