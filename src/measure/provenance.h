/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every JSON document says about its origin, always with the same keys. */
#ifndef BUFSTAT_PROVENANCE_H
#define BUFSTAT_PROVENANCE_H

#include <stdbool.h>

#include "lib/utc.h"

/*
 * The version of all JSON that bufstat prints, tests/schema. It grows when a
 * key goes, or means something else; docs/stability.md says what may come
 * without that.
 */
enum { JSON_SCHEMA = 1 };

struct json_out;
struct saved;
struct sysroot;

struct provenance {
	char *kernel; /* its release, or NULL */
	char boot_id[40]; /* differs per host and boot; "" if not known */
	char taken_at[UTC_TEXT_SIZE]; /* "" if not known */
};

/* Returns 0 or -ENOMEM; the caller deinits in either case. */
int provenance_init(struct provenance *provenance, const struct sysroot *root);
/*
 * Reads what provenance_write() wrote. Returns 1, or a negative errno, -EBADMSG
 * if it is damaged. The caller deinits in either case.
 */
int provenance_read(struct provenance *provenance, const struct saved *saved);
/* Sets the release of a kernel that is not running. Returns 0 or -ENOMEM. */
int provenance_set_kernel(struct provenance *provenance, const char *release);
void provenance_deinit(struct provenance *provenance);

/*
 * Writes into the open object: bufstat (the version), schema, kernel,
 * boot_id, taken_at, source and complete. @source may be NULL.
 */
void provenance_write(struct json_out *json,
		      const struct provenance *provenance, const char *source,
		      bool complete);

#endif
