/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For whom the kernel took pages from others: which cgroup brought in how much,
 * and what its victims lost.
 */
#ifndef BUFSTAT_CULPRITS_H
#define BUFSTAT_CULPRITS_H

#include <stdint.h>
#include <stdio.h>

#include "fields/fields.h"
#include "lib/number.h"
#include "who/victims.h"

struct trace_totals;
struct who_rows;

/* What the processes of a cgroup brought in. */
struct culprit {
	uint64_t cgroup; /* id in version 2 */
	const char *name; /* or NULL */
	uint64_t pages;
	uint64_t most_pages; /* of these, from one cache */
	const char *from; /* that cache */
};

struct culprits {
	struct culprit *list; /* most pages first */
	size_t count;
};

/*
 * Adds @totals up by cgroup, and sets the culprit of each loss: whoever
 * reclaimed, or if threads of the kernel did that, whoever brought in most;
 * NULL if that one brought in less than half of the loss, because then the
 * memory was for something other than files. The caches of @rows are those of
 * @totals. All arguments must outlive @culprits. Returns 0 or -ENOMEM; the
 * caller deinits in either case.
 */
int culprits_init(struct culprits *culprits, struct losses *losses,
		  const struct trace_totals *totals,
		  const struct who_rows *rows,
		  const struct cgroup_ids *cgroups);
void culprits_deinit(struct culprits *culprits);

/*
 * Prints a sentence on each of those that lost most; nothing if none did.
 * Returns 0 or -ENOMEM.
 */
int culprits_print(FILE *stream, const struct losses *losses,
		   struct size_unit unit);

/* Of struct loss. */
extern const struct fields loss_fields;

#endif
