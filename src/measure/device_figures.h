/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_DEVICE_FIGURES_H
#define BUFSTAT_DEVICE_FIGURES_H

#include <sys/types.h>

#include "snapshot.h"

struct error;
struct sysroot;

/* One device as a source measured it. */
struct device_figures {
	struct device_sample sample; /* its strings are NULL */
	const char *source; /* static; NULL: not measured */
	uint64_t page_size; /* bytes */
};

/*
 * Measures one device, and opens no other. @source as for source_collect(),
 * which it returns like; -EIO if the device refused. What is not known is
 * absent from @figures, all of it after an error.
 */
int device_figures_take(const struct sysroot *root, const char *source,
			dev_t device, struct device_figures *figures,
			struct error *err);

/*
 * Whether a write to the device has failed, from whichever source knows: sets
 * FIGURE_WRITE_ERROR in @sample, or leaves it absent where none does. A device
 * without pages may be unknown to all of them.
 */
void device_write_error_take(const struct sysroot *root, dev_t device,
			     struct device_sample *sample);

#endif
