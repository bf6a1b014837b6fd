/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of a report as metrics want them: no two with the same labels,
 * and no more than a bound, however many the host has.
 */
#ifndef BUFSTAT_EXPORT_DEVICES_H
#define BUFSTAT_EXPORT_DEVICES_H

#include <stddef.h>

#include "measure/snapshot.h"
#include "names/names.h"

struct exposition;
struct filesystems;
struct report;
struct sysroot;

struct export_device {
	struct sample sample; /* its strings are the snapshot's */
	struct device_names names;
};

struct export_devices {
	struct export_device *devices; /* most pages first */
	size_t count;
	/*
	 * The sum of the devices with pages that there was no room for. A
	 * figure that one of them lacks is not there.
	 */
	struct sample other;
	size_t in_other; /* how many these are */
};

/*
 * The @limit devices with the most pages. Two with one number, of which the
 * first was unplugged while it was in use, become one. @report's snapshot must
 * outlive the result. Returns 0 or -ENOMEM; the caller deinits in either case.
 */
int export_devices_init(struct export_devices *devices,
			const struct report *report, const struct sysroot *root,
			size_t limit);
void export_devices_deinit(struct export_devices *devices);

/*
 * What Cached is made of as metrics. Each writes the samples of one family,
 * none for what is not known; those of filesystems that have pages, at most
 * @limit, and one for the sum of the others.
 */

void export_cached(struct exposition *out, const struct filesystems *all);
void export_cached_rest(struct exposition *out, const struct filesystems *all);
void export_filesystem_errors(struct exposition *out,
			      const struct filesystems *all);
void export_filesystem_figure(struct exposition *out,
			      const struct filesystems *all, enum figure figure,
			      size_t limit);
void export_filesystem_names(struct exposition *out,
			     const struct filesystems *all, size_t limit);

#endif
