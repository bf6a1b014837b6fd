// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/device_blocks.h"
#include "blocks/identities.h"
#include "filesystems/selection.h"
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

static int64_t budget_of(const struct patience *patience)
{
	return patience && patience->seconds > 0 ?
		       (int64_t)(patience->seconds * 1e9) :
		       DEVICE_BLOCKS_TIME;
}

static void count_pages(struct device_blocks *device)
{
	const struct cached_pages *list = &device->cached.list;
	uint64_t found = list->count + list->left_out;

	device->pages = found > list->counted ? found : list->counted;
	device->blocks.bytes[BLOCK_GONE] +=
		(device->pages - found) * device->page_size;
	device->blocks.bytes[BLOCK_UNSEEN] +=
		list->left_out * device->page_size;
}

/* libblkid knows most types; without it there are those of @device->blocks. */
static int identify(struct device_blocks *device, const struct kernel *kernel,
		    uint32_t dev, struct error *err)
{
	const char *fstype = device->blocks.fstype;
	struct identity *identity = &device->identity;
	int ret = identity_init(identity, &device->cached.cache,
				device->cached.device_bytes, err);

	device->is_unasked = ret == -EOPNOTSUPP;
	if (device->is_unasked)
		device->unasked = *err;
	if (ret < 0 && !device->is_unasked)
		return ret;
	if (!identity->fstype && fstype) {
		identity->fstype = strdup(fstype);
		if (!identity->fstype)
			return error_errno(err, ENOMEM, NULL, NULL);
	}
	if (!kernel->is_live &&
	    identity_take_superblock(identity, kernel, dev) < 0)
		return error_errno(err, ENOMEM, NULL, NULL);
	return 0;
}

static int read_device(struct device_blocks *device,
		       struct device_caches *caches,
		       const struct bdev_entry *entry, int64_t began_ns,
		       struct error *err)
{
	struct device_cache *cached = &device->cached;
	const struct kernel *kernel = caches->kernel;
	int64_t budget = budget_of(kernel->patience);
	int ret = device_cache_init(cached, caches, entry, 0, err);

	if (ret < 0)
		return ret;
	device->page_size = kernel->page_size;
	ret = blocks_init(&device->blocks, &cached->cache, cached->device_bytes,
			  began_ns, budget);
	count_pages(device);
	if (ret < 0)
		return device_cache_error(err, ret);
	block_cache_set_deadline(&cached->cache, began_ns + budget);
	ret = identify(device, kernel, entry->dev, err);
	return ret < 0 ? ret : 1;
}

static int read_kernel(struct device_blocks *device, struct kernel *kernel,
		       int64_t began_ns, struct selection *selection,
		       struct error *err)
{
	_cleanup_(device_caches_deinit) struct device_caches caches;
	int ret = device_caches_init(&caches, kernel, err);

	device->is_dump = !kernel->is_live;
	for (size_t i = 0; !ret && i < caches.devices.count; i++) {
		const struct bdev_entry *entry = &caches.devices.entries[i];
		char name[BDEV_NAME_SIZE];
		const struct called called = {
			.major = bdev_entry_major(entry),
			.minor = bdev_entry_minor(entry),
			.name = name,
			.is_device = true,
		};

		device->major = called.major;
		device->minor = called.minor;
		bdev_entry_name(kernel->kmem, &kernel->root.layout, entry,
				name);
		if (!selection_has(selection, &called))
			continue;
		device->name = strdup(name);
		ret = device->name ? read_device(device, &caches, entry,
						 began_ns, err) :
				     error_errno(err, ENOMEM, NULL, NULL);
		break;
	}
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
	if (!ret)
		ret = identity_confirm(&device->identity, &found);
	device_names_deinit(&found);
	names_destroy(names);
	return ret;
}

int device_blocks_read(struct device_blocks *device, const struct sysroot *root,
		       const char *vmcore, struct selection *selection,
		       struct error *err)
{
	int64_t began_ns = monotonic_ns();
	struct kernel kernel;
	int ret = kernel_open(&kernel, root, vmcore, err);

	*device = (struct device_blocks){ 0 };
	if (!ret)
		ret = read_kernel(device, &kernel, began_ns, selection, err);
	if (ret > 0 && vmcore_release(&kernel, &device->release) < 0)
		ret = error_errno(err, ENOMEM, NULL, NULL);
	ret = kernel_close(&kernel, ret, err);
	if (ret > 0 && !vmcore && name_device(device, root) < 0)
		ret = error_errno(err, ENOMEM, NULL, NULL);
	return ret < 0 && !vmcore ? error_within(err, ret, NULL, "kcore") : ret;
}

void device_blocks_deinit(struct device_blocks *device)
{
	identity_deinit(&device->identity);
	blocks_deinit(&device->blocks);
	device_cache_deinit(&device->cached);
	free(device->name);
	free(device->mountpoint);
	free(device->release);
	*device = (struct device_blocks){ 0 };
}
