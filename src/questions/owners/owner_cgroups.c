// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cgroups/cgroups.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "memory/memory_reading.h"
#include "owners/owner_lists.h"
#include "owners/owners.h"
#include "worker/patience.h"

#define MAX_STAT (1U << 16)

/* The figures of a cgroup that are in a head: added, or taken off. */
static const struct cgroup_terms {
	enum memory_head_id head;
	struct {
		int sign; /* 0: no more */
		enum cgroup_figure figure;
	} terms[9];
} all_terms[] = {
	{ MEMORY_HEAD_PROGRAMS, { { 1, CGROUP_ANON } } },
	{ MEMORY_HEAD_SHARED, { { 1, CGROUP_SHMEM } } },
	{ MEMORY_HEAD_FILE_CACHE,
	  { { 1, CGROUP_FILE }, { -1, CGROUP_SHMEM } } },
	{ MEMORY_HEAD_PAGE_TABLES,
	  { { 1, CGROUP_PAGE_TABLES }, { 1, CGROUP_SEC_PAGE_TABLES } } },
	{ MEMORY_HEAD_VMALLOC,
	  { { 1, CGROUP_VMALLOC }, { 1, CGROUP_KERNEL_STACK } } },
	{ MEMORY_HEAD_PER_CPU, { { 1, CGROUP_PERCPU } } },
	{ MEMORY_HEADS,
	  { { 1, CGROUP_KERNEL },
	    { -1, CGROUP_KERNEL_STACK },
	    { -1, CGROUP_PAGE_TABLES },
	    { -1, CGROUP_SEC_PAGE_TABLES },
	    { -1, CGROUP_PERCPU },
	    { -1, CGROUP_VMALLOC },
	    { -1, CGROUP_SLAB },
	    { -1, CGROUP_ZSWAP } } },
};

#define HEADS (sizeof(all_terms) / sizeof(*all_terms))

/*
 * Returns false if the first figure is absent: then the kernel does not tell.
 * The others are newer than that, or parts that only some kernels have.
 */
static bool add_up(const struct cgroup_figures *figures,
		   const struct cgroup_terms *of, int64_t *bytes)
{
	if (!cgroup_has(figures, of->terms[0].figure))
		return false;
	/* Without the parts of it, all of it would be the rest. */
	if (of->head == MEMORY_HEADS && !cgroup_has(figures, CGROUP_SLAB))
		return false;
	*bytes = 0;
	for (size_t i = 0; of->terms[i].sign; i++) {
		if (cgroup_has(figures, of->terms[i].figure))
			*bytes += of->terms[i].sign *
				  (int64_t)figures->values[of->terms[i].figure];
	}
	return true;
}

static unsigned int depth_of(const struct cgroups *cgroups, size_t index)
{
	unsigned int depth = 0;

	/* What is right below the root is not below another owner. */
	for (;;) {
		index = cgroups->cgroups[index].parent;
		if (index == CGROUP_NONE || !index)
			return depth;
		depth++;
	}
}

static int add_cgroup(struct memory_owner_list *list,
		      const struct cgroups *cgroups, size_t index,
		      int64_t bytes)
{
	const struct cgroup *cgroup = &cgroups->cgroups[index];
	char *name;
	int ret;

	if (!cgroup->container)
		name = strdup(cgroup->path);
	else if (asprintf(&name, "%s (%s)", cgroup->path, cgroup->container) <
		 0)
		name = NULL;
	ret = memory_owner_add(list, name, bytes, 0);
	if (!ret)
		list->owners[list->count - 1].depth = depth_of(cgroups, index);
	return ret;
}

/* The root is the whole host, or only the sum of its children. */
static int fill(struct memory_owner_list *list, const struct cgroups *cgroups,
		const struct cgroup_terms *of, size_t top)
{
	bool told = false;
	int ret = 0;

	for (size_t i = 1; !ret && i < cgroups->count; i++) {
		int64_t bytes;

		if (!add_up(&cgroups->cgroups[i].figures, of, &bytes))
			continue;
		told = true;
		if (bytes > 0)
			ret = add_cgroup(list, cgroups, i, bytes);
	}
	list->uncounted = !told && cgroups->count > 1;
	list->unread = cgroups->unread;
	return ret ?: memory_owner_list_cut(list, top);
}

static void refuse_all(struct memory_owners *owners, const struct error *err)
{
	for (size_t i = 0; i < HEADS; i++) {
		struct memory_owner_list *list = owner_list(
			owners, all_terms[i].head, MEMORY_OWNER_CGROUP);

		/* Without cgroups there is nobody to name. */
		if (list && err->class == ERROR_UNUSABLE)
			list->asked = false;
		else if (list)
			memory_owner_list_fail(
				list, "%s: %s",
				*err->object ? err->object : "cgroups",
				*err->reason ? err->reason :
					       strerror(err->number));
	}
}

int owners_of_cgroups(struct memory_owners *owners, struct owner_host *host)
{
	_cleanup_(cgroups_deinit) struct cgroups cgroups = { 0 };
	struct error err = { 0 };
	bool asked = false;
	int ret;

	for (size_t i = 0; i < HEADS; i++)
		asked |= owner_list(owners, all_terms[i].head,
				    MEMORY_OWNER_CGROUP) != NULL;
	if (!asked)
		return 0;
	ret = cgroups_read(&cgroups, host->root, &err);
	if (ret < 0)
		refuse_all(owners, &err);
	owners->is_cut_short |= cgroups.is_cut_short;
	for (size_t i = 0; ret >= 0 && i < HEADS; i++) {
		struct memory_owner_list *list = owner_list(
			owners, all_terms[i].head, MEMORY_OWNER_CGROUP);

		if (list)
			ret = fill(list, &cgroups, &all_terms[i], owners->top);
	}
	return only_enomem(ret);
}

/* Adds what one of them has to *@bytes. Returns 0 or -ENOMEM. */
static int add_rest(const struct sysroot *root, const char *mount,
		    const char *name, bool *told, int64_t *bytes)
{
	const struct cgroup_terms *of = &all_terms[HEADS - 1];
	struct cgroup_figures figures = { 0 };
	_cleanup_(freep) char *text = NULL;
	char path[2 * PATH_MAX];
	int64_t own;
	int ret;

	snprintf(path, sizeof(path), "%s/%s/memory.stat", mount, name);
	ret = sysroot_read(root, path, MAX_STAT, &text, NULL);
	if (ret < 0)
		return only_enomem(ret);
	cgroup_parse_stat(&figures, CGROUP_V2, text);
	if (!add_up(&figures, of, &own))
		return 0;
	*told = true;
	*bytes += own > 0 ? own : 0;
	return 0;
}

int owners_name_rest(struct memory_reading *reading, const struct sysroot *root)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	struct hierarchy hierarchy;
	int64_t bytes = 0;
	bool told = false;
	int ret = hierarchy_find(&hierarchy, root, NULL);

	if (!ret && hierarchy.version == CGROUP_V2)
		ret = sysroot_list(root, hierarchy.mount, &names);
	for (size_t i = 0; !ret && i < names.count; i++)
		ret = add_rest(root, hierarchy.mount, names.strings[i], &told,
			       &bytes);
	if (!ret && told)
		memory_set(&reading->fields, MEMORY_CGROUP_REST,
			   bytes / (int64_t)reading->page_size);
	return only_enomem(ret);
}
