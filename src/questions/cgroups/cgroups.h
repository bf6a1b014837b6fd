/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All cgroups of the memory controller, as a tree in an array. */
#ifndef BUFSTAT_CGROUPS_H
#define BUFSTAT_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "cgroups/cgroup_files.h"
#include "cgroups/hierarchy.h"

struct error;
struct sysroot;

/* The parent of the root. */
#define CGROUP_NONE SIZE_MAX

struct cgroup {
	char *path; /* below the mount; "/" for the root */
	const char *name; /* its last component, in path; "/" for the root */
	char *container; /* "docker:0123456789ab", or NULL (container.h) */
	size_t parent; /* its index, which is smaller; or CGROUP_NONE */
	bool is_read; /* false: it could not be read, or not in time */
	bool has_children; /* with figures of their own */
	struct cgroup_figures figures;
	/* Of CGROUP_CURRENT: in no child, that is, its own or of dead ones. */
	bool has_own;
	uint64_t own_bytes;
};

struct cgroups {
	struct hierarchy hierarchy;
	/* The largest first among the children of each, and each before its
	 * children: the order of a tree. */
	struct cgroup *cgroups;
	size_t count;
	size_t unread; /* their figures could not be read */
	int error; /* errno of the last of them */
	bool is_cut_short; /* the user's time was over: there may be more */
	/* Those below the cgroup at @exceeded, or a part of it, have so much
	 * more than it, beyond what changes between two reads; 0: no
	 * contradiction. */
	size_t exceeded;
	uint64_t excess_bytes;
	/*
	 * The kernel can be told to reclaim from each (memory.reclaim, version
	 * 2 of cgroups since Linux 5.19).
	 */
	bool can_reclaim;
	/* Of a capture: 1 + the index of the one that it was made in, or 0. */
	size_t own;
};

/*
 * Finds the hierarchy and reads the figures of every cgroup, until the time of
 * the sysroot's patience is over. A cgroup that goes away meanwhile is left
 * out. Returns 0 or a negative errno, with the class ERROR_UNUSABLE if there is
 * nothing to read; the caller deinits @cgroups in either case.
 */
int cgroups_read(struct cgroups *cgroups, const struct sysroot *root,
		 struct error *err);
void cgroups_deinit(struct cgroups *cgroups);

/* Whether nothing is missing. */
bool cgroups_are_whole(const struct cgroups *cgroups);

/*
 * Whether what is charged below the cgroup at @index is charged to it too, and
 * held by its limits. Without memory.use_hierarchy of version 1 it is not.
 */
bool cgroups_holds(const struct cgroups *cgroups, size_t index);

/* Whether the cgroup at @index is @above or below it. */
bool cgroups_is_below(const struct cgroups *cgroups, size_t index,
		      size_t above);

/* Sets the one that this process is in, if it is known. Returns 0 or -ENOMEM. */
int cgroups_find_own(struct cgroups *cgroups, const struct sysroot *root);

/*
 * The cgroup with most of a figure among those without children, which may have
 * processes; or NULL. The root is none of them.
 */
const struct cgroup *cgroups_largest(const struct cgroups *cgroups,
				     enum cgroup_figure figure);

#endif
