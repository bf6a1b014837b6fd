/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the dumps that makedumpfile compresses, with libkdumpfile. The library
 * trusts what a dump says: a damaged one makes it crash (0.5.1 in kdump_free()
 * after every open that fails), use unlimited memory or run forever. So call it
 * only in a process of its own (dump_server.h). kdumpfile.c declares the few
 * functions that it uses, because not every distribution has the library.
 */
#ifndef BUFSTAT_KDUMPFILE_H
#define BUFSTAT_KDUMPFILE_H

#include "kernel/kmem.h"

struct error;

struct kdumpfile {
	void *handle; /* of the loaded library */
	void *context;
	char *vmcoreinfo; /* NUL-terminated, or NULL */
	void *pages; /* the library's bitmap of those in the dump, or NULL */
	uint64_t page_size; /* bytes; only with @pages */
	struct physmem physical; /* reads this struct, which must not move */
	/* The library's functions. */
	void *(*create)(void);
	int (*open)(void *context, unsigned int count, const int *fds);
	int (*set)(void *context, const char *key, const void *value);
	int (*get_attribute)(void *context, const char *key, void *value);
	int (*find_clear)(void *bitmap, uint64_t *index);
	int (*get)(void *context, int space, uint64_t address, void *buffer,
		   size_t *length);
	int (*get_vmcoreinfo)(void *context, char **text);
	const char *(*get_error)(void *context);
};

/*
 * Opens the dump in @fd. Returns 0, -EOPNOTSUPP without the library, -EBADMSG
 * if the library does not understand the dump, or another negative errno. There
 * is no deinit: the library may crash in it, and the process is about to end.
 */
int kdumpfile_init(struct kdumpfile *dump, int fd, struct error *err);

#endif
