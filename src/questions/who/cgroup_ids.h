/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of cgroups by their ids (Linux 5.5), which differ between hierarchies.
 * A cgroup that has gone has no name any more, so ask while it is there.
 */
#ifndef BUFSTAT_CGROUP_IDS_H
#define BUFSTAT_CGROUP_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sysroot;

struct cgroup_ids {
	int mount; /* descriptor of the root of the hierarchy, or -1 */
	char *mount_path;
	struct cgroup_id {
		uint64_t id;
		char *name; /* NULL: it has none */
	} * ids;
	size_t count;
	size_t capacity;
};

/*
 * Without version 2 below /sys, or the right to look it up
 * (CAP_DAC_READ_SEARCH), there are no names. Returns 0 or -ENOMEM; the caller
 * deinits in either case.
 */
int cgroup_ids_init(struct cgroup_ids *ids, const struct sysroot *root);

/* The same for the hierarchy that is mounted at @mount. */
int cgroup_ids_init_at(struct cgroup_ids *ids, const struct sysroot *root,
		       const char *mount);
void cgroup_ids_deinit(struct cgroup_ids *ids);

/* Returns a descriptor of the cgroup's directory, or -1. */
int cgroup_ids_open(const struct cgroup_ids *ids, uint64_t id);

/*
 * Sets @path to where the cgroup is below the mount, "/" for the root.
 * Allocates nothing. Returns false if it has no name, or none that fits.
 */
bool cgroup_ids_path(const struct cgroup_ids *ids, uint64_t id, char *path,
		     size_t size);

/*
 * Sets *@name, which the caller frees, to the container (container.h) that the
 * cgroup at @path is, or to the path. Returns 0 or -ENOMEM.
 */
int cgroup_path_name(const char *path, char **name);

/* Looks @id up, unless that was done before. Returns 0 or -ENOMEM. */
int cgroup_ids_learn(struct cgroup_ids *ids, uint64_t id);

/*
 * The container (container.h) or the path below the mount, "/" for the root.
 * NULL if @id was not learned or has no name. Owned by @ids, valid until the
 * next call of cgroup_ids_learn().
 */
const char *cgroup_ids_name(const struct cgroup_ids *ids, uint64_t id);

#endif
