/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a block device stands on, or is cut into, from sysfs. */
#ifndef BUFSTAT_DEVICE_BASE_H
#define BUFSTAT_DEVICE_BASE_H

#include <stdbool.h>

struct sysroot;

struct device_base {
	char *loop_file; /* the file below a loop device, else NULL */
	bool loop_direct; /* it is read past the page cache */
	bool has_partitions; /* a whole disk */
};

/* Returns 0 or -ENOMEM; the caller deinits @base in either case. */
int device_base_init(struct device_base *base, const struct sysroot *root,
		     unsigned int major, unsigned int minor);
void device_base_deinit(struct device_base *base);

#endif
