/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reading as JSON. -J prints its results. --save writes the same document
 * with the reading itself (saved.h) in it, for later comparisons. A capture has
 * only the reading.
 */
#ifndef BUFSTAT_READING_JSON_H
#define BUFSTAT_READING_JSON_H

#include <stdio.h>

struct column_choice;
struct error;
struct fields;
struct reading;

/* The document's. */
extern const struct fields reading_document;

/*
 * Prints the document, with @columns of the devices, with @compact on one line.
 * If no source could measure, source and devices are null. Returns 0 or
 * -ENOMEM; write errors show in ferror().
 */
int reading_json_print(FILE *out, const struct reading *reading,
		       const struct column_choice *columns, bool compact,
		       struct error *err);

/*
 * Writes the document with all columns and the reading to @path, as new_file.h
 * says. Returns 0 or a negative errno.
 */
int reading_json_save(const char *path, const struct reading *reading,
		      struct error *err);

/*
 * Prints only the reading, which needs no names. Write errors show in ferror().
 */
void reading_json_keep(FILE *out, const struct reading *reading);

/* A part of a reading, for a recording that takes each at times of its own. */
enum reading_part {
	READING_DEVICES, /* meminfo_kib and devices */
	READING_FILESYSTEMS,
	READING_MEMORY,
};

/*
 * Prints only a part of the reading, which has to be there, on one line. What
 * is in the other parts counts as not measured. Write errors show in ferror().
 */
void reading_json_record(FILE *out, const struct reading *reading,
			 enum reading_part part);

#endif
