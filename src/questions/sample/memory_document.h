/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A saved document of memory, to compare with. */
#ifndef BUFSTAT_MEMORY_DOCUMENT_H
#define BUFSTAT_MEMORY_DOCUMENT_H

struct error;
struct memory_heads;
struct sysroot;

/*
 * Reads the heads of a saved document. It has to be from the same boot as
 * @root. Returns 0 or a negative errno.
 */
int memory_document_read(struct memory_heads *heads, const char *path,
			 const struct sysroot *root, struct error *err);

#endif
