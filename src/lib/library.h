/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Libraries that only some commands need, loaded when one needs them: linking
 * them would make every start slower.
 */
#ifndef BUFSTAT_LIBRARY_H
#define BUFSTAT_LIBRARY_H

#include <stddef.h>

struct error;

struct library_symbol {
	const char *name;
	void *place; /* of a pointer to that function */
};

/*
 * Loads the library called @file and fills in every symbol's pointer. Returns
 * 0 and the handle for dlclose(), or -ENOENT with a text that names @packages.
 */
int library_open(const char *file, const char *packages,
		 const struct library_symbol *symbols, size_t count,
		 void **handle, struct error *err);

#endif
