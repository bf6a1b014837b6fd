/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes hold block devices open, from /proc/PID/fd. No device is
 * opened for it. What the kernel itself holds (mounts, device-mapper, loop and
 * swap) has no process and is not found here.
 */
#ifndef BUFSTAT_OPENERS_H
#define BUFSTAT_OPENERS_H

#include <stdbool.h>
#include <stddef.h>

struct sysroot;

struct opener {
	unsigned int major;
	unsigned int minor;
	unsigned int pid;
	char comm[64]; /* "" if it was gone before its name was read */
};

struct openers {
	struct opener *openers; /* by device, then by pid; each pair once */
	size_t count;
	size_t capacity;
	size_t processes; /* whose descriptors were read */
	size_t denied; /* whose descriptors need more privileges */
	int failed; /* the errno of what of /proc could not be read, or 0 */
};

/*
 * Reads the descriptors of every process; one that ends meanwhile is skipped.
 * Without /proc nothing is found and processes is 0. Returns 0 or -ENOMEM; the
 * caller deinits @openers in either case.
 */
int openers_init(struct openers *openers, const struct sysroot *root);
void openers_deinit(struct openers *openers);

/* Those of one device, or NULL; @count receives how many there are. */
const struct opener *openers_find(const struct openers *openers,
				  unsigned int major, unsigned int minor,
				  size_t *count);

/* Was every process read that could be seen? */
bool openers_are_whole(const struct openers *openers);

#endif
