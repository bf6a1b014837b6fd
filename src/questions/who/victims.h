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

#include "cgroups/hierarchy.h"
#include "who/cgroup_ids.h"

struct culprit;
struct sysroot;
struct trace_totals;

/* All cgroups that have lost pages since the beginning. */
struct victims {
	enum cgroup_version version; /* of the memory controller */
	struct cgroup_ids ids; /* in its hierarchy */
	struct victim {
		uint64_t cgroup; /* id */
		bool has_refaults;
		bool is_new; /* since the last victims_learn() */
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

/* Who took pages of a cgroup, because memory was short. */
struct taker {
	uint64_t cgroup; /* id, or 0: threads of the kernel */
	const char *name; /* of the cgroup, or NULL; owned by the victims */
	uint64_t pages;
	uint64_t limit_pages; /* of these, because a cgroup was at its limit */
};

struct loss {
	uint64_t cgroup; /* id */
	const char *name; /* owned by the victims, or NULL: it has gone */
	uint64_t pages; /* that reclaim took */
	uint64_t limit_pages; /* of these, because a cgroup was at its limit */
	struct taker *takers; /* most pages first */
	size_t taker_count;
	bool has_refaults; /* else it was first seen to lose only now */
	uint64_t refaulted_pages; /* since it was first seen to lose */
	bool at_least; /* the kernel has forgotten some that it evicted */
	/* Set by culprits_init(): for whom most was taken; NULL: see there. */
	const struct culprit *culprit;
};

struct losses {
	struct loss *losses; /* most pages first */
	size_t count;
	/* For victims.c only: the takers of all. */
	struct taker *takers;
};

/*
 * What the cgroups lost in @totals. @victims has learned them, and must outlive
 * @losses. Returns 0 or -ENOMEM; the caller deinits in either case.
 */
int losses_init(struct losses *losses, const struct victims *victims,
		const struct trace_totals *totals);
void losses_deinit(struct losses *losses);

#endif
