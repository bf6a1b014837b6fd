/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many pages the caches of all devices and filesystems have at one instant,
 * by the sources of bufstat devices and bufstat filesystems.
 */
#ifndef BUFSTAT_CACHES_H
#define BUFSTAT_CACHES_H

#include <stdbool.h>

#include "devices/devices.h"
#include "filesystems/measured_filesystems.h"
#include "lib/error.h"
#include "measure/history.h"

struct sysroot;

/* All zero bytes is empty. */
struct caches {
	struct devices devices;
	bool has_devices;
	struct filesystems filesystems;
	bool has_filesystems;
	/* Why something is missing; not set if nothing is. */
	struct error why;
};

/*
 * @source is as for devices_init(). With @walks false, leaves out the
 * filesystems, whose inodes have to be walked. What cannot be measured is
 * missing, and @why says why. Returns 0 or -ENOMEM; the caller deinits in
 * either case.
 */
int caches_take(struct caches *caches, const struct sysroot *root,
		const char *source, bool walks);
void caches_deinit(struct caches *caches);

/* The same, without all but the number of pages of each. */
struct caches_before {
	struct baseline devices;
	struct baseline filesystems;
};

/* Replaces @before. Returns 0 or -ENOMEM. */
int caches_keep(struct caches_before *before, struct caches *caches);
void caches_before_deinit(struct caches_before *before);

#endif
