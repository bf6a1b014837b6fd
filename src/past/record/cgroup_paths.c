// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroups/hierarchy.h"
#include "record/cgroup_paths.h"

int cgroup_paths_init(struct cgroup_paths *paths, const struct sysroot *root)
{
	struct hierarchy hierarchy;
	int ret = cgroup_ids_init(&paths->own.ids, root);

	paths->memory.ids.mount = -1;
	if (!ret && hierarchy_find(&hierarchy, root, NULL) == 0)
		ret = cgroup_ids_init_at(&paths->memory.ids, root,
					 hierarchy.mount);
	return ret;
}

void cgroup_paths_next(struct cgroup_paths *paths)
{
	paths->own.report++;
	paths->memory.report++;
}

static size_t find(const struct cgroup_path_list *list, uint64_t id)
{
	size_t at = 0;

	while (at < CGROUP_PATHS && list->paths[at].id != id)
		at++;
	return at;
}

void cgroup_paths_learn(struct cgroup_path_list *list, uint64_t id)
{
	size_t at = find(list, id), oldest = 0;

	if (!id)
		return;
	if (at < CGROUP_PATHS) {
		list->paths[at].wanted = list->report;
		return;
	}
	for (size_t i = 0; i < CGROUP_PATHS; i++) {
		if (list->paths[i].wanted < list->paths[oldest].wanted)
			oldest = i;
	}
	/* What this report has yet to name stays. */
	if (list->paths[oldest].id &&
	    list->paths[oldest].wanted == list->report)
		return;
	list->paths[oldest].id = id;
	list->paths[oldest].wanted = list->report;
	if (!cgroup_ids_path(&list->ids, id, list->paths[oldest].path,
			     CGROUP_PATH))
		*list->paths[oldest].path = '\0';
}

const char *cgroup_paths_get(const struct cgroup_path_list *list, uint64_t id)
{
	size_t at = id ? find(list, id) : CGROUP_PATHS;

	return at < CGROUP_PATHS && *list->paths[at].path ?
		       list->paths[at].path :
		       NULL;
}
