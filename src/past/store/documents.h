/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The documents of a recording that are no readings, described once. STORE_NAMES
 * is in names/recorded_names.h, because what was recorded is found by them.
 */
#ifndef BUFSTAT_DOCUMENTS_H
#define BUFSTAT_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fields/fields.h"
#include "trace/trace.h"

enum store_what {
	STORE_STARTED,
	STORE_RUNNING, /* what the recorder costs */
	STORE_STOPPED,
	STORE_FAILED, /* there is no reading */
	STORE_BEGUN_AGAIN,
	STORE_WRITER_DIED,
	STORE_TRACING,
	STORE_UNTRACED,
	STORE_WHATS
};

/* STORE_STATE. Strings that were read are owned; of a writer, they are not. */
struct store_state {
	enum store_what what;
	char *bufstat; /* its version, or NULL */
	unsigned int pid; /* or 0 */
	int64_t interval_ms; /* or 0 */
	bool has_cost; /* the next two, since the last one */
	uint64_t cpu_us; /* processor time */
	uint64_t over_ms; /* in so much time */
	bool has_resident;
	uint64_t resident_kib;
	bool has_disk; /* the next three */
	int disk_errno;
	bool disk_waits; /* what was to be synced is not yet */
	uint64_t lost_segments;
	bool has_dead; /* the next one */
	unsigned int dead_writers; /* that another one replaced */
	char *engine; /* that traces, or NULL */
	char *reason; /* or NULL */
};

/* A row of STORE_FILLED. */
struct store_fill {
	bool has_cache; /* else it is the sum of several caches */
	bool is_others; /* the sum of several commands */
	/* Its process is 0 if there were several. Ids of cgroups are not in it.
	 */
	struct trace_fill fill;
	bool has_error; /* its in_error and out_error */
	char *cgroup, *on_behalf_of; /* as the strings of store_state */
};

/* STORE_FILLED: who filled caches since the last one. */
struct store_filled {
	char engine[16];
	int64_t over_ms;
	int64_t sampled_ms; /* of these; 0: all was traced */
	uint64_t page_size; /* bytes */
	bool knows_how;
	uint64_t lost_events;
	uint64_t events;
	uint64_t cpu_us;
	struct store_fill *fills;
	size_t count;
};

/* What each command brought into each cache, for metrics; not recorded. */
struct store_totals {
	struct store_total {
		unsigned int major, minor;
		bool is_bdev;
		char command[TRACE_COMMAND]; /* "": the others */
		uint64_t bytes;
	} * rows;
	size_t count;
	uint64_t elsewhere_bytes; /* in caches that have no row of others */
	uint64_t lost_events;
};

extern const struct fields store_state_fields, store_filled_fields,
	store_totals_fields;

/*
 * Reads the document @text into an empty structure. Returns 0, or -EBADMSG or
 * -ENOMEM. The caller releases it with fields_release() in any case.
 */
int store_document_read(const char *text, const struct fields *fields,
			void *record);

/* Prints a document, one line. Write errors show in ferror(). */
void store_document_print(FILE *out, const struct fields *fields,
			  const void *record);

/* Writes documents into memory of fixed size. All zero is none. */
struct document_writer {
	FILE *stream;
	char buffer[4096]; /* of the stream */
	char *text;
};

/* Documents of less than @room bytes. Returns 0 or -ENOMEM. */
int document_writer_init(struct document_writer *writer, size_t room);
void document_writer_deinit(struct document_writer *writer);

/*
 * Returns the document on one line, without its end, and its size in bytes; or
 * NULL if it is too large. It is valid until the next one. Allocates nothing.
 */
const char *document_write(struct document_writer *writer,
			   const struct fields *fields, const void *record,
			   size_t *size);

#endif
