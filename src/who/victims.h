/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cgroups whose page cache reclaim took, and how much of it they have read
 * again since.
 */
#ifndef BUFSTAT_VICTIMS_H
#define BUFSTAT_VICTIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cgroups/hierarchy.h"
#include "lib/number.h"
#include "who/cgroup_ids.h"

struct json_out;
struct sysroot;
struct trace_totals;

/* All cgroups that have lost pages since the beginning. */
struct victims {
	enum cgroup_version version; /* of the memory controller */
	struct cgroup_ids ids; /* in its hierarchy */
	struct victim {
		uint64_t cgroup; /* id */
		bool has_refaults;
		uint64_t refaults; /* pages, when it was first seen to lose */
	} * victims;
	size_t count;
	size_t capacity;
};

/*
 * Without the memory controller no cgroup has a name. Returns 0 or -ENOMEM; the
 * caller deinits in either case.
 */
int victims_init(struct victims *victims, const struct sysroot *root);
void victims_deinit(struct victims *victims);

/* Looks up those that are new in @totals. Returns 0 or -ENOMEM. */
int victims_learn(struct victims *victims, const struct trace_totals *totals);

struct losses {
	struct loss {
		const char
			*name; /* owned by the victims, or NULL: it has gone */
		uint64_t pages; /* that reclaim took */
		bool has_refaults;
		uint64_t refaulted_pages; /* since it was first seen to lose */
	} * losses; /* most pages first */
	size_t count;
};

/*
 * What the cgroups lost in @totals. @victims has learned them, and must outlive
 * @losses. Returns 0 or -ENOMEM; the caller deinits in either case.
 */
int losses_init(struct losses *losses, const struct victims *victims,
		const struct trace_totals *totals);
void losses_deinit(struct losses *losses);

/* Prints a line for each of those that lost most; nothing if none did. */
void losses_print(FILE *out, const struct losses *losses,
		  struct size_unit unit);

/* Writes the member "evicted", which is null if it is not @known. */
void losses_write(struct json_out *json, const struct losses *losses,
		  bool known);

#endif
