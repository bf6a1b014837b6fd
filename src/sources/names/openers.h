/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the processes that have block devices open, from /proc/PID/fd, without
 * opening a device. Devices that the kernel itself holds (for mounts,
 * device-mapper, loop and swap) belong to no process and are not found.
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
	char comm[64]; /* "" if the process ended before it was read */
};

struct openers {
	struct opener *openers; /* by device, then by pid; each pair once */
	size_t count;
	size_t capacity;
	size_t processes; /* whose descriptors were read */
	size_t denied; /* whose descriptors need more privileges */
	size_t unread; /* whose descriptors the time did not suffice for */
	int failed; /* errno of a part of /proc that could not be read, or 0 */
	bool is_of_namespace; /* processes outside this one are not seen */
};

/*
 * Reads the descriptors of every process; one that ends meanwhile is skipped.
 * Without /proc nothing is found and processes is 0. A worker reads; if a file
 * that a process has open does not answer, @openers->failed is ETIMEDOUT; once
 * @root's patience is over, it is ETIME.
 * Returns 0, or a negative errno if memory or processes ran out; the caller
 * deinits @openers in either case.
 */
int openers_init(struct openers *openers, const struct sysroot *root);
void openers_deinit(struct openers *openers);

/* The openers of one device, or NULL. Sets @count to their number. */
const struct opener *openers_find(const struct openers *openers,
				  unsigned int major, unsigned int minor,
				  size_t *count);

/* Whether the descriptors of every process of this host could be read. */
bool openers_are_whole(const struct openers *openers);

#endif
