/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one form in which a reading is kept: the member "reading" of a JSON
 * document, tests/schema/reading.schema.json. --save and a capture hold it, and
 * --since and --capture read it. Beside it the document says when it was taken
 * and of which kernel (provenance.h), and may say more for other readers.
 */
#ifndef BUFSTAT_SAVED_H
#define BUFSTAT_SAVED_H

#include "lib/json_in.h"
#include "measure/snapshot.h"

struct error;
struct json_out;
struct measurement;
struct meminfo;
struct provenance;
struct sysroot;

/* In a captured tree. */
#define SAVED_PATH "/bufstat/reading.json"

/* A document that is being read; what opened it must outlive it. */
struct saved {
	struct json_in *document;
	struct json_value reading;
	const struct saved_in *in; /* what messages call it */
	const char *path; /* the caller's */
};

/*
 * Opens the reading of a captured tree. Returns 1, 0 if @root is the running
 * host or a tree without one, or a negative errno: -EPROTO if another version
 * of bufstat captured it, -EBADMSG if it is damaged. Closes in all cases but 1.
 */
int saved_open(struct saved *saved, const struct sysroot *root,
	       struct error *err);

/* The same for the file @path; returns 0 or a negative errno. */
int saved_open_file(struct saved *saved, const char *path, struct error *err);
void saved_close(struct saved *saved);

/* Fills @err with why @saved cannot be used; returns @ret, a negative errno. */
int saved_failed(const struct saved *saved, int ret, struct error *err);

/*
 * These return 1, 0 with the result unchanged if that was not measured, or a
 * negative errno, -EBADMSG if it is damaged.
 */
int saved_read_meminfo(struct json_value object, struct meminfo *meminfo);
/* Into an empty snapshot, which the caller deinits. */
int saved_read_snapshot(const struct saved *saved, struct snapshot *snapshot);
int saved_read_provenance(const struct saved *saved,
			  struct provenance *provenance);
/* "settled" and "page_size_bytes", which must be there. */
int saved_read_totals(struct json_value object, struct snapshot *snapshot);
/* Adds a row with its number, its figures up to @last, and why it has none. */
int saved_read_sample(struct json_value row, struct snapshot *snapshot,
		      enum figure last);

/* Opens the member "reading", the last one; the caller closes it. */
void saved_begin(struct json_out *json);
/* meminfo_kib and devices; null, as devices are that could not be measured. */
void saved_write_measurement(struct json_out *json,
			     const struct measurement *measurement);
/* What the functions above read, into the open object. */
void saved_write_meminfo(struct json_out *json, const struct meminfo *meminfo);
void saved_write_totals(struct json_out *json, const struct snapshot *snapshot);
void saved_write_sample(struct json_out *json, const struct sample *sample,
			enum figure last);

#endif
