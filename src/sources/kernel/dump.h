/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a kernel's memory from a dump. A worker reads the file (dump_server.h),
 * and this program keeps the pages it got, because those of a dump never
 * change. A worker that stays behind on a sick disk is left there, and no later
 * run starts another (stuck.h).
 */
#ifndef BUFSTAT_DUMP_H
#define BUFSTAT_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/dump_server.h"
#include "kernel/kmem.h"
#include "kernel/pagetable.h"
#include "worker/frames.h"
#include "worker/stuck.h"

struct error;
struct patience;

/* Pages to keep, by the lowest bits of their numbers. */
#define DUMP_PAGES 128

/* A part of the dump, and how the worker answered when asked for it. */
struct dump_page {
	uint64_t address; /* physical */
	bool is_asked;
	struct frame answer;
	unsigned char bytes[DUMP_PAGE]; /* follows the head without a gap */
};

struct dump {
	pid_t pid; /* of the worker, or 0 */
	int socket; /* to it, or -1 */
	char object[STUCK_OBJECT]; /* what the worker may be stuck on */
	struct patience *patience; /* the caller's, or NULL */
	const char *lost; /* why nothing can be read any more, or NULL */
	bool is_over; /* nothing can be read any more: the time is over */
	char *vmcoreinfo; /* NUL-terminated */
	struct dump_page *pages; /* DUMP_PAGES of them, and one to spare */
	struct pagetable table;
	struct kmem kmem; /* reads this struct, which must not move */
};

/*
 * Opens the dump at @path, which must outlive @dump. Tells the user when that
 * or later reading takes long, and ends both when the time of @patience is
 * over; it may be NULL. Returns 0, -EOPNOTSUPP if the dump cannot be read here
 * (another processor, flattened, no VMCOREINFO, no library), -EBADMSG if it is
 * damaged, -ETIMEDOUT if the time is over, -EBUSY if its disk does not answer,
 * or another negative errno. The caller closes @dump in any case.
 */
int dump_open(struct dump *dump, const char *path, struct patience *patience,
	      struct error *err);
void dump_close(struct dump *dump);

#endif
