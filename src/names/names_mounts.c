// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "mountinfo.h"
#include "names.h"
#include "names_mounts.h"
#include "sysroot.h"

#define MAX_FILE (64U << 20)

struct mounts {
	struct mountinfo info;
	char *swaps;
	bool known; /* both could be read */
	const char **swap_paths;
	size_t swap_count;
};

static size_t count_lines(const char *text)
{
	size_t lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static int read_swaps(struct mounts *mounts)
{
	static const char deleted[] = " (deleted)";
	char *rest = mounts->swaps;
	char *line;

	mounts->swap_paths =
		calloc(count_lines(rest), sizeof(*mounts->swap_paths));
	if (!mounts->swap_paths)
		return -ENOMEM;
	while ((line = strsep(&rest, "\n"))) {
		char *path = mountinfo_unescape(strsep(&line, " \t"));
		size_t length = strlen(path);
		size_t suffix = sizeof(deleted) - 1;

		/* A node that was removed from /dev takes no swap away. */
		if (length > suffix &&
		    strcmp(path + length - suffix, deleted) == 0)
			path[length - suffix] = '\0';
		mounts->swap_paths[mounts->swap_count++] = path;
	}
	return 0;
}

/* A file that cannot be read counts as empty; *@error says why it could not. */
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
	    read_swaps(mounts) < 0) {
		mounts_destroy(mounts);
		return NULL;
	}
	/* A kernel without swap has no such file. */
	mounts->known = !mounts->info.error &&
			(!no_swaps || no_swaps == -ENOENT);
	return mounts;
}

void mounts_destroy(struct mounts *mounts)
{
	if (!mounts)
		return;
	mountinfo_deinit(&mounts->info);
	free(mounts->swaps);
	free(mounts->swap_paths);
	free(mounts);
}

/*
 * Most filesystems carry the device's own number. btrfs and others that span
 * devices have an anonymous one, major 0, and name one of their devices.
 */
static bool is_mounted(const struct mount *mount, unsigned int major,
		       unsigned int minor, const struct device_names *device)
{
	if (mount->major == major && mount->minor == minor)
		return true;
	return mount->major == 0 &&
	       device_names_has_node(device, mount->source);
}

static int add_mount(const struct mount *mount, struct device_names *device)
{
	if (!device->fstype) {
		device->fstype = strdup(mount->type);
		if (!device->fstype)
			return -ENOMEM;
	}
	return string_list_add(&device->mountpoints, mount->target);
}

int mounts_lookup(const struct mounts *mounts, unsigned int major,
		  unsigned int minor, struct device_names *device)
{
	int ret = 0;

	device->has_mounts = mounts->known;
	for (size_t i = 0; !ret && i < mounts->info.count; i++) {
		if (is_mounted(&mounts->info.mounts[i], major, minor, device))
			ret = add_mount(&mounts->info.mounts[i], device);
	}
	for (size_t i = 0; !ret && i < mounts->swap_count; i++) {
		if (device_names_has_node(device, mounts->swap_paths[i]))
			ret = string_list_add(&device->mountpoints, "[SWAP]");
	}
	return ret;
}

static int add_once(struct string_list *list, const char *string)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->strings[i], string) == 0)
			return 0;
	}
	return string_list_add(list, string);
}

int mounts_types(const struct mounts *mounts, struct string_list *types)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < mounts->info.count; i++)
		ret = add_once(types, mounts->info.mounts[i].type);
	return ret;
}
