/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes metrics as text for Prometheus, in one of its two formats. Write
 * errors show in ferror().
 *
 * Begin a family, then write its samples: begin one, add its labels, and end it
 * with its value. A family without samples writes nothing. Label values may
 * hold any bytes; what is not UTF-8 becomes U+FFFD, because a reader would
 * refuse the whole text.
 */
#ifndef BUFSTAT_EXPOSITION_H
#define BUFSTAT_EXPOSITION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum exposition_format {
	/* OpenMetrics 1.0: units, a type for info metrics, an end marker. */
	EXPOSITION_OPENMETRICS,
	/* The Prometheus text format 0.0.4, the only one that the textfile
	 * collector of node_exporter reads. Its info metrics are gauges. */
	EXPOSITION_PROMETHEUS,
};

enum metric_type {
	METRIC_GAUGE,
	METRIC_INFO, /* labels, with a value of 1 */
	METRIC_COUNTER, /* never gets less, unless it begins again at 0 */
};

struct metric_family {
	const char *name; /* without _info or _total, by its type */
	const char *unit; /* the end of the name, or NULL */
	const char *help; /* no newline, backslash or quotation mark */
	enum metric_type type;
};

struct exposition {
	FILE *out;
	enum exposition_format format;
	bool is_terminal; /* escape unprintable text as \xNN */
	const struct metric_family *family; /* the last one named */
	bool announced; /* the family has a sample already */
	bool labelled; /* the current sample has a label */
};

void exposition_init(struct exposition *exposition, FILE *out,
		     enum exposition_format format, bool is_terminal);
void exposition_finish(struct exposition *exposition);

/* Begins a family. @family must outlive its samples. */
void exposition_family(struct exposition *exposition,
		       const struct metric_family *family);

void exposition_sample(struct exposition *exposition);
/* Leaves out a label whose value is NULL or "". */
void exposition_label(struct exposition *exposition, const char *name,
		      const char *value);
void exposition_value(struct exposition *exposition, int64_t value);

#endif
