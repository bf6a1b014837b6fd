/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libkdumpfile, which reads the dumps that makedumpfile compresses. Its few
 * functions are declared in kdumpfile.c, for the library is not in every
 * distribution.
 */
#ifndef BUFSTAT_KDUMPFILE_H
#define BUFSTAT_KDUMPFILE_H

#include "physmem.h"

struct error;
struct kdumpfile_library;

struct kdumpfile {
	struct kdumpfile_library *library;
	void *context;
	char *vmcoreinfo; /* NUL-terminated, or NULL */
	struct physmem physical; /* reads this dump */
};

/*
 * Opens the dump in @fd, which must stay open. Returns 0, -EOPNOTSUPP without
 * the library, or -EBADMSG for what it does not understand; the caller deinits
 * @dump in either case.
 */
int kdumpfile_init(struct kdumpfile *dump, int fd, struct error *err);
void kdumpfile_deinit(struct kdumpfile *dump);

#endif
