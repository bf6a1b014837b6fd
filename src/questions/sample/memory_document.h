/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The document of memory, saved, and a saved one to compare with. */
#ifndef BUFSTAT_MEMORY_DOCUMENT_H
#define BUFSTAT_MEMORY_DOCUMENT_H

struct document;
struct error;
struct heads_answer;
struct memory_heads;
struct sysroot;

/*
 * Saves a document, of memory_document, to @path, with the reading of @answer.
 * Returns 0 or a negative errno.
 */
int memory_document_save(const char *path, const struct document *document,
			 const struct heads_answer *answer, struct error *err);

/*
 * Reads the heads of a saved document. It has to be from the same boot as
 * @root. Returns 0 or a negative errno.
 */
int memory_document_read(struct memory_heads *heads, const char *path,
			 const struct sysroot *root, struct error *err);

#endif
