/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways of data through the kernel, and which functions have to be on them. */
#ifndef BUFSTAT_WAYS_H
#define BUFSTAT_WAYS_H

#include "repro/experiment.h"

#define WAY_FUNCTIONS 5

/* A name may have alternatives, of different kernels: "this|that". */
struct way {
	const char *name; /* NULL ends an array */
	action_fn *act; /* runs in a process of its own */
	bool through; /* the page cache, else past it */
	const char *must[WAY_FUNCTIONS];
	const char *must_not[WAY_FUNCTIONS];
};

extern const struct way ways_of_device[];
extern const struct way ways_of_ext4[];
extern const struct way ways_of_xfs[];
extern const struct way ways_of_btrfs[];

#endif
