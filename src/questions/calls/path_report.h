/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer of bufstat path, as text for people and as JSON. */
#ifndef BUFSTAT_PATH_REPORT_H
#define BUFSTAT_PATH_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct fields;
struct path_names;
struct path_tree;
struct sysroot;

struct path_report {
	const struct path_tree *tree;
	const struct path_names *names;
	bool full; /* every call, however short */
	bool has_instance; /* ftrace recorded in an instance of its own */
	uint64_t began_ns; /* CLOCK_MONOTONIC */
	int64_t took_ns; /* how long was recorded */
	uint64_t lost_records;
	bool is_disturbed; /* somebody else changed settings meanwhile */
	double record_ns; /* what a record costs; 0: not known */
	uint64_t records;
};

/* Prints to @out. Returns 0 or a negative errno. */
int path_report_print(FILE *out, const struct path_report *report);

/* Writes a document to stdout. Returns 0 or -ENOMEM. */
int path_report_write(const struct path_report *report,
		      const struct sysroot *root);

extern const struct fields path_document;

#endif
