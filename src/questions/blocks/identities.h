/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is on devices of a kernel, running or dumped: what it mounted them as,
 * or else what their cached pages tell (identity.h).
 */
#ifndef BUFSTAT_IDENTITIES_H
#define BUFSTAT_IDENTITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blocks/identity.h"
#include "lib/error.h"

struct device_names;
struct kernel;

/* All zero bytes is empty. */
struct identities {
	struct device_identity {
		unsigned int major, minor;
		struct identity identity;
	} * list;
	size_t count;
	size_t capacity;
	struct error why; /* libblkid could be asked of no device; or unset */
};

/*
 * Completes what is known of the device @dev, the kernel's dev_t, by what that
 * kernel has mounted from it: type and UUID. Returns 0 or -ENOMEM.
 */
int identity_take_superblock(struct identity *identity,
			     const struct kernel *kernel, uint32_t dev);

/* Adds a device to look at; see identities_read(). Returns 0 or -ENOMEM. */
int identities_add(struct identities *identities, unsigned int major,
		   unsigned int minor);

/*
 * Looks at the devices that were added; if none was, at all with cached pages.
 * Takes half a second at most, or a quarter of --timeout. Returns 0 or -ENOMEM;
 * what cannot be read is not known. The caller deinits @identities in either
 * case.
 */
int identities_read(struct identities *identities, struct kernel *kernel);
void identities_deinit(struct identities *identities);

/*
 * Gives a device the type, label and UUID that @names lacks, if they are known:
 * moves them. Returns 0 or -ENOMEM.
 */
int identities_name(struct identities *identities, unsigned int major,
		    unsigned int minor, struct device_names *names);

#endif
