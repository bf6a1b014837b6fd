// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages that TTM, of the graphics drivers amdgpu, radeon, nouveau and i915,
 * keeps for their next objects: programs may write to them past the cache, and
 * to change that takes long.
 */
#include <errno.h>
#include <string.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "memory/memory_details.h"
#include "memory/memory_reading.h"
#include "owners/owner_lists.h"

#define DEBUGFS "/sys/kernel/debug/bdi"

int owners_of_graphics_pool(struct memory_owners *owners,
			    struct owner_host *host)
{
	struct memory_owner_list *list =
		owner_list(owners, MEMORY_HEADS, MEMORY_OWNER_GRAPHICS_POOL);
	int64_t pages = 0;
	int ret;

	if (!list)
		return 0;
	ret = sysroot_is_live(host->root) ?
		      memory_read_ttm_pool(host->root, &pages) :
		      0;
	list->asked = ret != 0;
	/* Before Linux 5.11 debugfs is there without this file. */
	list->uncounted = ret == -ENOENT && sysroot_exists(host->root, DEBUGFS);
	if (ret < 0 && !list->uncounted)
		owner_list_refuse(list, memory_field_path(MEMORY_TTM_POOL),
				  ret);
	if (ret < 0 || !pages)
		return only_enomem(ret < 0 ? ret : 0);
	return memory_owner_add(list, strdup("TTM"), pages * owners->page_size,
				0);
}
