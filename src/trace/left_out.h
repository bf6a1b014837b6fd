/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own filesystems whose pages are not traced, for the program that
 * knows a filesystem by its number alone: tmpfs tells only what goes out, and
 * huge pages are not in Cached. Mounted ones are left to the caller of trace.h.
 */
#ifndef BUFSTAT_LEFT_OUT_H
#define BUFSTAT_LEFT_OUT_H

#include <stdbool.h>
#include <stddef.h>

struct left_out {
	struct {
		unsigned int major;
		unsigned int minor;
	} numbers[4];
	size_t count;
};

/* Finds their numbers, by files without a name in each of them. */
void left_out_init(struct left_out *left_out);

bool left_out_has(const struct left_out *left_out, unsigned int major,
		  unsigned int minor);

#endif
