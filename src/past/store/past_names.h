/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What devices were called when a reading was recorded: a document of
 * STORE_NAMES, with the members "maj:min", "name", "fstype" and "mountpoints"
 * of each device in its array "names", and "maj:min" and "name" (where it was
 * mounted) of each filesystem in its array "filesystems", which the first
 * recordings lack.
 */
#ifndef BUFSTAT_PAST_NAMES_H
#define BUFSTAT_PAST_NAMES_H

#include <stdio.h>

/* Called for each, with its name or NULL. Returns 0 or an error. */
typedef int past_name_fn(void *data, unsigned int major, unsigned int minor,
			 const char *name);

/*
 * Calls @take for each device in the document @text, until it returns an error.
 * Returns 0, -ENOMEM or that error; what is damaged is left out.
 */
int past_names_each(const char *text, past_name_fn *take, void *data);

/* The same for the filesystems. */
int past_filesystems_each(const char *text, past_name_fn *take, void *data);

/*
 * Adds to the tar file @out the files that a captured host would have the names
 * in: dm/name of the devices in sysfs, the mount table, and no swap. Returns 0
 * or -ENOMEM. Write errors show in ferror().
 */
int past_names_pack(FILE *out, const char *text);

#endif
