// SPDX-License-Identifier: GPL-2.0-or-later
#include <blkid/blkid.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "blocks/block_cache.h"
#include "blocks/identity.h"
#include "kernel/page_contents.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/library.h"
#include "names/device_names.h"

const struct identity_place identity_places[] = {
	{ false, 0, (512 << 10) + 512 }, { false, 1 << 20, 512 },
	{ false, 2 << 20, 512 },	 { false, 4 << 20, 512 },
	{ true, 1580544, 24 },		 { true, 512 << 10, 512 << 10 },
};

const size_t identity_place_count =
	sizeof(identity_places) / sizeof(*identity_places);

/* The functions of libblkid (2.17 or later) that are called. */
struct libblkid {
	void *handle; /* of the loaded library, or NULL */
	blkid_probe (*new_probe)(void);
	void (*free_probe)(blkid_probe probe);
	int (*set_device)(blkid_probe probe, int fd, blkid_loff_t offset,
			  blkid_loff_t size);
	int (*set_flags)(blkid_probe probe, int flags);
	int (*safeprobe)(blkid_probe probe);
	int (*lookup)(blkid_probe probe, const char *name, const char **value,
		      size_t *size);
};

static int libblkid_init(struct libblkid *lib, struct error *err)
{
	const struct library_symbol symbols[] = {
		{ "blkid_new_probe", &lib->new_probe },
		{ "blkid_free_probe", &lib->free_probe },
		{ "blkid_probe_set_device", &lib->set_device },
		{ "blkid_probe_set_superblocks_flags", &lib->set_flags },
		{ "blkid_do_safeprobe", &lib->safeprobe },
		{ "blkid_probe_lookup_value", &lib->lookup },
	};
	int ret;

	*lib = (struct libblkid){ 0 };
	ret = library_open(LIBRARY_BLKID, symbols,
			   sizeof(symbols) / sizeof(*symbols), &lib->handle,
			   err);
	return ret < 0 ? lack_of_error(err, LACK_LIBRARY) : 0;
}

static void libblkid_deinit(struct libblkid *lib)
{
	if (lib->handle)
		dlclose(lib->handle);
	*lib = (struct libblkid){ 0 };
}

/* A copy of what is cached, in memory. */
struct identity_copy {
	struct block_cache *cache;
	uint64_t device_bytes;
	int fd;
};

/* What is not cached, or no longer read in time, stays zeros. */
static int copy_part(const struct identity_copy *copy, uint64_t offset,
		     size_t size)
{
	unsigned char bytes[CONTENTS_PART];
	int ret = block_cache_read(copy->cache, offset, size, bytes);

	if (ret == -ENODATA || ret == -ETIMEDOUT)
		return 0;
	if (!ret &&
	    pwrite(copy->fd, bytes, size, (off_t)offset) != (ssize_t)size)
		return errno ? -errno : -EIO;
	return ret;
}

/* Copies the cached pages of the @size bytes from @from on. */
static int copy_range(const struct identity_copy *copy, uint64_t from,
		      uint64_t size)
{
	const struct block_cache *cache = copy->cache;
	uint64_t end = size < copy->device_bytes - from ? from + size :
							  copy->device_bytes;
	int ret = 0;

	for (size_t i = block_cache_find(cache, from / cache->page_size);
	     !ret && i < cache->count; i++) {
		uint64_t at =
			cached_page_index(&cache->pages[i]) * cache->page_size;
		uint64_t page_end = at + cache->page_size;

		if (at >= end)
			break;
		for (; !ret && at < page_end && at < end; at += CONTENTS_PART)
			ret = copy_part(copy, at,
					end - at < CONTENTS_PART ?
						(size_t)(end - at) :
						CONTENTS_PART);
	}
	return ret;
}

/* Where a place begins in the device. */
static uint64_t start_of(const struct identity_place *place, uint64_t size)
{
	if (!place->is_from_end)
		return place->offset < size ? place->offset : size;
	return size > place->offset ? size - place->offset : 0;
}

static int copy_ends(const struct identity_copy *copy)
{
	uint64_t size = copy->device_bytes;
	uint64_t end = size > IDENTITY_END ? size - IDENTITY_END : 0;
	int ret = copy_range(copy, 0, IDENTITY_FRONT);

	for (size_t i = 0; !ret && i < identity_place_count; i++) {
		uint64_t start = start_of(&identity_places[i], size);

		if (start >= IDENTITY_FRONT && start < end)
			ret = copy_range(copy, start, identity_places[i].bytes);
	}
	return ret ?: copy_range(copy, end, IDENTITY_END);
}

static bool is_cached(struct block_cache *cache, uint64_t offset, uint64_t size)
{
	unsigned char bytes[CONTENTS_PART];

	while (size) {
		size_t part = CONTENTS_PART - offset % CONTENTS_PART;

		if (part > size)
			part = (size_t)size;
		if (block_cache_read(cache, offset, part, bytes) < 0)
			return false;
		offset += part;
		size -= part;
	}
	return true;
}

/* Whether libblkid saw what is on the device wherever it looked. */
static bool has_all_places(const struct identity_copy *copy)
{
	uint64_t size = copy->device_bytes;

	for (size_t i = 0; i < identity_place_count; i++) {
		const struct identity_place *place = &identity_places[i];
		uint64_t from = start_of(place, size);

		if (from < size &&
		    !is_cached(copy->cache, from,
			       place->bytes < size - from ? place->bytes :
							    size - from))
			return false;
	}
	return true;
}

static int take(const struct libblkid *lib, blkid_probe probe, const char *tag,
		char **place)
{
	const char *value;

	if (lib->lookup(probe, tag, &value, NULL) < 0 || !*value)
		return 0;
	*place = strdup(value);
	return *place ? 0 : -ENOMEM;
}

static int ask_library(struct identity *identity, const struct libblkid *lib,
		       const struct identity_copy *copy)
{
	blkid_probe probe = lib->new_probe();
	int ret = probe ? 0 : -ENOMEM;

	/* 1: nothing was found; -2: two things, of which none is believed. */
	if (!ret && lib->set_device(probe, copy->fd, 0, 0) == 0 &&
	    lib->set_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
					  BLKID_SUBLKS_UUID) == 0 &&
	    lib->safeprobe(probe) == 0) {
		ret = take(lib, probe, "TYPE", &identity->fstype);
		if (!ret)
			ret = take(lib, probe, "LABEL", &identity->label);
		if (!ret)
			ret = take(lib, probe, "UUID", &identity->uuid);
	}
	if (probe)
		lib->free_probe(probe);
	return ret;
}

int identity_init(struct identity *identity, struct block_cache *cache,
		  uint64_t device_bytes, struct error *err)
{
	_cleanup_(libblkid_deinit) struct libblkid lib;
	_cleanup_(closep) int fd = memfd_create("bufstat-device", MFD_CLOEXEC);
	struct identity_copy copy = { cache, device_bytes, fd };
	int ret = libblkid_init(&lib, err);

	*identity = (struct identity){ 0 };
	if (ret < 0)
		return ret;
	/* A place from the end needs an end. */
	if (!device_bytes || device_bytes > INT64_MAX)
		return 0;
	if (fd < 0 || ftruncate(fd, (off_t)device_bytes) < 0)
		ret = -errno;
	if (!ret)
		ret = copy_ends(&copy);
	if (!ret)
		ret = ask_library(identity, &lib, &copy);
	if (ret == -ENOMEM)
		return error_errno(err, ENOMEM, NULL, NULL);
	if (ret < 0)
		return error_doing(err, ERROR_UNUSABLE, "copying cached pages",
				   NULL, "%s", strerror(-ret));
	identity->is_proven = identity->fstype && has_all_places(&copy);
	return 0;
}

void identity_deinit(struct identity *identity)
{
	free(identity->fstype);
	free(identity->label);
	free(identity->uuid);
	*identity = (struct identity){ 0 };
}

/*
 * What is built on members of which type, by how the kernel names it; NULL is
 * the device mapper, whose devices have names of their own.
 */
static const struct {
	const char *fstype, *holder;
} takers[] = {
	{ "linux_raid_member", "md" }, { "bcache", "bcache" },
	{ "LVM2_member", NULL },       { "crypto_LUKS", NULL },
	{ "DM_integrity", NULL },      { "DM_verity_hash", NULL },
};

static const char *taker_of(const char *holder)
{
	for (size_t i = 0; i < sizeof(takers) / sizeof(*takers); i++) {
		const char *name = takers[i].holder;

		if (name && strncmp(holder, name, strlen(name)) == 0)
			return name;
	}
	return NULL;
}

static bool has_taker(const char *fstype, const struct string_list *holders)
{
	size_t which = 0;

	while (which < sizeof(takers) / sizeof(*takers) &&
	       strcmp(fstype, takers[which].fstype) != 0)
		which++;
	if (which == sizeof(takers) / sizeof(*takers))
		return false;
	for (size_t i = 0; i < holders->count; i++) {
		if (taker_of(holders->strings[i]) == takers[which].holder)
			return true;
	}
	return false;
}

int identity_set_mounted(struct identity *identity, const char *fstype)
{
	char *copy;

	identity->is_proven = true;
	if (identity->fstype && strcmp(identity->fstype, fstype) == 0)
		return 0;
	copy = strdup(fstype);
	if (!copy)
		return -ENOMEM;
	free(identity->fstype);
	identity->fstype = copy;
	return 0;
}

int identity_confirm(struct identity *identity,
		     const struct device_names *names)
{
	const struct string_list *mounts = &names->mountpoints;

	if (string_list_has(mounts, "[SWAP]"))
		return identity_set_mounted(identity, "swap");
	/* What is mounted has the type of the mount table. */
	if (mounts->count && names->fstype)
		return identity_set_mounted(identity, names->fstype);
	if (identity->fstype && has_taker(identity->fstype, &names->holders))
		identity->is_proven = true;
	return 0;
}
