// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups/cgroups_saved.h"
#include "cgroups/container.h"
#include "lib/cleanup.h"
#include "fields/fields.h"
#include "lib/json_out.h"
#include "measure/saved.h"

enum {
	MOST = 20000,
	/*
	 * No deeper one can be opened by its path. A table of deeper ones,
	 * each line indented by its depth, would have no end.
	 */
	DEEPEST = PATH_MAX / 2,
};

static const char *const keys[CGROUP_FIGURES] = {
	[CGROUP_CURRENT] = "current",
	[CGROUP_HIGH] = "high",
	[CGROUP_MAX] = "max",
	[CGROUP_MIN] = "min",
	[CGROUP_LOW] = "low",
	[CGROUP_SWAP] = "swap",
	[CGROUP_ANON] = "anon",
	[CGROUP_FILE] = "file",
	[CGROUP_SHMEM] = "shmem",
	[CGROUP_MAPPED] = "mapped",
	[CGROUP_DIRTY] = "dirty",
	[CGROUP_WRITEBACK] = "writeback",
	[CGROUP_INACTIVE_FILE] = "inactive_file",
	[CGROUP_ACTIVE_FILE] = "active_file",
	[CGROUP_KERNEL] = "kernel",
	[CGROUP_KERNEL_STACK] = "kernel_stack",
	[CGROUP_PAGE_TABLES] = "page_tables",
	[CGROUP_SEC_PAGE_TABLES] = "sec_page_tables",
	[CGROUP_PERCPU] = "percpu",
	[CGROUP_VMALLOC] = "vmalloc",
	[CGROUP_SLAB] = "slab",
	[CGROUP_SLAB_RECLAIMABLE] = "slab_reclaimable",
	[CGROUP_ZSWAP] = "zswap",
	[CGROUP_REFAULTS_FILE] = "refaults_file",
	[CGROUP_REFAULTS_ANON] = "refaults_anon",
	[CGROUP_FORGOTTEN] = "forgotten",
	[CGROUP_LOW_EVENTS] = "low_events",
	[CGROUP_HIGH_EVENTS] = "high_events",
	[CGROUP_MAX_EVENTS] = "max_events",
	[CGROUP_OOM_EVENTS] = "oom_events",
	[CGROUP_OOM_KILLS] = "oom_kills",
	[CGROUP_DEAD] = "dead",
	[CGROUP_SOME] = "pressure_some",
	[CGROUP_FULL] = "pressure_full",
	[CGROUP_NODES] = "nodes",
	[CGROUP_MEMSW] = "memsw",
	[CGROUP_MEMSW_MAX] = "memsw_max",
	[CGROUP_KERNEL_MAX] = "kernel_max",
	[CGROUP_TCP] = "tcp",
	[CGROUP_TCP_MAX] = "tcp_max",
	[CGROUP_MAX_ABOVE] = "max_above",
	[CGROUP_MEMSW_MAX_ABOVE] = "memsw_max_above",
	[CGROUP_HIERARCHY] = "hierarchy",
};

static const struct field cgroup_list[] = {
	{ FIELD_STRING(struct cgroup, path, "cgroup", SAYS_CGROUP) },
	{ FIELD(struct cgroup, parent, "parent", MOST),
	  .known = KNOWN_NOT_MAX },
	{ FIELD(struct cgroup, is_read, "read", 0) },
	{ FIELD_COUNTS(struct cgroup, figures.values, figures.present, keys) },
};

static const struct fields cgroup_fields = FIELDS(struct cgroup, cgroup_list);

static const struct field cgroups_list[] = {
	{ FIELD(struct cgroups, hierarchy.version, "version", CGROUP_V2) },
	{ FIELD_TEXT(struct cgroups, hierarchy.mount, "mountpoint",
		     SAYS_PLACE) },
	{ FIELD(struct cgroups, can_reclaim, "reclaim", 0), .may_lack = true },
	{ FIELD(struct cgroups, unread, "unread", SIZE_MAX) },
	{ FIELD(struct cgroups, error, "error", INT32_MAX) },
	{ FIELD(struct cgroups, is_cut_short, "cut_short", 0) },
	{ FIELD(struct cgroups, own, "own", MOST), .may_lack = true },
	{ FIELD_LIST(struct cgroups, cgroups, count, "list", &cgroup_fields,
		     MOST) },
};

const struct fields cgroups_fields = FIELDS(struct cgroups, cgroups_list);

void cgroups_saved_write(struct json_out *json, const struct cgroups *cgroups)
{
	struct cgroups written = *cgroups;

	if (written.count > MOST)
		written.count = MOST;
	written.unread += cgroups->count - written.count;
	if (written.own > written.count)
		written.own = 0;
	json_out_object(json, "cgroups");
	fields_write(json, &cgroups_fields, &written);
	json_out_object_end(json);
}

/*
 * A parent comes before its children, and only the first has none. Sets what
 * follows from the rest. @depths has the depth of each before this one.
 */
static int check_one(const struct cgroups *cgroups, size_t index,
		     unsigned int *depths)
{
	struct cgroup *cgroup = &cgroups->cgroups[index];

	if (*cgroup->path != '/' || strlen(cgroup->path) >= PATH_MAX ||
	    (index ? cgroup->parent >= index ||
			     depths[cgroup->parent] == DEEPEST :
		     cgroup->parent != CGROUP_NONE))
		return -EBADMSG;
	if (index)
		depths[index] = depths[cgroup->parent] + 1;
	cgroup->name = cgroup->path[1] ? strrchr(cgroup->path, '/') + 1 :
					 cgroup->path;
	return container_name(cgroup->name, cgroup->path, &cgroup->container);
}

static int check(const struct cgroups *cgroups)
{
	_cleanup_(freep) unsigned int *depths =
		calloc(cgroups->count + 1, sizeof(*depths));
	int ret = cgroups->count && cgroups->hierarchy.version &&
				  cgroups->own <= cgroups->count ?
			  0 :
			  -EBADMSG;

	if (!depths)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < cgroups->count; i++)
		ret = check_one(cgroups, i, depths);
	return ret;
}

/* A capture of an earlier version has no cgroups. */
static int read_all(const struct saved *saved, struct cgroups *cgroups)
{
	struct json_value object;
	int ret;

	if (!json_in_has(saved->reading, "cgroups"))
		return 0;
	ret = json_in_object(saved->reading, "cgroups", &object);
	if (ret != 1)
		return ret;
	ret = fields_read(object, &cgroups_fields, cgroups) ?: check(cgroups);
	return ret < 0 ? ret : 1;
}

int cgroups_saved_read(struct cgroups *cgroups, const struct sysroot *root,
		       struct error *err)
{
	struct saved saved;
	int ret = saved_open(&saved, root, err);

	if (ret <= 0)
		return ret;
	return saved_end(&saved, read_all(&saved, cgroups), err);
}
