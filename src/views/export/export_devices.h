/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices for metrics: no two have the same labels, and there are no
 * more than a limit, however many the host has.
 */
#ifndef BUFSTAT_EXPORT_DEVICES_H
#define BUFSTAT_EXPORT_DEVICES_H

#include <stddef.h>

#include "devices/device_rows.h"

struct exposition;
struct filesystems;
struct sysroot;

struct export_devices {
	struct rows rows; /* the first of them have names, and own them */
	size_t count; /* of those: most pages first */
	/*
	 * The sum of the devices with pages beyond the limit. A figure that one
	 * of them lacks is absent.
	 */
	struct sample other;
	size_t in_other; /* how many devices are in the sum */
};

/*
 * Takes the @limit devices with the most pages. Merges two devices with the
 * same number: the first was unplugged while it was in use. @all must outlive
 * the result. Returns 0 or -ENOMEM; the caller deinits @devices in
 * either case.
 */
int export_devices_init(struct export_devices *devices,
			const struct devices *all, const struct sysroot *root,
			size_t limit);
void export_devices_deinit(struct export_devices *devices);

/*
 * Metrics of filesystems. Each function writes the samples of one family, and
 * none for an unknown value. A family of filesystems has samples for at most
 * @limit of those with pages. If it has a figure, it also has one for the sum
 * of the others.
 */

void export_filesystem_figure(struct exposition *out,
			      const struct filesystems *all, enum figure figure,
			      size_t limit);
void export_filesystem_names(struct exposition *out,
			     const struct filesystems *all, size_t limit);

#endif
