/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of processes, from the records that the kernel writes when a
 * process starts or becomes another program: it may have ended when it is asked
 * about. Keeps those of the last processes only.
 */
#ifndef BUFSTAT_PROCESS_NAMES_H
#define BUFSTAT_PROCESS_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

#define PROCESS_NAMES 4096

struct process_names {
	struct process_name {
		uint32_t process;
		bool has_ended;
		char command[TRACE_COMMAND];
	} names[PROCESS_NAMES];
};

struct perf_event_header;

/*
 * Takes a record if it is PERF_RECORD_COMM, PERF_RECORD_FORK or
 * PERF_RECORD_EXIT. Those of different processors may come out of order.
 */
void process_names_take(struct process_names *names,
			const struct perf_event_header *record);

/*
 * Sets @command if the name is known, from a record or from /proc. Else leaves
 * it.
 */
void process_names_find(const struct process_names *names, uint32_t process,
			char command[TRACE_COMMAND]);

#endif
