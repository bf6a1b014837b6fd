/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the dumps that makedumpfile compresses, with libkdumpfile in a process
 * of its own (kdump_server.h).
 */
#ifndef BUFSTAT_KDUMPFILE_H
#define BUFSTAT_KDUMPFILE_H

#include <sys/types.h>

#include "kernel/kmem.h"

struct error;

struct kdumpfile {
	pid_t pid; /* of that process, or 0 */
	int socket; /* to it */
	char *vmcoreinfo; /* NUL-terminated, or NULL */
	struct physmem physical; /* reads this struct, which must not move */
	const char *lost; /* why nothing can be read any more, or NULL */
};

/*
 * Opens the dump in @fd. Returns 0, -EOPNOTSUPP without the library, -EBADMSG
 * if the library does not understand the dump, crashes on it or does not
 * finish, or another negative errno. The caller deinits @dump in any case.
 */
int kdumpfile_init(struct kdumpfile *dump, int fd, struct error *err);
void kdumpfile_deinit(struct kdumpfile *dump);

#endif
