// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "blocks/device_cache.h"
#include "kernel/kernel.h"
#include "kernel/kmem.h"
#include "lib/error.h"

static int read_page(void *data, size_t which, void *bytes, uint64_t *valid)
{
	const struct device_cache *cached = data;

	return page_contents_read(&cached->contents, &cached->list.list[which],
				  bytes, valid);
}

static int look_at_pages(void *data, size_t first, size_t count,
			 const struct page_look *look)
{
	const struct device_cache *cached = data;

	return page_contents_look(&cached->contents, cached->list.list, first,
				  count, look);
}

/* The size of the device is that of its inode. */
static void find_size(struct device_caches *caches)
{
	const struct btf *btf = &caches->kernel->btf;
	struct btf_struct type = { .name = "inode" };
	uint32_t offset, size;

	btf_find_structs(btf, &type, 1);
	if (type.id &&
	    btf_find_member(btf, &type, "i_size", &offset, &size) == 0 &&
	    size >= sizeof(uint64_t))
		caches->size_offset = offset;
}

static uint64_t read_size(const struct device_caches *caches, uint64_t inode)
{
	uint64_t bytes;

	return caches->size_offset &&
			       kmem_read_word(caches->kernel->kmem,
					      inode + caches->size_offset,
					      &bytes) == 0 ?
		       bytes :
		       0;
}

int device_caches_init(struct device_caches *caches, struct kernel *kernel,
		       struct error *err)
{
	*caches = (struct device_caches){ .kernel = kernel };
	return bdev_walk_kernel(kernel, &caches->devices, err);
}

void device_caches_deinit(struct device_caches *caches)
{
	bdev_list_deinit(&caches->devices);
}

int device_cache_error(struct error *err, int ret)
{
	switch (ret) {
	case -EOPNOTSUPP:
		return error_set(err, ERROR_UNUSABLE,
				 "this kernel's page trees are of an unknown "
				 "form");
	case -E2BIG:
		return error_set(err, E2BIG,
				 "it has too many pages to look at each");
	case -ESTALE:
		return error_set(err, ENODEV, "the device went away");
	case -ENOMEM:
		return error_errno(err, ENOMEM, NULL, NULL);
	default:
		return error_doing(err, -ret, "reading kernel memory", NULL,
				   "%s", kmem_strerror(ret));
	}
}

/* A device that was read raw has no buffer heads, but another may have some. */
static bool learn_elsewhere(struct page_contents *contents,
			    const struct device_caches *caches)
{
	struct page_contents other = *contents;

	for (size_t i = 0; !other.known_page && i < caches->devices.count;
	     i++) {
		const struct bdev_entry *entry = &caches->devices.entries[i];
		struct cached_pages pages = { 0 };

		other.mapping = entry->mapping;
		other.device = entry->bdev;
		if (entry->pages &&
		    cached_pages_init(&pages, caches->kernel, entry,
				      contents->page_struct) == 0)
			page_contents_learn(&other, pages.list, pages.count);
		cached_pages_deinit(&pages);
	}
	contents->known_page = other.known_page;
	contents->known_contents = other.known_contents;
	return other.known_page;
}

/* What is learned of one device is true of the next one. */
static bool learn(struct page_contents *contents, struct device_caches *caches,
		  const struct cached_pages *list)
{
	if (!page_contents_learn(contents, list->list, list->count) &&
	    !learn_elsewhere(contents, caches))
		return false;
	if (!contents->is_base) {
		caches->contents.known_page = contents->known_page;
		caches->contents.known_contents = contents->known_contents;
	}
	return true;
}

static int list_pages(struct device_cache *cached, const struct kernel *kernel,
		      const struct bdev_entry *entry, uint64_t end_bytes)
{
	uint64_t page_size = kernel->page_size;

	if (!end_bytes)
		return cached_pages_init(&cached->list, kernel, entry,
					 cached->contents.page_struct);
	if (!cached->device_bytes)
		return 0;
	return cached_pages_init_ends(
		&cached->list, kernel, entry, cached->contents.page_struct,
		end_bytes / page_size,
		cached->device_bytes / page_size +
			!!(cached->device_bytes % page_size));
}

int device_cache_init(struct device_cache *cached, struct device_caches *caches,
		      const struct bdev_entry *entry, uint64_t end_bytes,
		      struct error *err)
{
	struct page_contents *contents = &cached->contents;
	struct kernel *kernel = caches->kernel;
	int ret = 0;

	*cached = (struct device_cache){ 0 };
	if (!caches->contents.kmem) {
		ret = page_contents_init(&caches->contents, kernel, err);
		find_size(caches);
	}
	if (ret < 0) {
		caches->contents.kmem = NULL;
		return ret;
	}
	*contents = caches->contents;
	contents->mapping = entry->mapping;
	contents->device = entry->bdev;
	cached->device_bytes = read_size(caches, entry->inode);
	ret = list_pages(cached, kernel, entry, end_bytes);
	if (!ret && cached->list.count &&
	    kernel_hides_pages(kernel, cached->list.list->page))
		return error_set(err, ERROR_UNUSABLE, KERNEL_HIDES_PAGES);
	if (!ret && cached->list.count &&
	    !learn(contents, caches, &cached->list))
		return error_set(err, ERROR_UNUSABLE,
				 "this kernel does not say where it maps its "
				 "pages, and no cached page of a device has a "
				 "buffer head that does");
	cached->cache = (struct block_cache){
		.pages = cached->list.list,
		.count = cached->list.count,
		.page_size = (uint32_t)kernel->page_size,
		.read = read_page,
		.look = look_at_pages,
		.data = cached,
	};
	if (!ret)
		ret = block_cache_init(&cached->cache);
	return ret < 0 ? device_cache_error(err, ret) : 0;
}

void device_cache_deinit(struct device_cache *cached)
{
	block_cache_deinit(&cached->cache);
	cached_pages_deinit(&cached->list);
	*cached = (struct device_cache){ 0 };
}
