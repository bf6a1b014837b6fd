/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every JSON document says of itself, with the same keys. */
#ifndef BUFSTAT_PROVENANCE_H
#define BUFSTAT_PROVENANCE_H

#include <stdbool.h>

struct json_out;
struct sysroot;

struct provenance {
	char *kernel; /* its release, or NULL */
	char boot_id[40]; /* another on every host, and at every boot; or "" */
	char taken_at[32]; /* RFC 3339, UTC; "": not known */
};

/* Returns 0 or -ENOMEM; the caller deinits it in either case. */
int provenance_init(struct provenance *provenance, const struct sysroot *root);
/* Another kernel than the running one. Returns 0 or -ENOMEM. */
int provenance_set_kernel(struct provenance *provenance, const char *release);
void provenance_deinit(struct provenance *provenance);

/*
 * Writes into the open object: bufstat (version), kernel, boot_id, taken_at,
 * source, which may be NULL, and complete.
 */
void provenance_write(struct json_out *json,
		      const struct provenance *provenance, const char *source,
		      bool complete);

#endif
