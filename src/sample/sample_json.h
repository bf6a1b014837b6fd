/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sample as JSON: what -J prints and --save keeps, one document for both, so
 * that whatever was printed can be compared with later.
 */
#ifndef BUFSTAT_SAMPLE_JSON_H
#define BUFSTAT_SAMPLE_JSON_H

#include <stdbool.h>
#include <stdio.h>

struct column_choice;
struct error;
struct filesystems;
struct history;
struct measurement;
struct sysroot;

struct sample_json {
	const struct sysroot *root;
	const struct measurement *measurement;
	const struct history *history; /* or NULL */
	const struct column_choice *columns; /* of the devices */
	const struct column *sort; /* or NULL: most pages first */
	bool all_devices; /* also those without pages */
	bool has_cached; /* a member for what Cached is made of */
	const struct filesystems *filesystems; /* that, or NULL: not known */
};

/*
 * Prints the document. Where no source could measure, source and devices are
 * null. Returns 0 or -ENOMEM; what could not be written shows in ferror().
 */
int sample_json_print(FILE *out, const struct sample_json *sample,
		      struct error *err);

/*
 * Writes the document with all columns to @path: to a new file beside it, which
 * then takes its place, so that a failure leaves what was there. Returns 0 or a
 * negative errno.
 */
int sample_json_save(const char *path, const struct sample_json *sample,
		     struct error *err);

#endif
