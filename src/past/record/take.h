/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes the readings of a recording. A process of its own does it, because what
 * it does allocates, and may wait for a sick disk.
 */
#ifndef BUFSTAT_RECORD_TAKE_H
#define BUFSTAT_RECORD_TAKE_H

/* What to take besides the devices. */
enum take_also {
	TAKE_FILESYSTEMS = 1 << 0,
	TAKE_MEMORY = 1 << 1,
	TAKE_NAMES = 1 << 2, /* of the devices */
};

/*
 * Takes them and writes them to @fd as frames (frames.h), and how long the
 * filesystems took. A document that could not be taken is left
 * out. If that is the devices, STORE_STATE says why.
 */
void take_reading(int fd, unsigned int also);

#endif
