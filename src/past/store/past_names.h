/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was called how when a reading was recorded, by its STORE_NAMES. */
#ifndef BUFSTAT_PAST_NAMES_H
#define BUFSTAT_PAST_NAMES_H

#include <stdio.h>

struct store_name;

/* Called for each. Returns 0 or an error. */
typedef int past_name_fn(void *data, const struct store_name *name);

/*
 * Calls @take_device for each device in the document @text, and unless it is
 * NULL @take_filesystem for each filesystem, until one returns an error.
 * Returns 0, -ENOMEM or that error. A damaged document is left out.
 */
int past_names_each(const char *text, past_name_fn *take_device,
		    past_name_fn *take_filesystem, void *data);

/*
 * Adds to the tar file @out the files that a captured host would have the names
 * in: dm/name of the devices in sysfs, the mount table, and no swap. Returns 0
 * or -ENOMEM. Write errors show in ferror().
 */
int past_names_pack(FILE *out, const char *text);

#endif
