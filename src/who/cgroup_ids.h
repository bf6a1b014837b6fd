/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of cgroups by their ids, which the kernel has in version 2 (Linux 5.5).
 * A cgroup that has gone has no name any more, so ask while it is there.
 */
#ifndef BUFSTAT_CGROUP_IDS_H
#define BUFSTAT_CGROUP_IDS_H

#include <stddef.h>
#include <stdint.h>

struct sysroot;

struct cgroup_ids {
	int mount; /* descriptor of the root of version 2, or -1 */
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
void cgroup_ids_deinit(struct cgroup_ids *ids);

/* Looks @id up, unless that was done before. Returns 0 or -ENOMEM. */
int cgroup_ids_learn(struct cgroup_ids *ids, uint64_t id);

/*
 * The container (container.h) or the path below the mount, "/" for the root.
 * NULL if @id was not learned or has no name. Owned by @ids, valid until the
 * next call of cgroup_ids_learn().
 */
const char *cgroup_ids_name(const struct cgroup_ids *ids, uint64_t id);

#endif
