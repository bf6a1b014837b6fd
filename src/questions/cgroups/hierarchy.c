// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cgroups/hierarchy.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/sysroot.h"
#include "names/mountinfo.h"
#include "worker/file_text.h"

#define MOUNTINFO_PATH "/proc/self/mountinfo"
#define MAX_CONTROLLERS 65536

const char *hierarchy_name(const struct hierarchy *hierarchy)
{
	return hierarchy->version == CGROUP_V2 ? "cgroup2" : "cgroup";
}

/* Whether the words of @text, separated by spaces, include @word. */
static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	while (*text) {
		size_t next = strcspn(text, " \n");

		if (next == length && strncmp(text, word, length) == 0)
			return true;
		text += next;
		text += strspn(text, " \n");
	}
	return false;
}

static int read_controllers(const struct sysroot *root, const char *target,
			    char **text)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/cgroup.controllers", target) >=
	    PATH_MAX)
		return -ENAMETOOLONG;
	return sysroot_read(root, path, MAX_CONTROLLERS, text, NULL);
}

bool hierarchy_has(const struct sysroot *root, const char *mount,
		   const char *file)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", mount, file) < PATH_MAX &&
	       sysroot_exists(root, path);
}

/*
 * Asks the file and not the options of the mount, which a capture leaves out.
 * There is none in the root of version 2.
 */
static bool has_v1_memory(const struct sysroot *root, const char *target)
{
	return hierarchy_has(root, target, "memory.usage_in_bytes");
}

/*
 * Takes a mount into account; the first of several with the same counts.
 * Returns 0, or a negative errno if it may be the one and cannot be read. Sets
 * *@is_left_out if a capture lacks it.
 */
static int look_at(struct hierarchy *hierarchy, const struct sysroot *root,
		   const struct mount *mount, bool *is_left_out)
{
	_cleanup_(freep) char *controllers = NULL;
	bool is_v2 = strcmp(mount->type, "cgroup2") == 0;
	int ret;

	if (strlen(mount->target) >= PATH_MAX)
		return 0;
	if (is_v2) {
		ret = read_controllers(root, mount->target, &controllers);
		if (ret == -ENOENT)
			*is_left_out = true;
		if (ret < 0)
			return ret == -ENOENT ? 0 : ret;
		if (!*hierarchy->pressure)
			strcpy(hierarchy->pressure, mount->target);
	}
	if (*hierarchy->mount)
		return 0;
	if (is_v2 ? !has_word(controllers, "memory") :
		    strcmp(mount->type, "cgroup") != 0 ||
			    !has_v1_memory(root, mount->target)) {
		if (strcmp(mount->type, "cgroup") == 0 &&
		    !sysroot_exists(root, mount->target))
			*is_left_out = true;
		return 0;
	}
	hierarchy->version = is_v2 ? CGROUP_V2 : CGROUP_V1;
	hierarchy->is_from_root = strcmp(mount->root, "/") == 0;
	strcpy(hierarchy->mount, mount->target);
	return 0;
}

static const char doing[] = "looking for cgroups";

/* Why there is none with the memory controller. */
static int explain(const struct hierarchy *hierarchy,
		   const struct sysroot *root, bool is_left_out,
		   struct error *err)
{
	if (*hierarchy->pressure)
		return lack_doing(err, LACK_MEMORY_CONTROLLER, NULL, doing,
				  hierarchy->pressure);
	if (!root->packed && (sysroot_is_live(root) || !is_left_out))
		return lack_doing(err, LACK_CGROUPS, NULL, doing,
				  MOUNTINFO_PATH);
	return lack_doing(err, LACK_CGROUPS_IN_TREE, NULL, doing, root->prefix);
}

int hierarchy_find(struct hierarchy *hierarchy, const struct sysroot *root,
		   struct error *err)
{
	_cleanup_(mountinfo_deinit) struct mountinfo mounts = { 0 };
	const char *unread = NULL;
	bool is_left_out = false;
	int failed = 0;

	*hierarchy = (struct hierarchy){ 0 };
	if (mountinfo_init(&mounts, root, MOUNTINFO_PATH) < 0)
		return error_errno(err, ENOMEM, doing, MOUNTINFO_PATH);
	if (mounts.error)
		return error_doing(err, -mounts.error, doing, MOUNTINFO_PATH,
				   "%s", file_text_why(mounts.error));
	/* A path elsewhere may lead through a server that is gone. */
	for (int below_sys = 1; below_sys >= 0 && !*hierarchy->mount;
	     below_sys--) {
		for (size_t i = 0; i < mounts.count; i++) {
			const struct mount *mount = &mounts.mounts[i];
			int ret;

			if (mount_is_below_sys(mount) != below_sys)
				continue;
			ret = look_at(hierarchy, root, mount, &is_left_out);
			if (ret < 0) {
				failed = -ret;
				unread = mount->target;
			}
		}
	}
	if (*hierarchy->mount)
		return 0;
	return failed ? error_errno(err, failed, doing, unread) :
			explain(hierarchy, root, is_left_out, err);
}
