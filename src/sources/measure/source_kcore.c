// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the kernel's own list of block devices from its memory, through
 * /proc/kcore. It loads no module and opens no device. The list is walked
 * without its lock, so a walk is proven only if its sum equals Buffers both
 * before and after it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernel/bdev_walk.h"
#include "kernel/kernel.h"
#include "kernel/page_tags.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/meminfo.h"
#include "measure/snapshot.h"
#include "measure/source.h"

/* About ten are needed while devices are added and removed in a loop. */
#define ATTEMPTS 20
#define PAUSE_NS 1000000

/* Whether the sum equals Buffers both before and after the walk. */
static bool is_exact(const struct bdev_list *list, uint64_t bytes_per_page,
		     const struct meminfo *before, const struct meminfo *after)
{
	uint64_t kib;

	return meminfo_has(before, MEMINFO_BUFFERS) &&
	       meminfo_has(after, MEMINFO_BUFFERS) &&
	       !__builtin_mul_overflow(list->pages, bytes_per_page / 1024,
				       &kib) &&
	       before->kib[MEMINFO_BUFFERS] == kib &&
	       after->kib[MEMINFO_BUFFERS] == kib;
}

struct reading {
	const struct sysroot *root;
	struct kernel kernel;
	struct bdev_list list; /* the last walk that passed its checks */
	bool exact;
};

/* Returns -EAGAIN if another attempt may do better. */
static int attempt(struct reading *reading, struct error *err)
{
	struct bdev_list list = { 0 };
	struct meminfo before, after;
	int ret = meminfo_read(&before, reading->root, err);

	if (!ret)
		ret = bdev_walk(reading->kernel.kmem,
				&reading->kernel.root.layout,
				reading->kernel.superblock, &list, err);
	if (!ret)
		ret = meminfo_read(&after, reading->root, err);
	if (ret < 0) {
		bdev_list_deinit(&list);
		return ret;
	}
	bdev_list_deinit(&reading->list);
	reading->list = list;
	reading->exact =
		is_exact(&list, reading->kernel.page_size, &before, &after);
	return reading->exact ? 0 : -EAGAIN;
}

static int read_list(struct reading *reading, struct error *err)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	int attempts = sysroot_is_live(reading->root) ? ATTEMPTS : 1;
	int ret;

	while ((ret = attempt(reading, err)) == -EAGAIN && --attempts)
		nanosleep(&pause, NULL);
	/* A complete list is worth showing, even if unproven. */
	return ret == -EAGAIN && reading->list.entries ? 0 : ret;
}

static bool is_in_sysfs(const struct sysroot *root, const struct sample *sample)
{
	_cleanup_(closep) int fd = -1;
	char path[48];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", sample->major,
		 sample->minor);
	fd = sysroot_open(root, path, O_PATH);
	return fd >= 0;
}

/* The name of a device that was removed while in use is only in memory. */
static int name_the_removed(const struct reading *reading,
			    struct snapshot *snapshot)
{
	const struct bdev_entry *entry = reading->list.entries;
	char name[BDEV_NAME_SIZE];

	for (size_t i = 0; i < snapshot->count; i++, entry++) {
		struct sample *sample = &snapshot->devices[i];

		while (!entry->pages)
			entry++;
		if (is_in_sysfs(reading->root, sample) ||
		    !bdev_entry_name(reading->kernel.kmem,
				     &reading->kernel.root.layout, entry, name))
			continue;
		sample->kname = strdup(name);
		if (!sample->kname)
			return -ENOMEM;
	}
	return 0;
}

static int collect(struct reading *reading, struct snapshot *snapshot,
		   struct error *err)
{
	const struct kernel *kernel = &reading->kernel;
	struct page_tags_layout tags;
	int ret = read_list(reading, err);

	if (ret < 0)
		return ret;
	page_tags_layout_init(&tags, &kernel->btf);
	page_tags_count(kernel->kmem, &kernel->root.layout, &tags,
			&reading->list);
	snapshot->page_size = kernel->page_size;
	snapshot->lists_all_pages = true;
	snapshot->unsettled = !reading->exact;
	ret = bdev_snapshot_fill(snapshot, &reading->list);
	if (!ret)
		ret = name_the_removed(reading, snapshot);
	return ret < 0 ? error_errno(err, -ret, NULL, NULL) : 0;
}

int source_kcore_collect(const struct sysroot *root, struct snapshot *snapshot,
			 struct error *err)
{
	struct reading reading = { .root = root };
	int ret = kernel_open(&reading.kernel, root, NULL, err);

	if (!ret)
		ret = collect(&reading, snapshot, err);
	bdev_list_deinit(&reading.list);
	return kernel_close(&reading.kernel, ret, err);
}
