/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads libraries that only some commands need. Linking them would make every
 * start slower.
 */
#ifndef BUFSTAT_LIBRARY_H
#define BUFSTAT_LIBRARY_H

#include <stddef.h>

struct error;

/* library.c has their files and packages. No other library is loaded. */
enum library_id {
	LIBRARY_BLKID,
	LIBRARY_BPF,
	LIBRARY_EXT2FS,
	LIBRARY_KDUMPFILE,
	LIBRARY_KMOD,
	LIBRARY_NCURSESW,
	LIBRARY_SMARTCOLS,
	LIBRARY_TRACEEVENT,
	LIBRARY_COUNT
};

struct library_symbol {
	const char *name;
	void *place; /* the function pointer to fill in */
};

/*
 * Loads the library and fills in the address of every symbol. Returns 0 with
 * *@handle for dlclose(), or -ENOENT. If the library cannot be loaded, the text
 * names its packages, those of Debian and those of Fedora.
 */
int library_open(enum library_id id, const struct library_symbol *symbols,
		 size_t count, void **handle, struct error *err);

#endif
