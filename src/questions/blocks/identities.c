// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/device_cache.h"
#include "blocks/identities.h"
#include "filesystems/kernel_filesystems.h"
#include "kernel/kernel.h"
#include "kernel/kmem.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/monotonic.h"
#include "names/device_names.h"
#include "worker/patience.h"

/* For all devices together: half a second, or this part of --timeout. */
#define TIME_PART 4
#define USUAL_SECONDS 2.0

struct identifying {
	struct identities *identities;
	struct device_caches caches;
	struct kernel_filesystems filesystems;
	int64_t deadline_ns;
};

/* super_block.s_uuid is all zero if the filesystem has none. */
static int read_uuid(const struct kernel *kernel, uint64_t superblock,
		     char **text)
{
	struct btf_struct type = { .name = "super_block" };
	unsigned char uuid[16], any = 0;
	uint32_t offset, size;
	char *to;

	btf_find_structs(&kernel->btf, &type, 1);
	if (!type.id ||
	    btf_find_member(&kernel->btf, &type, "s_uuid", &offset, &size) <
		    0 ||
	    size != sizeof(uuid) ||
	    kmem_read(kernel->kmem, superblock + offset, uuid, sizeof(uuid)) <
		    0)
		return 0;
	for (size_t i = 0; i < sizeof(uuid); i++)
		any |= uuid[i];
	*text = any ? malloc(37) : NULL;
	if (!*text)
		return any ? -ENOMEM : 0;
	to = *text;
	for (size_t i = 0; i < sizeof(uuid); i++)
		to += sprintf(to, "%s%02x",
			      i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			      uuid[i]);
	return 0;
}

static int by_dev(const void *left, const void *right)
{
	const struct superblock *a = left, *b = right;

	return (a->dev > b->dev) - (a->dev < b->dev);
}

/* @found is sorted by dev. */
static int take_superblock(struct identity *identity,
			   const struct kernel *kernel,
			   const struct superblocks *found, uint32_t dev)
{
	const struct superblock key = { .dev = dev };
	const struct superblock *superblock;
	int ret;

	superblock = found->count ? bsearch(&key, found->list, found->count,
					    sizeof(key), by_dev) :
				    NULL;
	if (!superblock || !*superblock->type)
		return 0;
	ret = identity_set_mounted(identity, superblock->type);
	return ret || identity->uuid ?
		       ret :
		       read_uuid(kernel, superblock->address, &identity->uuid);
}

/* What cannot be read is not known. */
static int find_superblocks(struct kernel_filesystems *found,
			    const struct kernel *kernel)
{
	struct error unused;

	if (kernel_filesystems_init(found, kernel, &unused) == -ENOMEM)
		return -ENOMEM;
	if (found->superblocks.count)
		qsort(found->superblocks.list, found->superblocks.count,
		      sizeof(*found->superblocks.list), by_dev);
	return 0;
}

int identity_take_superblock(struct identity *identity,
			     const struct kernel *kernel, uint32_t dev)
{
	struct kernel_filesystems found;
	int ret = find_superblocks(&found, kernel);

	if (!ret)
		ret = take_superblock(identity, kernel, &found.superblocks,
				      dev);
	kernel_filesystems_deinit(&found);
	return ret;
}

static int look_into(struct identifying *all, const struct bdev_entry *entry,
		     struct identity *identity)
{
	_cleanup_(device_cache_deinit) struct device_cache cached = { 0 };
	struct identities *identities = all->identities;
	struct error err;
	bool is_for_all;
	int ret;

	if (error_is_set(&identities->why) ||
	    monotonic_ns() >= all->deadline_ns)
		return 0;
	ret = device_cache_init(&cached, &all->caches, entry, IDENTITY_PAGES,
				&err);
	is_for_all = ret == -EOPNOTSUPP;
	if (!ret) {
		block_cache_set_deadline(&cached.cache, all->deadline_ns);
		ret = identity_init(identity, &cached.cache,
				    cached.device_bytes, &err);
		/* Another device may be copied. */
		is_for_all = ret == -EOPNOTSUPP && err.lack == LACK_LIBRARY;
	}
	if (is_for_all)
		identities->why = err;
	return only_enomem(ret);
}

static int by_number(const void *left, const void *right)
{
	const struct device_identity *a = left, *b = right;

	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	return (a->minor > b->minor) - (a->minor < b->minor);
}

static struct device_identity *find(const struct identities *identities,
				    unsigned int major, unsigned int minor)
{
	const struct device_identity key = { .major = major, .minor = minor };

	return identities->count ?
		       bsearch(&key, identities->list, identities->count,
			       sizeof(key), by_number) :
		       NULL;
}

int identities_add(struct identities *identities, unsigned int major,
		   unsigned int minor)
{
	if (array_make_room(&identities->list, identities->count,
			    &identities->capacity) < 0)
		return -ENOMEM;
	identities->list[identities->count++] = (struct device_identity){
		.major = major,
		.minor = minor,
	};
	return 0;
}

/* The devices of the kernel are sorted by number. */
static int add_all(struct identifying *all)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < all->caches.devices.count; i++) {
		const struct bdev_entry *entry =
			&all->caches.devices.entries[i];

		if (entry->pages)
			ret = identities_add(all->identities,
					     bdev_entry_major(entry),
					     bdev_entry_minor(entry));
	}
	return ret;
}

static int read_devices(struct identifying *all)
{
	struct identities *identities = all->identities;
	int ret = identities->count ? 0 : add_all(all);

	if (identities->count)
		qsort(identities->list, identities->count,
		      sizeof(*identities->list), by_number);
	for (size_t i = 0; !ret && i < all->caches.devices.count; i++) {
		const struct bdev_entry *entry =
			&all->caches.devices.entries[i];
		struct device_identity *device = find(identities,
						      bdev_entry_major(entry),
						      bdev_entry_minor(entry));

		if (!device)
			continue;
		ret = look_into(all, entry, &device->identity);
		if (!ret)
			ret = take_superblock(&device->identity,
					      all->caches.kernel,
					      &all->filesystems.superblocks,
					      entry->dev);
	}
	return ret;
}

int identities_read(struct identities *identities, struct kernel *kernel)
{
	const double given = kernel->patience ? kernel->patience->seconds : 0;
	struct identifying all = {
		.identities = identities,
		.deadline_ns = monotonic_ns() +
			       (int64_t)((given > 0 ? given : USUAL_SECONDS) *
					 1e9 / TIME_PART),
	};
	struct error unused;
	int ret = only_enomem(device_caches_init(&all.caches, kernel, &unused));

	if (!ret)
		ret = find_superblocks(&all.filesystems, kernel);
	if (!ret)
		ret = read_devices(&all);
	kernel_filesystems_deinit(&all.filesystems);
	device_caches_deinit(&all.caches);
	return ret;
}

void identities_deinit(struct identities *identities)
{
	for (size_t i = 0; i < identities->count; i++)
		identity_deinit(&identities->list[i].identity);
	free(identities->list);
	*identities = (struct identities){ 0 };
}

int identities_name(struct identities *identities, unsigned int major,
		    unsigned int minor, struct device_names *names)
{
	struct device_identity *device = find(identities, major, minor);
	struct identity *identity;
	int ret;

	if (!device || names->fstype)
		return 0;
	identity = &device->identity;
	ret = identity_confirm(identity, names);
	if (ret < 0 || !identity->fstype)
		return ret;
	if (!identity->is_proven &&
	    asprintf(&names->looks_like, "looks like %s", identity->fstype) <
		    0) {
		names->looks_like = NULL;
		return -ENOMEM;
	}
	names->fstype = steal_ptr(identity->fstype);
	names->label = names->label ?: steal_ptr(identity->label);
	names->uuid = names->uuid ?: steal_ptr(identity->uuid);
	return 0;
}
