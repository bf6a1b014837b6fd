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
	CGROUP_V1,
	CGROUP_V2,
};

/* Why there is none with the memory controller. */
enum hierarchy_lack {
	HIERARCHY_LACKS_NOTHING,
	HIERARCHY_UNREADABLE, /* one that may be it; the errno says more */
	HIERARCHY_NOT_CAPTURED, /* it is mounted, and the tree has none of it */
	HIERARCHY_NOT_ENABLED, /* version 2 is mounted without it */
	HIERARCHY_NOT_MOUNTED,
	HIERARCHY_LACKS,
};

struct hierarchy {
	enum hierarchy_lack lack;
	enum cgroup_version version; /* that has the memory controller */
	char mount[PATH_MAX]; /* where it is mounted */
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
 * with the memory controller is mounted, and the reason in @hierarchy->lack.
 * @err may be NULL.
 */
int hierarchy_find(struct hierarchy *hierarchy, const struct sysroot *root,
		   struct error *err);

#endif
