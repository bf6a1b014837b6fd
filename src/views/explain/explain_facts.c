// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "explain/explain_facts.h"
#include "explain/explain_search.h"
#include "kernel/kernel.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/vmcore.h"
#include "memory/kernel_memory.h"
#include "names/names_mounts.h"

/* A damaged dump may have any number of names. */
#define MOST_TYPES 256

static int read_fstypes(struct explain_facts *facts, const struct sysroot *root)
{
	struct mounts *mounts = mounts_create(root);
	int ret = mounts ? mounts_types(mounts, &facts->fstypes) : -ENOMEM;

	mounts_destroy(mounts);
	return ret;
}

/* The superblocks in a dump tell what is on a device. */
static int take_fstype(struct device *device,
		       const struct filesystems *filesystems)
{
	for (size_t i = 0; i < filesystems->count; i++) {
		const struct filesystem *filesystem =
			&filesystems->filesystems[i];

		if (filesystem->sample.major != device->sample.major ||
		    filesystem->sample.minor != device->sample.minor ||
		    !filesystem->type || device->names.fstype)
			continue;
		device->names.fstype = strdup(filesystem->type);
		if (!device->names.fstype)
			return -ENOMEM;
	}
	return 0;
}

static int fill_device(struct explain_device *device,
		       const struct openers *openers,
		       const struct sysroot *root)
{
	unsigned int major = device->of.sample.major;
	unsigned int minor = device->of.sample.minor;

	device->openers =
		openers_find(openers, major, minor, &device->opener_count);
	device->is_ramdisk = is_ramdisk(root, makedev(major, minor));
	return device_base_init(&device->base, root, major, minor);
}

static int fill_devices(struct explain_facts *facts, const struct sysroot *root)
{
	_cleanup_(rows_deinit) struct rows rows = { 0 };
	int ret = device_rows_init(&rows, &facts->buffers, false);

	facts->devices = calloc(rows.count + 1, sizeof(*facts->devices));
	if (!facts->devices)
		ret = -ENOMEM;
	while (!ret && facts->count < rows.count) {
		struct explain_device *device = &facts->devices[facts->count];

		device->of = *device_row(&rows, facts->count++);
		ret = fill_device(device, &facts->openers, root);
	}
	return ret;
}

static int fill_buffers(struct explain_facts *facts, const struct sysroot *root)
{
	struct devices *all = &facts->buffers;
	int ret;

	if (!explain_is_measured(facts))
		return 0;
	ret = openers_init(&facts->openers, root);
	if (!ret)
		ret = devices_find_names(all, root, false);
	for (size_t i = 0; !ret && facts->is_dump && i < all->count; i++)
		ret = take_fstype(&all->devices[i], &facts->filesystems);
	return ret ?: fill_devices(facts, root);
}

/* Where the counts cannot be read, the rest is explained all the same. */
static int read_memory(struct explain_facts *facts, const struct sysroot *root)
{
	int ret = memory_read(&facts->memory, root, &facts->why_no_memory);

	/* How full slab is decides what dropping gives back. */
	facts->has_memory = !ret;
	if (!ret)
		ret = memory_read_slab(&facts->memory, root);
	if (!ret)
		memory_heads_init(&facts->heads, &facts->memory);
	return only_enomem(ret);
}

static int read_limits(struct explain_facts *facts, const struct sysroot *root)
{
	int ret = cgroup_sample_take(&facts->cgroups, root, NULL);

	return only_enomem(ret);
}

static int fill(struct explain_facts *facts, const struct sysroot *root)
{
	int ret = read_fstypes(facts, root);

	facts->provenance = provenance_of(root, NULL);
	if (!ret) {
		ret = filesystems_init(&facts->filesystems, root, NULL,
				       &facts->why_no_filesystems);
		facts->has_filesystems = ret == 0;
		ret = only_enomem(ret);
	}
	return ret < 0 ? ret : fill_buffers(facts, root);
}

int explain_facts_init(struct explain_facts *facts, const struct sysroot *root,
		       const char *source, struct error *err)
{
	int ret;

	*facts = (struct explain_facts){
		.is_captured = !sysroot_is_live(root),
	};
	ret = read_memory(facts, root);
	if (!ret)
		ret = read_limits(facts, root);
	if (ret < 0)
		return error_errno(err, -ret, "gathering", "the facts");
	ret = devices_init(&facts->buffers, root, source, err);
	if (ret < 0)
		return ret;
	ret = fill(facts, root);
	if (!ret)
		ret = explain_search(facts, root);
	if (ret < 0)
		return error_errno(err, -ret, "gathering", "the facts");
	return 0;
}

/* Adds the types of the filesystems that the dump has. */
static int take_fstypes(struct explain_facts *facts)
{
	const struct filesystems *all = &facts->filesystems;
	int ret = 0;

	for (size_t i = 0; !ret && i < all->count; i++) {
		const char *type = all->filesystems[i].type;

		if (type && *type && facts->fstypes.count < MOST_TYPES)
			ret = string_list_add_once(&facts->fstypes, type);
	}
	return ret;
}

static int fill_from_dump(struct explain_facts *facts,
			  const struct sysroot *root, struct kernel *kernel)
{
	struct devices *devices = &facts->buffers;
	_cleanup_(freep) char *release = NULL;
	int ret;

	facts->has_memory = memory_read_kernel(&facts->memory, kernel,
					       &facts->why_no_memory) == 0;
	if (facts->has_memory)
		memory_heads_init(&facts->heads, &facts->memory);
	devices_init_kernel(devices, kernel);
	facts->has_filesystems =
		filesystems_init_kernel(&facts->filesystems, kernel,
					&facts->why_no_filesystems) == 0;
	if (facts->has_filesystems)
		devices->meminfo = facts->filesystems.meminfo;
	else
		vmcore_meminfo(kernel, &devices->meminfo);
	ret = devices_check(devices);
	if (!ret)
		ret = vmcore_release(kernel, &release);
	facts->provenance = provenance_of(root, release);
	if (!ret)
		ret = take_fstypes(facts);
	return ret < 0 ? ret : fill_buffers(facts, root);
}

/* Adds to the reasons that they are about the dump. */
static void name_dump(struct explain_facts *facts, const char *path)
{
	struct devices *devices = &facts->buffers;

	if (devices->collected < 0)
		error_within(&devices->why, devices->collected,
			     "reading a dump", path);
	if (!facts->has_filesystems)
		error_within(&facts->why_no_filesystems, -EBADMSG,
			     "reading a dump", path);
}

int explain_facts_init_dump(struct explain_facts *facts,
			    const struct sysroot *root, const char *path,
			    struct error *err)
{
	struct kernel kernel;
	int ret = kernel_open(&kernel, root, path, err);

	*facts = (struct explain_facts){ .is_dump = true };
	if (!ret) {
		ret = fill_from_dump(facts, root, &kernel);
		if (ret < 0)
			error_errno(err, -ret, "gathering", "the facts");
		name_dump(facts, path);
	}
	return kernel_close(&kernel, ret, err);
}

void explain_facts_deinit(struct explain_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		device_base_deinit(&facts->devices[i].base);
	free(facts->devices);
	openers_deinit(&facts->openers);
	devices_deinit(&facts->buffers);
	string_list_deinit(&facts->fstypes);
	filesystems_deinit(&facts->filesystems);
	cgroup_sample_deinit(&facts->cgroups);
	memory_owners_deinit(&facts->owners);
	cached_files_deinit(&facts->files);
	free(facts->process);
	free(facts->service);
	free(facts->inodes_at);
	free(facts->rise.name);
	memory_reading_deinit(&facts->memory);
	*facts = (struct explain_facts){ 0 };
}

bool explain_is_cut_short(const struct explain_facts *facts)
{
	return facts->owners.is_cut_short || facts->openers.unread;
}

bool explain_is_complete(const struct explain_facts *facts)
{
	return explain_is_measured(facts) && facts->buffers.is_whole &&
	       !facts->heads.contradiction && !explain_is_cut_short(facts) &&
	       !facts->cgroups.limits.said_available_bytes &&
	       !error_is_set(&facts->cgroups.no_cgroups) &&
	       cgroups_are_whole(&facts->cgroups.cgroups) &&
	       !facts->cgroups.cgroups.excess_bytes &&
	       (facts->has_filesystems ?
			!filesystems_lack(&facts->filesystems) :
			!facts->is_dump && facts->why_no_filesystems.class !=
						   ERROR_FAILED);
}
