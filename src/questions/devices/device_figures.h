/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is measured of one device. */
#ifndef BUFSTAT_DEVICE_FIGURES_H
#define BUFSTAT_DEVICE_FIGURES_H

#include <stdint.h>
#include <sys/types.h>

#include "measure/snapshot.h"

struct error;
struct sysroot;

/* One device as a source measured it. */
struct device_figures {
	struct sample sample; /* its strings are NULL */
	const char *source; /* static; NULL: not measured */
	uint64_t page_size; /* bytes */
};

/*
 * Measures one device and opens no other. @source and the result are as for
 * source_collect(), or -EIO if the device refused. Figures that are not known
 * are absent from @figures; after an error all are.
 */
int device_figures_take(const struct sysroot *root, const char *source,
			dev_t device, struct device_figures *figures,
			struct error *err);

/*
 * Finds a source that knows whether a write to the device has failed, and sets
 * FIGURE_WRITE_ERROR in @sample. If none knows, leaves it absent. A device
 * without pages may be unknown to all of them.
 */
void device_write_error_take(const struct sysroot *root, dev_t device,
			     struct sample *sample);

#endif
