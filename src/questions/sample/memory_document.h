/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON of memory, printed or saved, and a saved one to compare with. */
#ifndef BUFSTAT_MEMORY_DOCUMENT_H
#define BUFSTAT_MEMORY_DOCUMENT_H

#include <stdbool.h>
#include <stdio.h>

#include "memory/memory_rows.h"

struct error;
struct memory_heads;
struct sysroot;

struct memory_document {
	const struct memory_rows_of *of;
	const struct memory_rows *rows; /* of the view */
	enum memory_view view;
	bool complete;
	bool compact; /* printed on one line */
	const char *release; /* of the kernel in a dump, or NULL */
};

/* Write errors show in ferror(). */
void memory_document_print(FILE *out, const struct memory_document *document,
			   const struct sysroot *root);

/* Saves it to @path, with the reading. Returns 0 or a negative errno. */
int memory_document_save(const char *path,
			 const struct memory_document *document,
			 const struct sysroot *root, struct error *err);

/*
 * Reads the heads of a saved document. It has to be from the same boot as
 * @root. Returns 0 or a negative errno.
 */
int memory_document_read(struct memory_heads *heads, const char *path,
			 const struct sysroot *root, struct error *err);

#endif
