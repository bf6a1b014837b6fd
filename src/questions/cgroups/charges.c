// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups/charges.h"
#include "cgroups/container.h"
#include "filesystems/all_mounts.h"
#include "filesystems/kernel_filesystems.h"
#include "filesystems/selection.h"
#include "kernel/bdev_walk.h"
#include "kernel/kernel.h"
#include "kernel/memcg.h"
#include "kernel/page_walk.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "measure/vmcore.h"

/* Folios that are looked up together: 1.5 MB. */
#define BATCH 32768

/* Which owner a charge leads to, sorted by charge. */
struct known {
	uint64_t charge;
	size_t owner;
};

struct reading {
	struct charges *charges;
	struct selection *selection;
	const struct kernel *kernel;
	struct memcg_layout layout;
	struct page_tags_layout tags;
	struct page_walk walk;
	uint64_t mapping; /* that is being walked */
	struct charged *batch;
	size_t batch_count;
	struct known *known;
	size_t known_count;
	size_t known_capacity;
	uint64_t *pages; /* of the cache being read, by owner */
	size_t pages_capacity;
	uint64_t uncharged;
};

static void reading_deinit(struct reading *reading)
{
	free(reading->batch);
	free(reading->known);
	free(reading->pages);
}

/* Adds the cgroup, unless it is there. Returns its index, or -ENOMEM. */
static int add_owner(struct reading *reading, const struct memcg *memcg,
		     size_t *index)
{
	struct charges *charges = reading->charges;
	struct charge_owner *owner;
	const char *name = strrchr(memcg->path, '/');

	for (*index = 0; *index < charges->owner_count; ++*index) {
		owner = &charges->owners[*index];
		/* A removed cgroup and its heir may be one in memory. */
		if (owner->id == memcg->id && owner->is_dead == memcg->is_dead)
			return 0;
	}
	if (array_make_room(&charges->owners, charges->owner_count,
			    &charges->owner_capacity) < 0 ||
	    array_make_room(&reading->pages, charges->owner_count,
			    &reading->pages_capacity) < 0)
		return -ENOMEM;
	reading->pages[charges->owner_count] = 0;
	owner = &charges->owners[charges->owner_count++];
	*owner = (struct charge_owner){
		.id = memcg->id,
		.is_dead = memcg->is_dead,
		.path = strdup(memcg->path),
	};
	return owner->path ? container_name(name ? name + 1 : memcg->path,
					    memcg->path, &owner->container) :
			     -ENOMEM;
}

/* The place of the charge among the known ones, or where it belongs. */
static size_t place_of(const struct reading *reading, uint64_t charge)
{
	size_t first = 0, end = reading->known_count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (reading->known[middle].charge < charge)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* Returns 0, -ESTALE if the charge leads to no cgroup, or another errno. */
static int find_owner(struct reading *reading, uint64_t charge, size_t *owner)
{
	size_t place = place_of(reading, charge);
	struct known *known;
	struct memcg memcg;
	int ret;

	if (place < reading->known_count &&
	    reading->known[place].charge == charge) {
		*owner = reading->known[place].owner;
		return 0;
	}
	ret = memcg_read(reading->kernel->kmem, &reading->layout, charge,
			 &memcg);
	if (!ret)
		ret = add_owner(reading, &memcg, owner);
	if (!ret)
		ret = array_make_room(&reading->known, reading->known_count,
				      &reading->known_capacity);
	if (ret < 0)
		return ret;
	known = &reading->known[place];
	memmove(known + 1, known,
		(reading->known_count - place) * sizeof(*known));
	*known = (struct known){ charge, *owner };
	reading->known_count++;
	return 0;
}

/* Adds pages that are charged to the same. */
static int take_pages(struct reading *reading, uint64_t charge, uint64_t pages)
{
	size_t owner;
	int ret;

	if (!charge) {
		reading->uncharged += pages;
		return 0;
	}
	ret = find_owner(reading, charge, &owner);
	if (ret < 0)
		return ret == -ESTALE || ret == -ENODATA ? 0 : ret;
	reading->pages[owner] += pages;
	return 0;
}

/* Looks up what is in the batch, and empties it. */
static int flush(struct reading *reading)
{
	struct charged *batch = reading->batch;
	size_t count = reading->batch_count;
	int ret = memcg_read_charges(reading->kernel->kmem, &reading->layout,
				     batch, count);

	reading->batch_count = 0;
	if (!ret && count &&
	    kernel_hides_pages(reading->kernel, batch[count - 1].page))
		return -EADDRNOTAVAIL;
	/* Neighbours are mostly charged to the same. */
	for (size_t i = 0; !ret && i < count;) {
		uint64_t charge = batch[i].charge, pages = 0;

		for (; i < count && batch[i].charge == charge; i++)
			pages += batch[i].is_known ? batch[i].pages : 0;
		if (pages)
			ret = take_pages(reading, charge, pages);
	}
	return ret;
}

static int visit_page(void *data, uint64_t index __attribute__((unused)),
		      uint64_t page, uint64_t pages)
{
	struct reading *reading = data;

	reading->batch[reading->batch_count++] = (struct charged){
		.page = page,
		.mapping = reading->mapping,
		.pages = pages,
	};
	return reading->batch_count == BATCH ? flush(reading) : 0;
}

static int walk_tree(struct reading *reading, const struct page_tree *tree)
{
	reading->mapping = tree->mapping;
	return page_walk_tree(&reading->walk, tree);
}

static void begin_cache(void *data)
{
	struct reading *reading = data;

	reading->batch_count = 0;
	reading->uncharged = 0;
	if (reading->charges->owner_count)
		memset(reading->pages, 0,
		       reading->charges->owner_count * sizeof(*reading->pages));
}

static void explain(struct cache *cache, int ret)
{
	if (ret == -EOPNOTSUPP)
		snprintf(cache->why, sizeof(cache->why),
			 "this kernel's page trees are of an unknown form");
	else if (ret == -EADDRNOTAVAIL)
		snprintf(cache->why, sizeof(cache->why), KERNEL_HIDES_PAGES);
	else if (ret == -E2BIG)
		snprintf(cache->why, sizeof(cache->why),
			 "it has too many pages to look at each");
	else if (ret < 0 && !*cache->why)
		snprintf(cache->why, sizeof(cache->why), "%s",
			 kmem_strerror(ret));
}

static int add_charge(struct charges *charges, size_t owner, uint64_t pages)
{
	struct charge *charge;

	if (!pages)
		return 0;
	if (array_make_room(&charges->list, charges->count,
			    &charges->capacity) < 0)
		return -ENOMEM;
	charge = &charges->list[charges->count++];
	*charge = (struct charge){
		.cache = charges->cache_count - 1,
		.owner = owner,
		.pages = pages,
	};
	charges->caches[charge->cache].charged += pages;
	return 0;
}

static int by_pages(const void *left, const void *right)
{
	const struct charge *a = left, *b = right;

	return (a->pages < b->pages) - (a->pages > b->pages);
}

/* Ends the cache, whose walk returned @ret. Returns 0 or -ENOMEM. */
static int end_cache(struct reading *reading, int ret)
{
	struct charges *charges = reading->charges;
	struct cache *cache = &charges->caches[charges->cache_count - 1];
	size_t first = charges->count;

	if (!ret)
		ret = flush(reading);
	if (ret == -ENOMEM)
		return ret;
	explain(cache, ret);
	ret = add_charge(charges, CHARGE_NO_OWNER, reading->uncharged);
	for (size_t i = 0; !ret && i < charges->owner_count; i++)
		ret = add_charge(charges, i, reading->pages[i]);
	if (!ret && charges->count > first)
		qsort(charges->list + first, charges->count - first,
		      sizeof(*charges->list), by_pages);
	return ret;
}

/* Adds a cache if it is wanted, and then sets *@is_wanted. */
static int add_cache(struct reading *reading, const struct cache *cache,
		     bool *is_wanted)
{
	struct charges *charges = reading->charges;
	const bool is_device = cache->kind == CACHE_DEVICE;
	const struct called called = {
		.major = cache->major,
		.minor = cache->minor,
		.name = is_device ? cache->name : NULL,
		.source = is_device ? NULL : cache->name,
		.is_device = is_device,
	};
	struct cache *added;

	*is_wanted = selection_has(reading->selection, &called);
	if (!*is_wanted)
		return 0;
	if (array_make_room(&charges->caches, charges->cache_count,
			    &charges->cache_capacity) < 0)
		return -ENOMEM;
	added = &charges->caches[charges->cache_count++];
	*added = *cache;
	added->name = strdup(cache->name);
	added->mountpoint = cache->mountpoint ? strdup(cache->mountpoint) :
						NULL;
	return added->name && (added->mountpoint || !cache->mountpoint) ?
		       0 :
		       -ENOMEM;
}

static int read_device(struct reading *reading, const struct bdev_entry *entry)
{
	const struct kernel *kernel = reading->kernel;
	struct page_tree tree = page_tree_of(entry);
	char name[BDEV_NAME_SIZE];
	struct cache cache = {
		.kind = CACHE_DEVICE,
		.major = bdev_entry_major(entry),
		.minor = bdev_entry_minor(entry),
		.name = name,
		.has_pages = true,
		.pages = entry->pages,
	};
	bool is_wanted;
	int ret;

	bdev_entry_name(kernel->kmem, &kernel->root.layout, entry, name);
	ret = add_cache(reading, &cache, &is_wanted);
	if (ret < 0 || !is_wanted)
		return ret;
	begin_cache(reading);
	ret = entry->has_tree ? walk_tree(reading, &tree) : -EOPNOTSUPP;
	return end_cache(reading, ret);
}

static int read_devices(struct reading *reading, struct error *err)
{
	const struct kernel *kernel = reading->kernel;
	struct bdev_list list = { 0 };
	int ret = bdev_walk_kernel(kernel, &list, err);

	for (size_t i = 0; !ret && i < list.count; i++) {
		ret = read_device(reading, &list.entries[i]);
		if (ret < 0)
			error_errno(err, -ret, NULL, NULL);
	}
	bdev_list_deinit(&list);
	return ret;
}

static int visit_inode(void *data, const struct inode *inode, struct error *err)
{
	struct reading *reading = data;
	int ret = inode->pages ? walk_tree(reading, &inode->tree) : 0;

	if (ret == -EADDRNOTAVAIL)
		return error_set(err, ERROR_UNUSABLE, KERNEL_HIDES_PAGES);
	return ret < 0 ? error_doing(err, -ret, "reading kernel memory", NULL,
				     "%s", kmem_strerror(ret)) :
			 0;
}

static int read_filesystem(struct reading *reading,
			   const struct kernel_filesystems *found, size_t index,
			   const struct all_mounts *mounts)
{
	struct superblock *superblock = &found->superblocks.list[index];
	const struct mounted *mounted;
	enum superblock_kind kind = kernel_filesystems_kind(
		found, reading->kernel, mounts, index, &mounted);
	struct cache cache = {
		.kind = CACHE_FILESYSTEM,
		.major = superblock_major(superblock),
		.minor = superblock_minor(superblock),
		.name = superblock->id,
	};
	struct inode_sums sums;
	struct cache *added;
	bool is_wanted;
	int ret;

	if (kind == SUPERBLOCK_OTHER)
		return 0;
	if (kind == SUPERBLOCK_OWN)
		cache.name = (char *)"shared";
	if (mounted) {
		cache.name = mounted->source;
		cache.mountpoint = mounted->mountpoints.count ?
					   mounted->mountpoints.strings[0] :
					   NULL;
	}
	ret = add_cache(reading, &cache, &is_wanted);
	if (ret < 0 || !is_wanted)
		return ret;
	ret = kernel_filesystems_walk(found, reading->kernel, index,
				      cache.mountpoint ?: cache.name,
				      begin_cache, visit_inode, reading, &sums);
	added = &reading->charges->caches[reading->charges->cache_count - 1];
	added->has_pages = !ret && !*sums.why;
	added->pages = sums.pages;
	memcpy(added->why, sums.why, sizeof(added->why));
	return end_cache(reading, ret);
}

static int read_filesystems(struct reading *reading,
			    const struct all_mounts *mounts, struct error *err)
{
	struct kernel_filesystems found;
	int ret = kernel_filesystems_init(&found, reading->kernel, err);

	for (size_t i = 0; !ret && i < found.superblocks.count; i++) {
		ret = read_filesystem(reading, &found, i, mounts);
		if (ret < 0)
			error_errno(err, -ret, NULL, NULL);
	}
	kernel_filesystems_deinit(&found);
	return ret;
}

static int begin(struct reading *reading, struct error *err)
{
	const struct kernel *kernel = reading->kernel;

	reading->charges->page_size = kernel->page_size;
	reading->charges->is_dump = !kernel->is_live;
	page_tags_layout_init(&reading->tags, &kernel->btf);
	reading->walk = (struct page_walk){
		.kmem = kernel->kmem,
		.layout = &reading->tags,
		.tree = kernel->root.layout.offset[BDEV_TREE],
		.nodes = PAGE_WALK_NODES,
		.visit = visit_page,
		.data = reading,
	};
	reading->batch = calloc(BATCH, sizeof(*reading->batch));
	return reading->batch ?
		       memcg_layout_init(&reading->layout, &kernel->btf, err) :
		       error_errno(err, ENOMEM, NULL, NULL);
}

static int read_kernel(struct charges *charges, const struct kernel *kernel,
		       const struct all_mounts *mounts,
		       struct selection *selection, struct error *err)
{
	_cleanup_(reading_deinit) struct reading reading = {
		.charges = charges,
		.kernel = kernel,
		.selection = selection,
	};
	int ret = begin(&reading, err) ?: read_devices(&reading, err);

	return ret ? ret : read_filesystems(&reading, mounts, err);
}

int charges_read(struct charges *charges, const struct sysroot *root,
		 const char *vmcore, struct selection *selection,
		 struct error *err)
{
	struct all_mounts mounts = { 0 };
	struct kernel kernel;
	int ret = kernel_open(&kernel, root, vmcore, err);

	*charges = (struct charges){ 0 };
	if (!ret && !vmcore && all_mounts_init(&mounts, root) < 0)
		ret = error_errno(err, ENOMEM, "reading", "the mounts");
	if (!ret)
		ret = read_kernel(charges, &kernel, &mounts, selection, err);
	if (!ret && vmcore_release(&kernel, &charges->release) < 0)
		ret = error_errno(err, ENOMEM, NULL, NULL);
	all_mounts_deinit(&mounts);
	ret = kernel_close(&kernel, ret, err);
	return ret < 0 && !vmcore ? error_within(err, ret, NULL, "kcore") : ret;
}

void charges_deinit(struct charges *charges)
{
	for (size_t i = 0; i < charges->cache_count; i++) {
		free(charges->caches[i].name);
		free(charges->caches[i].mountpoint);
	}
	for (size_t i = 0; i < charges->owner_count; i++) {
		free(charges->owners[i].path);
		free(charges->owners[i].container);
	}
	free(charges->caches);
	free(charges->owners);
	free(charges->list);
	free(charges->release);
	*charges = (struct charges){ 0 };
}

bool charges_are_whole(const struct charges *charges)
{
	for (size_t i = 0; i < charges->cache_count; i++) {
		if (*charges->caches[i].why || !charges->caches[i].has_pages)
			return false;
	}
	return true;
}
