// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/device_blocks.h"
#include "kernel/bdev_walk.h"
#include "kernel/kernel.h"
#include "kernel/page_contents.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/sysroot.h"
#include "measure/snapshot.h"
#include "measure/vmcore.h"
#include "names/names.h"
#include "worker/patience.h"

/* While devices come and go, one walk in 30 has to be repeated. */
#define ATTEMPTS 20

static int read_page(void *data, size_t which, void *bytes, uint64_t *valid)
{
	const struct device_blocks *device = data;

	return page_contents_read(device->contents, &device->list.list[which],
				  bytes, valid);
}

static int look_at_pages(void *data, size_t first, size_t count,
			 const struct page_look *look)
{
	const struct device_blocks *device = data;

	return page_contents_look(device->contents, device->list.list, first,
				  count, look);
}

/* The size of the device is that of its inode. */
static uint64_t read_size(const struct kernel *kernel, uint64_t inode)
{
	struct btf_struct type = { .name = "inode" };
	uint32_t offset, size;
	uint64_t bytes;

	btf_find_structs(&kernel->btf, &type, 1);
	if (!type.id ||
	    btf_find_member(&kernel->btf, &type, "i_size", &offset, &size) <
		    0 ||
	    size < sizeof(bytes) ||
	    kmem_read_word(kernel->kmem, inode + offset, &bytes) < 0)
		return 0;
	return bytes;
}

static int explain(int ret, struct error *err)
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

static int64_t budget_of(const struct patience *patience)
{
	return patience && patience->seconds > 0 ?
		       (int64_t)(patience->seconds * 1e9) :
		       DEVICE_BLOCKS_TIME;
}

static void count_pages(struct device_blocks *device)
{
	uint64_t found = device->list.count + device->list.left_out;

	device->pages = found > device->list.counted ? found :
						       device->list.counted;
	device->blocks.bytes[BLOCK_GONE] +=
		(device->pages - found) * device->page_size;
	device->blocks.bytes[BLOCK_UNSEEN] +=
		device->list.left_out * device->page_size;
}

static int classify(struct device_blocks *device, const struct kernel *kernel,
		    int64_t began_ns)
{
	int ret;

	device->cache = (struct block_cache){
		.pages = device->list.list,
		.count = device->list.count,
		.page_size = (uint32_t)device->page_size,
		.read = read_page,
		.look = look_at_pages,
		.data = device,
	};
	ret = block_cache_init(&device->cache);
	if (!ret)
		ret = blocks_init(&device->blocks, &device->cache,
				  device->device_bytes, began_ns,
				  budget_of(kernel->patience));
	count_pages(device);
	return ret;
}

/* A device that was read raw has no buffer heads, but another may have some. */
static bool learn_elsewhere(struct page_contents *contents,
			    const struct kernel *kernel,
			    const struct bdev_list *devices)
{
	struct page_contents other = *contents;

	for (size_t i = 0; !other.known_page && i < devices->count; i++) {
		const struct bdev_entry *entry = &devices->entries[i];
		struct cached_pages pages = { 0 };

		other.mapping = entry->mapping;
		other.device = entry->bdev;
		if (entry->pages &&
		    cached_pages_init(&pages, kernel, entry,
				      contents->page_struct) == 0)
			page_contents_learn(&other, pages.list, pages.count);
		cached_pages_deinit(&pages);
	}
	contents->known_page = other.known_page;
	contents->known_contents = other.known_contents;
	return other.known_page;
}

static int read_device(struct device_blocks *device, struct kernel *kernel,
		       const struct bdev_list *devices,
		       const struct bdev_entry *entry, int64_t began_ns,
		       struct error *err)
{
	struct page_contents contents;
	int ret = page_contents_init(&contents, kernel, err);

	if (ret < 0)
		return ret;
	contents.mapping = entry->mapping;
	contents.device = entry->bdev;
	device->page_size = kernel->page_size;
	device->device_bytes = read_size(kernel, entry->inode);
	ret = cached_pages_init(&device->list, kernel, entry,
				contents.page_struct);
	if (!ret && device->list.count &&
	    kernel_hides_pages(kernel, device->list.list->page))
		return error_set(err, ERROR_UNUSABLE, KERNEL_HIDES_PAGES);
	if (!ret && device->list.count &&
	    !page_contents_learn(&contents, device->list.list,
				 device->list.count) &&
	    !learn_elsewhere(&contents, kernel, devices))
		return error_set(err, ERROR_UNUSABLE,
				 "this kernel does not say where it maps its "
				 "pages, and no cached page of a device has a "
				 "buffer head that does");
	device->contents = &contents;
	if (!ret)
		ret = classify(device, kernel, began_ns);
	device->contents = NULL;
	return ret < 0 ? explain(ret, err) : 1;
}

static int read_kernel(struct device_blocks *device, struct kernel *kernel,
		       int64_t began_ns, device_wanted_fn *wanted, void *data,
		       struct error *err)
{
	struct bdev_list list = { 0 };
	int attempts = ATTEMPTS, ret;

	device->is_dump = !kernel->is_live;
	do {
		ret = bdev_walk(kernel->kmem, &kernel->root.layout,
				kernel->superblock, &list, err);
	} while (ret == -EAGAIN && --attempts);
	for (size_t i = 0; !ret && i < list.count; i++) {
		const struct bdev_entry *entry = &list.entries[i];
		char name[BDEV_NAME_SIZE];

		device->major = entry->dev >> 20;
		device->minor = entry->dev & ((1U << 20) - 1);
		bdev_entry_name(kernel->kmem, &kernel->root.layout, entry,
				name);
		if (!wanted(data, device->major, device->minor, name))
			continue;
		device->name = strdup(name);
		ret = device->name ? read_device(device, kernel, &list, entry,
						 began_ns, err) :
				     error_errno(err, ENOMEM, NULL, NULL);
		break;
	}
	bdev_list_deinit(&list);
	return ret;
}

/* Takes what users call the device, and where it is mounted. */
static int name_device(struct device_blocks *device, const struct sysroot *root)
{
	struct sample sample = {
		.major = device->major,
		.minor = device->minor,
		.kname = device->name,
	};
	struct names *names = names_create(root);
	struct device_names found = { 0 };
	int ret = names ? names_lookup(names, &sample, &found) : -ENOMEM;

	if (!ret && found.name) {
		free(device->name);
		device->name = steal_ptr(found.name);
	}
	if (!ret && found.mountpoints.count) {
		device->mountpoint = strdup(found.mountpoints.strings[0]);
		ret = device->mountpoint ? 0 : -ENOMEM;
	}
	device_names_deinit(&found);
	names_destroy(names);
	return ret;
}

int device_blocks_read(struct device_blocks *device, const struct sysroot *root,
		       device_wanted_fn *wanted, void *data, struct error *err)
{
	int64_t began_ns = monotonic_ns();
	struct kernel kernel;
	int ret = kernel_open_live(&kernel, root, err);

	*device = (struct device_blocks){ 0 };
	if (!ret)
		ret = read_kernel(device, &kernel, began_ns, wanted, data, err);
	kernel_close_live(&kernel);
	if (ret > 0 && name_device(device, root) < 0)
		ret = error_errno(err, ENOMEM, NULL, NULL);
	return ret < 0 ? error_within(err, ret, NULL, "kcore") : ret;
}

int device_blocks_read_dump(struct device_blocks *device, const char *path,
			    struct patience *patience, device_wanted_fn *wanted,
			    void *data, struct error *err)
{
	int64_t began_ns = monotonic_ns();
	struct kernel kernel;
	int ret = kernel_open_dump(&kernel, path, patience, err), failed;

	*device = (struct device_blocks){ 0 };
	if (!ret) {
		ret = read_kernel(device, &kernel, began_ns, wanted, data, err);
		if (ret > 0 && vmcore_release(&kernel, &device->release) < 0)
			ret = error_errno(err, ENOMEM, NULL, NULL);
		failed = kernel_dump_result(&kernel, path, ret, err);
		ret = failed < 0 ? failed : ret;
	}
	kernel_close_dump(&kernel);
	return ret;
}

void device_blocks_deinit(struct device_blocks *device)
{
	blocks_deinit(&device->blocks);
	block_cache_deinit(&device->cache);
	cached_pages_deinit(&device->list);
	free(device->name);
	free(device->mountpoint);
	free(device->release);
	*device = (struct device_blocks){ 0 };
}
