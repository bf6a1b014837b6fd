/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cgroups in the reading of a capture (measure/saved.h). */
#ifndef BUFSTAT_CGROUPS_SAVED_H
#define BUFSTAT_CGROUPS_SAVED_H

#include "cgroups/cgroups.h"

struct error;
struct fields;
struct json_out;
struct sysroot;

/*
 * Writes the first 20,000 cgroups as the member "cgroups" of the open object;
 * the others count as unread.
 */
void cgroups_saved_write(struct json_out *json, const struct cgroups *cgroups);

/*
 * Reads them into empty @cgroups. Returns 1; 0 if @root is no capture, or one
 * without them; -EBADMSG if they cannot be those of a host; or another negative
 * errno. The caller deinits @cgroups in any case.
 */
int cgroups_saved_read(struct cgroups *cgroups, const struct sysroot *root,
		       struct error *err);

/* Of the object "cgroups". */
extern const struct fields cgroups_fields;

#endif
