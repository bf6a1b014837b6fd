/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads libraries that only some commands need. Linking them would make every
 * start slower.
 */
#ifndef BUFSTAT_LIBRARY_H
#define BUFSTAT_LIBRARY_H

#include <stddef.h>

struct error;

struct library_symbol {
	const char *name;
	void *place; /* the function pointer to fill in */
};

/*
 * Loads the library called @file and fills in the address of every symbol.
 * Returns 0 with *@handle for dlclose(), or -ENOENT. If the library cannot be
 * loaded, the text names @packages.
 */
int library_open(const char *file, const char *packages,
		 const struct library_symbol *symbols, size_t count,
		 void **handle, struct error *err);

#endif
