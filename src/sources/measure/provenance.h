/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every JSON document says about its origin, always with the same keys. */
#ifndef BUFSTAT_PROVENANCE_H
#define BUFSTAT_PROVENANCE_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/utc.h"

/*
 * The version of all JSON that bufstat prints, tests/schema. It grows when a
 * key goes, or means something else; docs/stability.md says what may come
 * without that.
 */
enum { JSON_SCHEMA = 1 };

struct fields;
struct json_out;
struct saved;
struct sysroot;

struct provenance {
	char kernel[256]; /* its release; "" if not known */
	char boot_id[40]; /* differs per host and boot; "" if not known */
	char taken_at[UTC_TEXT_SIZE]; /* "" if not known */
};

/*
 * @kernel is the release of one that is not running, in a dump; NULL: the
 * host's own.
 */
struct provenance provenance_of(const struct sysroot *root, const char *kernel);
/*
 * Reads what provenance_write() wrote into an empty structure. Returns 0, or a
 * negative errno, -EBADMSG if it is damaged.
 */
int provenance_read(struct provenance *provenance, const struct saved *saved);

/*
 * Writes into the open object: bufstat (the version), schema, kernel,
 * boot_id, taken_at, source and complete. @source may be NULL.
 */
void provenance_write(struct json_out *json,
		      const struct provenance *provenance, const char *source,
		      bool complete);

/* Opens an object, a document on @out, that begins with these. */
void document_begin(struct json_out *json, FILE *out, bool compact,
		    const struct provenance *provenance, const char *source,
		    bool complete);
void document_end(struct json_out *json);

/* As provenance_write() writes it. */
extern const struct fields provenance_fields;

#endif
