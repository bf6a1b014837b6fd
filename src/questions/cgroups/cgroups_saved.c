// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups/cgroups_saved.h"
#include "cgroups/container.h"
#include "lib/cleanup.h"
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

static void write_one(struct json_out *json, const struct cgroups *cgroups,
		      size_t index, bool names)
{
	const struct cgroup *cgroup = &cgroups->cgroups[index];
	char place[32];

	snprintf(place, sizeof(place), index ? "/#%zu" : "/", index);
	json_out_object(json, NULL);
	json_out_string(json, "cgroup", names ? cgroup->path : place);
	if (cgroup->parent == CGROUP_NONE)
		json_out_null(json, "parent");
	else
		json_out_unsigned(json, "parent", cgroup->parent);
	json_out_bool(json, "read", cgroup->is_read);
	for (size_t i = 0; i < CGROUP_FIGURES; i++)
		if (cgroup_has(&cgroup->figures, i))
			json_out_unsigned(json, keys[i],
					  cgroup->figures.values[i]);
	json_out_object_end(json);
}

void cgroups_saved_write(struct json_out *json, const struct cgroups *cgroups,
			 bool names)
{
	const struct hierarchy *hierarchy = &cgroups->hierarchy;
	size_t count = cgroups->count < MOST ? cgroups->count : MOST;

	json_out_object(json, "cgroups");
	json_out_unsigned(json, "version",
			  hierarchy->version == CGROUP_V2 ? 2 : 1);
	json_out_string(json, "mountpoint", hierarchy->mount);
	json_out_bool(json, "reclaim", cgroups->can_reclaim);
	json_out_unsigned(json, "unread",
			  cgroups->unread + cgroups->count - count);
	json_out_unsigned(json, "error", (unsigned int)cgroups->error);
	json_out_bool(json, "cut_short", cgroups->is_cut_short);
	json_out_array(json, "list");
	for (size_t i = 0; i < count; i++)
		write_one(json, cgroups, i, names);
	json_out_array_end(json);
	json_out_object_end(json);
}

static int read_figures(struct json_value object,
			struct cgroup_figures *figures)
{
	for (size_t i = 0; i < CGROUP_FIGURES; i++) {
		uint64_t value;

		if (!json_in_has(object, keys[i]))
			continue;
		if (json_in_number(object, keys[i], UINT64_MAX, &value) != 1)
			return -EBADMSG;
		cgroup_set(figures, i, value);
	}
	return 0;
}

/*
 * A parent comes before its children, and only the first has none. @depths has
 * the depth of each that was read.
 */
static int read_parent(struct json_value object, size_t index,
		       struct cgroup *cgroup, unsigned int *depths)
{
	uint64_t parent;
	int ret;

	cgroup->parent = CGROUP_NONE;
	if (!index)
		return json_in_number(object, "parent", 0, &parent) == 0 ?
			       0 :
			       -EBADMSG;
	ret = json_in_number(object, "parent", index - 1, &parent);
	if (ret != 1 || depths[parent] == DEEPEST)
		return -EBADMSG;
	cgroup->parent = parent;
	depths[index] = depths[parent] + 1;
	return 0;
}

static int read_one(struct json_value object, struct cgroups *cgroups,
		    unsigned int *depths)
{
	struct cgroup *cgroup = &cgroups->cgroups[cgroups->count];
	int ret = json_in_copy(object, "cgroup", &cgroup->path);

	if (ret != 1)
		return ret < 0 ? ret : -EBADMSG;
	cgroups->count++;
	if (*cgroup->path != '/' || strlen(cgroup->path) >= PATH_MAX ||
	    read_parent(object, cgroups->count - 1, cgroup, depths) < 0 ||
	    json_in_bool(object, "read", &cgroup->is_read) != 1 ||
	    read_figures(object, &cgroup->figures) < 0)
		return -EBADMSG;
	cgroup->name = cgroup->path[1] ? strrchr(cgroup->path, '/') + 1 :
					 cgroup->path;
	return container_name(cgroup->name, cgroup->path, &cgroup->container);
}

static int read_list(struct json_value object, struct cgroups *cgroups)
{
	_cleanup_(freep) unsigned int *depths = NULL;
	struct json_value item;
	size_t count;
	int ret = json_in_array(object, "list", &item, &count);

	if (ret != 1 || !count || count > MOST)
		return -EBADMSG;
	depths = calloc(count, sizeof(*depths));
	cgroups->cgroups = calloc(count, sizeof(*cgroups->cgroups));
	if (!depths || !cgroups->cgroups)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		ret = read_one(item, cgroups, depths);
		if (ret < 0)
			return ret;
		if (i + 1 < count)
			item = json_in_next(item);
	}
	return 0;
}

static int read_head(struct json_value object, struct cgroups *cgroups)
{
	struct hierarchy *hierarchy = &cgroups->hierarchy;
	uint64_t version, unread, error;
	const char *mount;

	if (json_in_number(object, "version", 2, &version) != 1 || !version ||
	    json_in_string(object, "mountpoint", &mount) != 1 ||
	    strlen(mount) >= sizeof(hierarchy->mount) ||
	    (json_in_has(object, "reclaim") &&
	     json_in_bool(object, "reclaim", &cgroups->can_reclaim) != 1) ||
	    json_in_number(object, "unread", SIZE_MAX, &unread) != 1 ||
	    json_in_number(object, "error", INT32_MAX, &error) != 1 ||
	    json_in_bool(object, "cut_short", &cgroups->is_cut_short) != 1)
		return -EBADMSG;
	hierarchy->version = version == 2 ? CGROUP_V2 : CGROUP_V1;
	strcpy(hierarchy->mount, mount);
	cgroups->unread = unread;
	cgroups->error = (int)error;
	return 0;
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
	ret = read_head(object, cgroups) ?: read_list(object, cgroups);
	return ret < 0 ? ret : 1;
}

int cgroups_saved_read(struct cgroups *cgroups, const struct sysroot *root,
		       struct error *err)
{
	struct saved saved;
	int ret = saved_open(&saved, root, err);

	if (ret <= 0)
		return ret;
	ret = read_all(&saved, cgroups);
	if (ret < 0)
		saved_failed(&saved, ret, err);
	saved_close(&saved);
	return ret;
}
