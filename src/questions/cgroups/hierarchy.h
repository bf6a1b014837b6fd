/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the cgroups of the memory controller are. Both versions may be mounted
 * at the same time, in any place; only one of them has the controller.
 */
#ifndef BUFSTAT_HIERARCHY_H
#define BUFSTAT_HIERARCHY_H

#include <limits.h>
#include <stdbool.h>

struct error;
struct sysroot;

enum cgroup_version {
	CGROUP_V1 = 1,
	CGROUP_V2,
};

struct hierarchy {
	enum cgroup_version version; /* that has the memory controller */
	char mount[PATH_MAX]; /* where it is mounted */
	bool is_from_root; /* "/" is mounted: of the host, or of a namespace */
	/*
	 * Where version 2 is mounted, which has the pressure of its cgroups
	 * whatever its controllers are; "": nowhere.
	 */
	char pressure[PATH_MAX];
};

/* The name of the filesystem: "cgroup" or "cgroup2". */
const char *hierarchy_name(const struct hierarchy *hierarchy);

/* Whether the topmost cgroup of a hierarchy mounted at @mount has the file. */
bool hierarchy_has(const struct sysroot *root, const char *mount,
		   const char *file);

/*
 * Returns 0 or a negative errno, with the class ERROR_UNUSABLE if no hierarchy
 * with the memory controller is mounted. @err may be NULL.
 */
int hierarchy_find(struct hierarchy *hierarchy, const struct sysroot *root,
		   struct error *err);

#endif
