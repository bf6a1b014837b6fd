// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "measure/snapshot.h"
#include "names/device_names.h"
#include "names/members.h"
#include "names/mountinfo.h"
#include "names/names_mounts.h"
#include "names/node_index.h"

#define MAX_FILE (64U << 20)

struct mounts {
	struct mountinfo info;
	struct members members;
	char *swaps;
	bool known; /* both could be read */
	/* The mounts that have a device's number, sorted by it. */
	const struct mount **by_number;
	size_t number_count;
	/* The other mounts by source, and all by the further devices. */
	struct node_index by_source;
	struct node_index by_swap;
};

static int read_swaps(struct mounts *mounts)
{
	static const char deleted[] = " (deleted)";
	char *rest = mounts->swaps;
	char *line;

	if (node_index_init(&mounts->by_swap, lines_count(rest)) < 0)
		return -ENOMEM;
	while ((line = strsep(&rest, "\n"))) {
		char *path = strsep(&line, " \t");
		size_t suffix = sizeof(deleted) - 1;
		size_t length;

		octal_unescape(path);
		length = strlen(path);
		/* Swap stays in use after its node is removed from /dev. */
		if (length > suffix &&
		    strcmp(path + length - suffix, deleted) == 0)
			path[length - suffix] = '\0';
		node_index_add(&mounts->by_swap, path, mounts->by_swap.count);
	}
	node_index_sort(&mounts->by_swap);
	return 0;
}

/* Mounts of one device stay in the order of mounting. */
static int by_number(const void *left, const void *right)
{
	const struct mount *a = *(const struct mount *const *)left;
	const struct mount *b = *(const struct mount *const *)right;

	int order = dev_number_compare(a->major, a->minor, b->major, b->minor);

	return order ? order : (a > b) - (a < b);
}

/*
 * Most mounts carry their device's number. btrfs and other filesystems that
 * span devices have an anonymous number, with major 0, and name one of their
 * devices as the source.
 */
static int sort_mounts(struct mounts *mounts)
{
	const struct mountinfo *info = &mounts->info;
	const struct string_list *group;
	size_t count = 0;

	for (size_t i = 0; i < info->count; i++) {
		group = members_of(&mounts->members, info->mounts[i].source);
		count += group ? group->count : 1;
	}
	mounts->by_number = calloc(info->count + 1, sizeof(*mounts->by_number));
	if (!mounts->by_number ||
	    node_index_init(&mounts->by_source, count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < info->count; i++) {
		const struct mount *mount = &info->mounts[i];

		group = members_of(&mounts->members, mount->source);
		if (mount->major)
			mounts->by_number[mounts->number_count++] = mount;
		else if (!group)
			node_index_add(&mounts->by_source, mount->source, i);
		for (size_t j = 0; group && j < group->count; j++)
			node_index_add(&mounts->by_source, group->strings[j],
				       i);
	}
	qsort(mounts->by_number, mounts->number_count,
	      sizeof(*mounts->by_number), by_number);
	node_index_sort(&mounts->by_source);
	return 0;
}

/*
 * A file that cannot be read counts as empty; *@error is then the reason, a
 * negative errno.
 */
static int read_file(const struct sysroot *root, const char *path, char **text,
		     int *error)
{
	*error = sysroot_read(root, path, MAX_FILE, text, NULL);
	if (*error < 0)
		*text = strdup("");
	return *text ? 0 : -ENOMEM;
}

struct mounts *mounts_create(const struct sysroot *root)
{
	struct mounts *mounts = calloc(1, sizeof(*mounts));
	int no_swaps;

	if (!mounts)
		return NULL;
	if (mountinfo_init(&mounts->info, root, "/proc/self/mountinfo") < 0 ||
	    read_file(root, "/proc/swaps", &mounts->swaps, &no_swaps) < 0 ||
	    read_swaps(mounts) < 0 ||
	    members_init(&mounts->members, root, &mounts->info) < 0 ||
	    sort_mounts(mounts) < 0) {
		mounts_destroy(mounts);
		return NULL;
	}
	/* A kernel without swap has no /proc/swaps. */
	mounts->known = !mounts->info.error &&
			(!no_swaps || no_swaps == -ENOENT);
	return mounts;
}

void mounts_destroy(struct mounts *mounts)
{
	if (!mounts)
		return;
	members_deinit(&mounts->members);
	mountinfo_deinit(&mounts->info);
	free(mounts->swaps);
	free(mounts->by_number);
	node_index_deinit(&mounts->by_source);
	node_index_deinit(&mounts->by_swap);
	free(mounts);
}

static int add_mount(const struct mount *mount, struct device_names *device,
		     bool has_type)
{
	if (has_type && !device->fstype) {
		device->fstype = strdup(mount->type);
		if (!device->fstype)
			return -ENOMEM;
	}
	return string_list_add(&device->mountpoints, mount->target);
}

struct lookup {
	const struct mounts *mounts;
	struct device_names *device;
	unsigned int major;
	unsigned int minor;
};

/*
 * A log is a device of the filesystem, but not of its type; what is on one of a
 * ZFS pool has a type of its own.
 */
static int take_mount(void *data, size_t line)
{
	const struct lookup *lookup = data;
	const struct mount *mount = &lookup->mounts->info.mounts[line];

	/* It was found by its number. */
	if (mount->major && mount->major == lookup->major &&
	    mount->minor == lookup->minor)
		return 0;
	return add_mount(mount, lookup->device,
			 !mount->major && strcmp(mount->type, "zfs") != 0);
}

static int take_swap(void *data, size_t line __attribute__((unused)))
{
	const struct lookup *lookup = data;

	return string_list_add(&lookup->device->mountpoints, "[SWAP]");
}

static int add_by_number(const struct mounts *mounts, unsigned int major,
			 unsigned int minor, struct device_names *device)
{
	size_t first = 0, after = mounts->number_count;
	int ret = 0;

	while (first < after) {
		size_t middle = first + (after - first) / 2;
		const struct mount *mount = mounts->by_number[middle];

		if (mount->major < major ||
		    (mount->major == major && mount->minor < minor))
			first = middle + 1;
		else
			after = middle;
	}
	for (; !ret && first < mounts->number_count; first++) {
		const struct mount *mount = mounts->by_number[first];

		if (mount->major != major || mount->minor != minor)
			break;
		ret = add_mount(mount, device, true);
	}
	return ret;
}

int mounts_lookup(const struct mounts *mounts, unsigned int major,
		  unsigned int minor, struct device_names *device)
{
	struct lookup lookup = { mounts, device, major, minor };
	int ret;

	device->has_mounts = mounts->known;
	ret = add_by_number(mounts, major, minor, device);
	if (!ret)
		ret = node_index_find(&mounts->by_source, device, take_mount,
				      &lookup);
	return ret   ?:
		       node_index_find(&mounts->by_swap, device, take_swap,
				       &lookup);
}

const struct recorded_name *mounts_recorded(const struct mounts *mounts,
					    unsigned int major,
					    unsigned int minor, bool *known)
{
	*known = mounts->known;
	return recorded_names_find(&mounts->info.recorded, major, minor);
}

void mounts_doubt(const struct mounts *mounts, const struct sample *sample,
		  struct device_names *device)
{
	bool knows_openers = sample_has(sample, FIGURE_OPENERS);
	uint64_t openers = sample->figures[FIGURE_OPENERS];

	/* The kernel has the devices of what is mounted open. */
	if (device->mountpoints.count || (knows_openers && !openers))
		return;
	device->has_mounts &=
		!members_may_have(&mounts->members, device, knows_openers);
}

int mounts_name(const struct mounts *mounts, unsigned int major,
		unsigned int minor, struct device_names *device)
{
	for (size_t i = 0; i < mounts->info.count; i++) {
		const struct mount *mount = &mounts->info.mounts[i];
		const char *name = mount->source;

		if (mount->major != major || mount->minor != minor ||
		    strncmp(name, "/dev/", 5) != 0 ||
		    strcmp(name, "/dev/root") == 0)
			continue;
		name += strncmp(name, "/dev/mapper/", 12) == 0 ? 12 : 5;
		device->name = strdup(name);
		return device->name ? 0 : -ENOMEM;
	}
	return 0;
}

int mounts_types(const struct mounts *mounts, struct string_list *types)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < mounts->info.count; i++)
		ret = string_list_add_once(types, mounts->info.mounts[i].type);
	return ret;
}
