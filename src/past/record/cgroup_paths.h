/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths of cgroups by their ids, in memory of fixed size. Those of cgroups that
 * have gone stay known until the room is needed.
 */
#ifndef BUFSTAT_CGROUP_PATHS_H
#define BUFSTAT_CGROUP_PATHS_H

#include <stdint.h>

#include "who/cgroup_ids.h"

struct sysroot;

enum { CGROUP_PATHS = 512, CGROUP_PATH = 192 /* bytes, with the NUL */ };

/* Of one hierarchy. */
struct cgroup_path_list {
	struct cgroup_ids ids;
	struct {
		uint64_t id; /* 0: none */
		uint64_t wanted; /* when it was last wanted: a report's number */
		char path[CGROUP_PATH]; /* "": it has no name, or a longer one */
	} paths[CGROUP_PATHS];
	uint64_t report; /* its number */
};

struct cgroup_paths {
	struct cgroup_path_list own; /* version 2 */
	struct cgroup_path_list memory; /* of the memory controller */
};

/*
 * Without cgroups there are no paths. Returns 0 or -ENOMEM. They last as long
 * as the process.
 */
int cgroup_paths_init(struct cgroup_paths *paths, const struct sysroot *root);

/* From here on, what was looked up before may give its room to others. */
void cgroup_paths_next(struct cgroup_paths *paths);

/* Looks @id up, unless it is known. Allocates nothing. */
void cgroup_paths_learn(struct cgroup_path_list *list, uint64_t id);

/* The path, "/" for the root, or NULL: not known. Valid until the next learn. */
const char *cgroup_paths_get(const struct cgroup_path_list *list, uint64_t id);

#endif
