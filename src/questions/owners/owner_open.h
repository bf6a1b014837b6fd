/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What owner_open.c finds in one pass, for the lists of owner_open_lists.c. */
#ifndef BUFSTAT_OWNER_OPEN_H
#define BUFSTAT_OWNER_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "owners/owner_lists.h"

struct all_mounts;
struct memory_owners;
struct sysroot;

/*
 * The first two are files; from BPF_PIN on, maps have no process; from TCP on,
 * all of a process are one owner.
 */
enum nameless_kind {
	DELETED,
	MEMFD,
	BPF_MAP,
	BPF_PER_CPU,
	BPF_PIN,
	BPF_PIN_PER_CPU,
	BPF_OTHER,
	BPF_OTHER_PER_CPU,
	TCP,
	UDP,
	PIPE,
	UNIX_SOCKET,
	MAPPED, /* and what of it; it ends the list */
	KINDS = MAPPED + OWNER_MAPS
};

struct nameless {
	enum nameless_kind kind;
	uint64_t ino; /* or the number of a map; on a device only if a file */
	dev_t device;
	int64_t bytes;
	unsigned int pid; /* one that has it open */
	int fd; /* its number there */
	char *name; /* owned */
};

/* One pass over /proc/PID/fd, for all lists. */
struct nameless_pass {
	const struct sysroot *root;
	struct memory_owner_list *lists[KINDS]; /* NULL: it was not asked for */
	const struct all_mounts *mounts; /* for DELETED */
	struct nameless *files;
	size_t count, capacity;
	dev_t memfds; /* the device of memfds in small pages */
	struct owner_sockets sockets;
	struct owner_queue *queues; /* that were not asked yet */
	size_t queue_count, queue_capacity;
	int queues_failed; /* a negative errno: none can be asked; or 0 */
	int pins_failed; /* the same, of some of them */
	char others_failed[256]; /* why other maps could not be read, or "" */
	struct owner_mapper *mappers; /* the last one may be of this process */
	size_t mapper_count, mapper_capacity;
	uint32_t *maps; /* the numbers of those that are open */
	size_t map_count, map_capacity;
	unsigned int processors; /* there may be so many */
	size_t unread;
	size_t unasked[KINDS]; /* besides them */
};

/* Sets the lists that were asked for. Returns whether there is any. */
bool nameless_choose_lists(struct nameless_pass *pass,
			   struct memory_owners *owners);

/*
 * Fills the list of @kind with what was found, sorted by kind, file and
 * process. Returns 0 or -ENOMEM.
 */
int nameless_finish(struct memory_owners *owners, struct nameless_pass *pass,
		    enum nameless_kind kind);

#endif
