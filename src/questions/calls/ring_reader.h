/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the pages of ftrace's ring buffers, as per_cpu/cpuN/trace_pipe_raw has
 * them. Kernels differ in what is where in a record; the files "format" say it.
 */
#ifndef BUFSTAT_RING_READER_H
#define BUFSTAT_RING_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "calls/libtraceevent.h"
#include "calls/step.h"

struct error;

#define RING_FIELDS 4

/* Where a field is in a record; no bytes: this kernel does not have it. */
struct ring_field {
	unsigned int offset; /* bytes */
	unsigned int size; /* bytes */
};

struct ring_reader {
	struct libtraceevent library;
	struct tep_handle *tep;
	struct kbuffer *buffer;
	struct ring_format {
		int id; /* of the event; 0: not in this kernel */
		struct ring_field flags, thread;
		struct ring_field fields[RING_FIELDS];
	} formats[STEP_KINDS];
	uint64_t lost; /* records, as far as the pages say */
};

/*
 * The directory of the event in "events", which STEP_SYSCALL and so on are read
 * from, and whether every kernel has it.
 */
const char *ring_event(enum step_kind kind);
bool ring_event_is_needed(enum step_kind kind);

/*
 * Loads the library and reads the formats in @tracing, a directory of tracefs.
 * Returns 0; -EOPNOTSUPP with the reason and the remedy if the library or a
 * format that is needed is missing; or another negative errno. The caller
 * deinits @reader in either case.
 */
int ring_reader_init(struct ring_reader *reader, int tracing,
		     struct error *err);
void ring_reader_deinit(struct ring_reader *reader);

/* Calls @take for each step in @page of @processor, in the order of time. */
void ring_reader_take(struct ring_reader *reader, uint32_t processor,
		      void *page,
		      void (*take)(void *data, const struct step *step),
		      void *data);

#endif
