/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the name that was probably meant by a word that is none. */
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
 * Only names count that are at most a third of the word away: in letters put
 * in, taken out, exchanged or swapped with their neighbour, whatever their case.
 */
void nearest_init(struct nearest *nearest, const char *word, size_t length);
void nearest_try(struct nearest *nearest, const char *name);

#endif
