/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What could be given back, action by action, and what each costs. The actions
 * overlap, so their figures are not to be added up.
 */
#ifndef BUFSTAT_GIVE_BACK_H
#define BUFSTAT_GIVE_BACK_H

#include <stddef.h>
#include <stdint.h>

#include "memory/memory_reading.h"

struct memory_heads;

/* Those of drop_caches first. */
enum give_back_id {
	GIVE_BACK_DROP_1,
	GIVE_BACK_SYNC_DROP_1,
	GIVE_BACK_DROP_2,
	GIVE_BACK_SHRINK_ZFS,
	GIVE_BACK_LOWER_RESERVE,
	GIVE_BACK_SHRINK_POOL,
	GIVE_BACK_SWAP,
};

/* For JSON. */
const char *give_back_key(enum give_back_id id);

/* One action. */
struct give_back {
	enum give_back_id id;
	char action[48]; /* in short */
	char command[96]; /* that does it; "": only the kernel can */
	int64_t low; /* pages that it frees, at least */
	int64_t high; /* at most; -1: nobody counts what it frees */
	char cost[192];
	char holds[160]; /* what of it stays, and why; "" if nothing does */
};

#define GIVE_BACKS_ROOM (9 + MEMORY_POOLS_ROOM)

struct give_backs {
	struct give_back actions[GIVE_BACKS_ROOM];
	size_t count;
};

/* Makes the table of a reading and its heads. Reads nothing. */
void give_backs_init(struct give_backs *table,
		     const struct memory_reading *reading,
		     const struct memory_heads *heads);

/* What ZFS gives back of its cache, in pages, at most. */
int64_t give_back_of_zfs(const struct memory_reading *reading);

/* The same of the pools of GPU drivers. */
int64_t give_back_of_gpu(const struct memory_heads *heads,
			 const struct memory_reading *reading);

/* Sets what is reclaimable of each head, and what is kept of all. */
void give_back_of_heads(struct memory_heads *heads,
			const struct memory_reading *reading);

#endif
