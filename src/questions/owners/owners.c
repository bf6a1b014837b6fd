// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/saved.h"
#include "memory/memory_owners.h"
#include "memory/owners_saved.h"
#include "owners/owner_lists.h"
#include "owners/owners.h"
#include "names/pid_namespace.h"
#include "worker/file_text.h"
#include "worker/patience.h"

/* Without --timeout, if walks do not have to end before. */
#define KERNEL_MOST_MS 1000

struct memory_owner_list *owner_list(struct memory_owners *owners,
				     enum memory_head_id head,
				     enum memory_owner_kind kind)
{
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_info *info = memory_owner_info(i);

		if (info->head == head && info->kind == kind)
			return owners->lists[i].asked ? &owners->lists[i] :
							NULL;
	}
	return NULL;
}

void owner_list_refuse(struct memory_owner_list *list, const char *path,
		       int ret)
{
	memory_owner_list_fail(list, "%s: %s", path,
			       ret == -EACCES || ret == -EPERM ?
				       "needs root" :
				       file_text_why(ret));
}

const struct all_mounts *owner_mounts(struct owner_host *host,
				      struct memory_owner_list *list)
{
	if (!host->has_mounts) {
		if (all_mounts_init(&host->mounts, host->root) < 0) {
			all_mounts_deinit(&host->mounts);
			return NULL;
		}
		host->has_mounts = true;
	}
	if (list && host->mounts.failed)
		owner_list_refuse(list, "/proc/PID/mountinfo",
				  -host->mounts.failed);
	return &host->mounts;
}

void owner_hurry(struct sysroot *root, struct patience *walk)
{
	if (root->patience && root->patience->seconds > 0)
		return;
	walk->seconds = patience_left_ms(root->patience, KERNEL_MOST_MS) / 1e3;
	patience_begin(walk);
	root->patience = walk;
}

static void host_deinit(struct owner_host *host)
{
	all_mounts_deinit(&host->mounts);
}

/* Returns as saved_open(), with 0 also for a reading without owners. */
static int read_saved(struct memory_owners *owners, const struct sysroot *root,
		      struct error *err)
{
	struct saved saved;
	int ret = saved_open(&saved, root, err);

	if (ret <= 0)
		return ret;
	return saved_end(&saved, owners_saved_read(&saved, owners), err);
}

/* A container's /proc has no other processes, nor who has a pinned map. */
static void mark_namespace(struct memory_owners *owners,
			   const struct sysroot *root)
{
	if (!sysroot_is_live(root) || !pid_namespace_here().is_foreign)
		return;
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++)
		owners->lists[i].is_of_namespace =
			owners->lists[i].asked &&
			(memory_owner_info(i)->of->is_process ||
			 memory_owner_info(i)->kind == MEMORY_OWNER_PIN);
}

int owners_find(struct memory_owners *owners, const struct sysroot *root,
		bool pss, struct error *err)
{
	static int (*const finders[])(struct memory_owners *,
				      struct owner_host *) = {
		owners_of_slab,		 owners_of_vmalloc,
		owners_of_sites,	 owners_of_zram,
		owners_of_tmpfs,	 owners_of_sysv,
		owners_of_cgroups,	 owners_of_nameless,
		owners_of_hugetlbfs,	 owners_of_tmpfs_files,
		owners_of_page_pools,	 owners_of_xfs,
		owners_of_graphics_pool,
	};
	_cleanup_(host_deinit) struct owner_host host = { .root = root };
	int ret = read_saved(owners, root, err);

	if (ret)
		return ret < 0 ? ret : 0;
	owners->by_pss = pss;
	patience_set_about(root->patience, "the owners of memory");
	ret = owners_of_processes(owners, root);
	if (!ret && pss)
		ret = owners_by_pss(owners, root);
	for (size_t i = 0; !ret && i < sizeof(finders) / sizeof(*finders);
	     i++) {
		if (patience_walk(root->patience) < 0) {
			owners->is_cut_short = true;
			break;
		}
		ret = finders[i](owners, &host);
	}
	mark_namespace(owners, root);
	patience_set_about(root->patience, NULL);
	return ret < 0 ? error_errno(err, -ret, "finding", "owners") : 0;
}
