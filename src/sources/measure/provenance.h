/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every JSON document says about its origin, always with the same keys. */
#ifndef BUFSTAT_PROVENANCE_H
#define BUFSTAT_PROVENANCE_H

#include <stdbool.h>
#include <stdio.h>

#include "fields/fields.h"
#include "lib/utc.h"
#include "table/column.h"

/*
 * The version of all JSON that bufstat prints. It grows when a key goes, or
 * means something else; docs/stability.md says what may come without that.
 */
enum { JSON_SCHEMA = 1 };

struct error;
struct json_out;
struct saved;
struct sysroot;

/* Writes a reading into the open object. */
typedef void document_write_fn(struct json_out *json, const void *reading);

struct provenance {
	char kernel[256]; /* its release; "" if not known */
	char boot_id[40]; /* differs per host and boot; "" if not known */
	char taken_at[UTC_TEXT_SIZE]; /* "" if not known */
};

/* What every document begins with. */
struct document_head {
	struct provenance provenance;
	const char *source; /* NULL: none, or not one alone */
	bool is_whole;
};

/* A document that is an answer with rows; a part of it may be empty. */
struct document {
	/*
	 * With a root, its provenance is looked up when it is printed: a table
	 * needs none. @kernel is as for provenance_of().
	 */
	struct document_head head;
	const struct sysroot *root; /* or NULL */
	const char *kernel;
	const void *answer;
	struct table_rows rows;
	const struct column_choice *columns;
	const struct fields *fields; /* NULL: the usual ones of its command */
};

/* Members of such a document: @fields are of its answer. */
#define DOCUMENT_HEAD FIELD_MADE_PART(&document_head_fields, document_make_head)
#define DOCUMENT_ANSWER(fields) FIELD_POINTED(struct document, answer, fields)
#define DOCUMENT_ROWS(key, set)                                                \
	FIELD_ROWS(struct document, rows, columns, key, set)

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

/* Prints a document, of @fields. @compact: on a line of its own. */
void document_print(FILE *out, bool compact, const struct fields *fields,
		    const void *document);

/*
 * Writes a document to @path (new_file.h), for --save: with a reading, too,
 * which @write adds of @reading. Returns 0 or a negative errno.
 */
int document_save(const char *path, const struct fields *fields,
		  const struct document *document, document_write_fn *write,
		  const void *reading, struct error *err);

extern const struct fields provenance_fields;
extern const struct fields document_head_fields;

/* Makes the head of a struct document, for DOCUMENT_HEAD. */
bool document_make_head(const void *document, size_t which, void *head);
/* The first of these, of any structure: "bufstat" and "schema". */
extern const struct fields document_version_fields;

#endif
