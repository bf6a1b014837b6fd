/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What gives memory back on this host: commands, what each would free and at
 * what cost. Reads nothing.
 */
#ifndef BUFSTAT_EXPLAIN_ADVICE_H
#define BUFSTAT_EXPLAIN_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explain/explain_holder.h"
#include "memory/give_back.h"

struct explain_facts;

struct explain_advice {
	const char *key; /* for JSON */
	char *command; /* for a shell, run by root */
	/*
	 * What it frees, at least and at most. For bufstat drop that is page
	 * cache; a little slab goes with it.
	 */
	int64_t low_bytes, high_bytes; /* -1: nobody counts it */
	char cost[192];
	char stays[160]; /* what does not go, and why; "" if nothing does */
	bool drops_all; /* drop_caches: of the whole host */
	bool is_of_next_limit; /* it frees what the next limit holds */
	bool is_of_holder; /* it frees what the first sentence is about */
};

/* The table of actions, a holder, a device, a filesystem and a cgroup. */
#define EXPLAIN_ADVICES_ROOM (GIVE_BACKS_ROOM + 4)

struct explain_advices {
	/*
	 * First that of the holder, of the next limit, and the narrow ones, and
	 * drop_caches last; among equals the one that gives back most. Their
	 * figures overlap.
	 */
	struct explain_advice items[EXPLAIN_ADVICES_ROOM];
	size_t count;
	struct explain_holder holder; /* what the first sentence is about */
	/* What frees less is left out, unless the next limit holds it. */
	int64_t least_bytes;
	/* The kernel counts what the actions on the whole host would free. */
	bool knows_host;
	/* What can go of all files' pages: those that nobody maps. */
	int64_t unmapped_bytes;
};

/*
 * Sets *@command to @before and the word, as a shell takes it; NULL if it
 * cannot be typed. The caller frees it. Returns 0 or -ENOMEM.
 */
int explain_command(char **command, const char *before, const char *word);

/* Returns 0 or -ENOMEM; the caller deinits @advices in either case. */
int explain_advices_init(struct explain_advices *advices,
			 const struct explain_facts *facts);
void explain_advices_deinit(struct explain_advices *advices);

#endif
