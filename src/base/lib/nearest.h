/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the name that was probably meant by a word that is not one. */
#ifndef BUFSTAT_NEAREST_H
#define BUFSTAT_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word; /* need not end with a NUL */
	size_t length;
	const char *name; /* the best so far, or NULL */
	unsigned int distance;
};

/*
 * Only names count that differ from the word in at most a third of its letters,
 * rounded up: inserted, deleted, replaced or swapped with their neighbour. Case
 * does not matter.
 */
void nearest_init(struct nearest *nearest, const char *word, size_t length);
void nearest_try(struct nearest *nearest, const char *name);

#endif
