// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "memory/kernel_lists.h"
#include "memory/memory_details.h"
#include "owners/owner_lists.h"
#include "worker/file_text.h"

/* @ret: how reading it ended. Returns 0 or -ENOMEM. */
static int finish(struct memory_owner_list *list, size_t top, int ret)
{
	return ret == -ENOMEM ? ret : memory_owner_list_cut(list, top);
}

/*
 * Whether the kernel counts a cache as reclaimable. Returns 1, 0, -ENODATA if
 * it does not say, or -ENOMEM.
 */
static int is_reclaimable(const struct sysroot *root, const char *cache)
{
	_cleanup_(freep) char *text = NULL;
	char dir[128];
	int ret;

	snprintf(dir, sizeof(dir), "/sys/kernel/slab/%s", cache);
	ret = sysfs_attribute(root, dir, "reclaim_account", &text);
	if (ret < 0)
		return ret == -ENOMEM ? ret : -ENODATA;
	return strcmp(text, "1") == 0;
}

/* The lists of both heads; the first is of what is not reclaimable. */
struct slab_lists {
	struct memory_owner_list *lists[2];
	const struct sysroot *root;
	int64_t page_size;
};

static int add_cache(const struct slab_lists *to,
		     const struct slab_cache *cache)
{
	struct memory_owner_list *list;
	bool is_known = false;
	int which;

	if (!cache->pages)
		return 0;
	which = is_reclaimable(to->root, cache->name);
	if (which == -ENOMEM)
		return which;
	/* One list for both, if it is not known. */
	if (which < 0)
		which = to->lists[0] ? 0 : 1;
	else
		is_known = true;
	list = to->lists[which];
	if (!list)
		return 0;
	list->is_of_both |= !is_known;
	return memory_owner_add(list, strdup(cache->name),
				cache->pages * to->page_size, 0);
}

static int finish_slab(struct memory_owners *owners,
		       const struct slab_lists *of, int ret)
{
	for (size_t i = 0; ret != -ENOMEM && i < 2; i++) {
		struct memory_owner_list *list = of->lists[i];

		if (list && ret < 0)
			owner_list_refuse(list, SLABINFO, ret);
		if (list && memory_owner_list_cut(list, owners->top) < 0)
			ret = -ENOMEM;
	}
	return only_enomem(ret);
}

int owners_of_slab(struct memory_owners *owners, struct owner_host *host)
{
	_cleanup_(freep) char *text = NULL;
	const struct slab_lists to = {
		.lists = { owner_list(owners, MEMORY_HEAD_SLAB_UNRECLAIMABLE,
				      MEMORY_OWNER_SLAB),
			   owner_list(owners, MEMORY_HEAD_SLAB_RECLAIMABLE,
				      MEMORY_OWNER_SLAB) },
		.root = host->root,
		.page_size = owners->page_size,
	};
	struct slab_cache cache;
	const char *rest;
	int ret;

	if (!to.lists[0] && !to.lists[1])
		return 0;
	ret = slabinfo_read(host->root, &text);
	rest = ret < 0 ? "" : text;
	while (ret >= 0 && slab_next(&rest, &cache))
		ret = add_cache(&to, &cache);
	/* Its caches are in the list of the other head. */
	if (to.lists[0] && to.lists[1] && to.lists[0]->is_of_both)
		to.lists[1]->uncounted = !to.lists[1]->count;
	return finish_slab(owners, &to, ret);
}

struct areas {
	struct vmalloc_area *areas;
	size_t count, capacity;
};

static void areas_deinit(struct areas *areas)
{
	free(areas->areas);
}

static int by_caller(const void *left, const void *right)
{
	const struct vmalloc_area *a = left, *b = right;
	size_t length = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->caller, b->caller, length);

	return order ? order :
		       (a->length > b->length) - (a->length < b->length);
}

static int read_areas(struct areas *areas, const char *text)
{
	struct vmalloc_area area;

	while (vmalloc_next(&text, &area)) {
		if (array_make_room(&areas->areas, areas->count,
				    &areas->capacity) < 0)
			return -ENOMEM;
		areas->areas[areas->count++] = area;
	}
	if (areas->count)
		qsort(areas->areas, areas->count, sizeof(*areas->areas),
		      by_caller);
	return 0;
}

static int add_callers(struct memory_owner_list *list, const char *text,
		       int64_t page_size)
{
	_cleanup_(areas_deinit) struct areas areas = { 0 };
	int ret = read_areas(&areas, text);

	for (size_t i = 0; !ret && i < areas.count;) {
		const struct vmalloc_area *first = &areas.areas[i];
		int64_t pages = 0;

		for (;
		     i < areas.count && by_caller(&areas.areas[i], first) == 0;
		     i++)
			pages += areas.areas[i].pages;
		ret = memory_owner_add(list,
				       strndup(first->caller, first->length),
				       pages * page_size, 0);
	}
	return ret;
}

int owners_of_vmalloc(struct memory_owners *owners, struct owner_host *host)
{
	_cleanup_(freep) char *text = NULL;
	struct memory_owner_list *list =
		owner_list(owners, MEMORY_HEAD_VMALLOC, MEMORY_OWNER_CALLER);
	int ret;

	if (!list)
		return 0;
	ret = kernel_list_whole(sysroot_read(host->root, VMALLOCINFO,
					     VMALLOCINFO_MOST, &text, NULL),
				&text);
	if (ret < 0)
		owner_list_refuse(list, VMALLOCINFO, ret);
	else
		ret = add_callers(list, text, owners->page_size);
	return finish(list, owners->top, ret);
}

int owners_of_zram(struct memory_owners *owners, struct owner_host *host)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	struct memory_owner_list *list =
		owner_list(owners, MEMORY_HEAD_COMPRESSED, MEMORY_OWNER_ZRAM);
	int ret;

	if (!list)
		return 0;
	ret = sysroot_list(host->root, "/sys/block", &names);
	if (ret < 0)
		owner_list_refuse(list, "/sys/block", ret);
	for (size_t i = 0; ret >= 0 && i < names.count; i++) {
		struct memory_zram zram;

		ret = memory_read_zram(host->root, names.strings[i], &zram);
		if (ret < 0) {
			memory_owner_list_fail(list, "%s: %s", names.strings[i],
					       file_text_why(ret));
			ret = 0;
		}
		if (ret > 0 && zram.bytes)
			ret = memory_owner_add(list, strdup(names.strings[i]),
					       zram.bytes, 0);
	}
	return finish(list, owners->top, ret);
}

int owners_of_sites(struct memory_owners *owners, struct owner_host *host)
{
	_cleanup_(freep) char *text = NULL;
	struct memory_owner_list *list =
		owner_list(owners, MEMORY_HEADS, MEMORY_OWNER_SITE);
	struct allocation_site site;
	const char *rest;
	int ret;

	if (!list)
		return 0;
	ret = kernel_list_whole(sysroot_read(host->root, ALLOCINFO,
					     ALLOCINFO_MOST, &text, NULL),
				&text);
	/* Few kernels have it. */
	if (ret == -ENOENT) {
		list->asked = false;
		return 0;
	}
	if (ret < 0)
		owner_list_refuse(list, ALLOCINFO, ret);
	rest = ret < 0 ? "" : text;
	while (ret >= 0 && site_next(&rest, &site)) {
		if (site.bytes)
			ret = memory_owner_add(list,
					       strndup(site.name, site.length),
					       site.bytes, 0);
	}
	return finish(list, owners->top, ret);
}
