/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes metrics as text for Prometheus, in one of its two formats. What could
 * not be written shows in ferror().
 *
 * A family is named, then come its samples: begin, labels, and a value that
 * ends it. One without samples leaves no trace in the text. Label values may
 * hold any bytes; what is not UTF-8 becomes U+FFFD, for a reader refuses the
 * whole text otherwise.
 */
#ifndef BUFSTAT_EXPOSITION_H
#define BUFSTAT_EXPOSITION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum exposition_format {
	/* OpenMetrics 1.0: units, a type for info metrics, an end marker. */
	EXPOSITION_OPENMETRICS,
	/* The Prometheus text format 0.0.4, all that the textfile collector of
	 * node_exporter reads: to it an info metric is a gauge. */
	EXPOSITION_PROMETHEUS,
};

enum metric_type {
	METRIC_GAUGE,
	METRIC_INFO, /* labels that belong to a value of 1 */
};

struct metric_family {
	const char *name; /* without the _info of METRIC_INFO */
	const char *unit; /* which the name ends with, or NULL */
	const char *help; /* no newline, backslash or quotation mark */
	enum metric_type type;
};

struct exposition {
	FILE *out;
	enum exposition_format format;
	bool is_terminal; /* then what would change it is shown as \xNN */
	const struct metric_family *family; /* the last one named */
	bool announced; /* the family has a sample already */
	bool labelled; /* the sample that is open has a label */
};

void exposition_init(struct exposition *exposition, FILE *out,
		     enum exposition_format format);
void exposition_finish(struct exposition *exposition);

/* What follows are samples of @family, which must outlive them. */
void exposition_family(struct exposition *exposition,
		       const struct metric_family *family);

void exposition_sample(struct exposition *exposition);
/* A label without a value, NULL or "", is one that is not there: left out. */
void exposition_label(struct exposition *exposition, const char *name,
		      const char *value);
void exposition_value(struct exposition *exposition, int64_t value);

#endif
