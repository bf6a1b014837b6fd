/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two tracepoints of the page cache write into a perf buffer. */
#ifndef BUFSTAT_PERF_RECORD_H
#define BUFSTAT_PERF_RECORD_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct perf_event_header;
struct sysroot;

/* Where a field is in a record of a tracepoint; no bytes: it is not there. */
struct record_field {
	unsigned int offset; /* bytes */
	unsigned int size; /* bytes */
};

/* Kernels differ in the order of the fields, and 5.10 has no order of pages. */
struct record_layout {
	uint64_t add, remove; /* the tracepoints' numbers */
	struct record_field inode;
	struct record_field device;
	struct record_field order;
};

/* A page or more that came in or went out. */
struct record {
	uint32_t process;
	bool comes_in;
	uint64_t inode;
	uint32_t device; /* as in the kernel: major << 20 | minor */
	uint64_t pages;
};

/*
 * Reads the layout from tracefs. Returns as tracefs_read(), or -EOPNOTSUPP if a
 * field is missing.
 */
int record_layout_init(struct record_layout *layout, const struct sysroot *root,
		       struct error *err);

/* Reads a sample. Returns false if it is not of the tracepoints. */
bool record_read(const struct record_layout *layout,
		 const struct perf_event_header *sample, struct record *record);

#endif
