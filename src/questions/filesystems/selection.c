// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cli/exit_code.h"
#include "filesystems/found_paths.h"
#include "filesystems/selection.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "lib/utf8.h"
#include "names/device_find.h"
#include "names/mountinfo.h"

static const char *doing(const struct selection *selection)
{
	static const char *const texts[] = {
		[SELECTS_DEVICES] = "finding the device",
		[SELECTS_FILESYSTEMS] = "finding the filesystem",
		[SELECTS_CACHES] = "finding the device or filesystem",
		[SELECTS_RECORDED] = "choosing",
		[SELECTS_CGROUPS] = "choosing cgroups",
	};

	return texts[selection->kind];
}

/*
 * A name that does not exist is the user's mistake, so the exit status is that
 * of bad usage. One that does not answer is not measured: the status for that.
 */
static void refuse(struct selection *selection, struct selected *selected,
		   const struct error *err)
{
	selected->error = *err;
	if ((!selection->root ||
	     (!sysroot_is_live(selection->root) &&
	      !sysroot_exists(selection->root, CLASS_BLOCK))) &&
	    (device_is_tag(selected->word) ||
	     strncmp(selected->word, "/dev/disk/", 10) == 0))
		error_remedy(&selected->error, 0, NO_TAGS);
	selected->failed = true;
	if (selection->code != EXIT_FAILED)
		selection->code = exit_code_of(err);
}

static bool is_path(const char *word)
{
	return *word == '/' || *word == '.';
}

static void set_number(struct selected *selected, unsigned int major,
		       unsigned int minor)
{
	selected->major = major;
	selected->minor = minor;
	selected->has_number = true;
}

/* Finds a device by its name, or by a node that is known to be one. */
static int find_device(const struct selection *selection,
		       struct selected *selected, const char *name,
		       struct error *err)
{
	struct found_device found;
	int ret = device_find(selection->root, name, &found, err);

	if (ret < 0)
		return ret;
	set_number(selected, major(found.number), minor(found.number));
	selected->node = found.node;
	return 0;
}

/*
 * Filesystems that have no device number of their own, such as btrfs, name a
 * device as what was mounted.
 */
static void take_mount(struct selection *selection, struct selected *selected,
		       const struct mount *mount)
{
	struct found_device found;
	struct error err;

	selected->is_path = selection->kind == SELECTS_CACHES;
	if (selection->kind == SELECTS_DEVICES)
		selected->devices =
			members_of(&selection->members, mount->source);
	if (selection->kind != SELECTS_DEVICES || mount->major) {
		set_number(selected, mount->major, mount->minor);
		return;
	}
	if (device_find_mounted(selection->root, mount->source, &found, NULL) ==
	    0) {
		set_number(selected, major(found.number), minor(found.number));
		found_device_deinit(&found);
		return;
	}
	if (selected->devices)
		return;
	error_doing(&err, ENOTBLK, doing(selection), selected->word,
		    members_is_pool(mount->type) ?
			    "it is on %s, whose devices are not known here" :
			    "it is on a filesystem without a device (%s)",
		    mount->type);
	refuse(selection, selected, &err);
}

/* The mount with this id; or, if it is 0, the one that @path is in. */
static const struct mount *find_mount(const struct mountinfo *info, uint64_t id,
				      const char *path)
{
	const struct mount *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < info->count; i++) {
		const struct mount *mount = &info->mounts[i];
		size_t length = strlen(mount->target);

		if (id && mount->id == id)
			return mount;
		if (id || strncmp(path, mount->target, length) != 0)
			continue;
		if (length > 1 && path[length] && path[length] != '/')
			continue;
		/* Of those stacked on one place, the last one is seen. */
		if (length >= longest) {
			best = mount;
			longest = length;
		}
	}
	return best;
}

/* Finds a device by its number, for what is not in sysfs too. */
static void take_number(const struct selection *selection,
			struct selected *selected, unsigned int major,
			unsigned int minor)
{
	char number[32];

	snprintf(number, sizeof(number), "%u:%u", major, minor);
	if (!selection->root ||
	    find_device(selection, selected, number, NULL) < 0)
		set_number(selected, major, minor);
}

static void take_path(struct selection *selection, struct selected *selected,
		      const struct found_path *path)
{
	const struct mount *mount =
		find_mount(&selection->info, path->mount_id, NULL);

	if (S_ISBLK(path->mode)) {
		take_number(selection, selected, path->rdev_major,
			    path->rdev_minor);
	} else if (mount) {
		take_mount(selection, selected, mount);
	} else {
		/* It is in another mount namespace: /proc/PID/root. */
		set_number(selected, path->major, path->minor);
		selected->is_path = selection->kind == SELECTS_CACHES;
	}
}

/* Whether @path is this very place; it may end in slashes. */
static bool is_place(const char *place, const char *path)
{
	size_t length = strlen(place);

	return strncmp(path, place, length) == 0 &&
	       !path[length + strspn(path + length, "/")];
}

/* The mount that is seen there, or at what a table shows so, or NULL. */
static const struct mount *find_at(const struct mountinfo *info,
				   const char *path)
{
	const struct mount *last = NULL, *shown = NULL;

	for (size_t i = 0; i < info->count; i++) {
		if (is_place(info->mounts[i].target, path))
			last = &info->mounts[i];
		if (text_is_shown_as(info->mounts[i].target, path))
			shown = &info->mounts[i];
	}
	return last ?: shown;
}

/*
 * The mount that is at the path or, if that is in the tree, that it is in. A
 * recording has the mounts of devices alone, and all in its records.
 */
static const struct mount *find_in_tree(const struct selection *selection,
					const char *path)
{
	const struct mount *mount;

	if (selection->root->is_recorded)
		return NULL;
	mount = find_at(&selection->info, path);
	return mount || strncmp(path, "/dev/", 5) == 0 ||
			       !sysroot_exists(selection->root, path) ?
		       mount :
		       find_mount(&selection->info, 0, path);
}

/* A captured tree does not tell which other files and links there were. */
static void find_captured(struct selection *selection,
			  struct selected *selected)
{
	const char *word = selected->word;
	bool is_device = strncmp(word, "/dev/", 5) == 0;
	const struct mount *mount;
	struct error err;
	int ret = is_device ? find_device(selection, selected, word, &err) :
			      -ENOENT;

	if (ret == -ENOTUNIQ)
		refuse(selection, selected, &err);
	if (!ret || ret == -ENOTUNIQ)
		return;
	mount = find_in_tree(selection, word);
	if (mount) {
		take_mount(selection, selected, mount);
		return;
	}
	if (is_device && !sysroot_exists(selection->root, CLASS_BLOCK))
		return;
	error_doing(
		&err, ENOENT, doing(selection), word,
		is_device ?
			"no block device of the captured tree has that name" :
			"no mount point of the captured tree, which does "
			"not tell what else there was");
	if (selection->root->is_recorded)
		selected->error = err;
	else
		refuse(selection, selected, &err);
}

static void find_path(struct selection *selection, struct selected *selected,
		      const struct found_paths *paths, size_t index)
{
	char why[ASK_WHY];
	const struct found_path *path = found_paths_get(paths, index, why);
	struct error err;

	if (path && !path->error) {
		take_path(selection, selected, path);
		return;
	}
	if (path)
		error_errno(&err, path->error, doing(selection),
			    selected->word);
	else
		error_doing(&err, ERROR_PARTIAL, doing(selection),
			    selected->word, "%s", why);
	refuse(selection, selected, &err);
}

static void find_word(struct selection *selection, struct selected *selected)
{
	struct error err;

	if (dev_number_parse(selected->word, &selected->major,
			     &selected->minor))
		take_number(selection, selected, selected->major,
			    selected->minor);
	else if (selection->root &&
		 find_device(selection, selected, selected->word, &err) < 0 &&
		 device_is_tag(selected->word))
		refuse(selection, selected, &err);
	/* If it is no device, it may still be a name of a row. */
}

/* Looks up the words that are paths, those of the running host all at once. */
static int find_paths(struct selection *selection, struct error *err)
{
	_cleanup_(string_list_deinit) struct string_list words = { 0 };
	bool live = sysroot_is_live(selection->root);
	struct found_paths paths = { 0 };
	size_t at = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < selection->count; i++) {
		char *word = (char *)selection->list[i].word;

		if (is_path(word) && live)
			ret = found_paths_absolute(&words, &word, 1, err);
		else if (is_path(word))
			find_captured(selection, &selection->list[i]);
	}
	if (ret < 0 || !words.count)
		return ret;
	ret = found_paths_init(&paths, selection->root, words.strings,
			       words.count, err);
	for (size_t i = 0; !ret && i < selection->count; i++) {
		if (is_path(selection->list[i].word))
			find_path(selection, &selection->list[i], &paths, at++);
	}
	found_paths_deinit(&paths);
	return ret;
}

int selection_init(struct selection *selection, enum selection_kind kind,
		   const struct sysroot *root, char *const *words, size_t count,
		   struct error *err)
{
	/* Nothing on the host is what was recorded, or a cgroup. */
	if (kind >= SELECTS_RECORDED)
		root = NULL;
	*selection = (struct selection){ .kind = kind, .root = root };
	if (!count)
		return 0;
	selection->list = calloc(count, sizeof(*selection->list));
	if (!selection->list)
		return error_errno(err, ENOMEM, doing(selection), words[0]);
	for (; selection->count < count; selection->count++)
		selection->list[selection->count].word =
			words[selection->count];
	if (root &&
	    (mountinfo_init(&selection->info, root, "/proc/self/mountinfo") <
		     0 ||
	     members_init(&selection->members, root, &selection->info) < 0))
		return error_errno(err, ENOMEM, "reading", "the mounts");
	for (size_t i = 0; i < count; i++) {
		if (kind != SELECTS_CGROUPS && !is_path(words[i]))
			find_word(selection, &selection->list[i]);
	}
	return root ? find_paths(selection, err) : 0;
}

void selection_deinit(struct selection *selection)
{
	for (size_t i = 0; i < selection->count; i++)
		free(selection->list[i].node);
	members_deinit(&selection->members);
	mountinfo_deinit(&selection->info);
	free(selection->list);
	*selection = (struct selection){ 0 };
}

bool selection_is_vain(const struct selection *selection)
{
	for (size_t i = 0; i < selection->count; i++) {
		if (!selection->list[i].failed)
			return false;
	}
	return selection->count;
}

static bool has_node(const struct string_list *nodes, const char *name)
{
	for (size_t i = 0; i < nodes->count; i++) {
		if (device_is_called(name, nodes->strings[i]))
			return true;
	}
	return false;
}

/* Whether the filesystem is on the device @node, beside others or alone. */
static bool is_on(const struct selection *selection, const char *source,
		  const char *node)
{
	const struct string_list *group =
		members_of(&selection->members, source);
	struct found_device found;
	bool is = group && string_list_has(group, node);

	if (group ||
	    device_find_mounted(selection->root, source, &found, NULL) < 0)
		return is;
	is = strcmp(found.node, node) == 0;
	found_device_deinit(&found);
	return is;
}

/* The source of what is mounted here with this number, or NULL. */
static const char *source_of(const struct selection *selection,
			     unsigned int major, unsigned int minor)
{
	for (size_t i = 0; i < selection->info.count; i++) {
		const struct mount *mount = &selection->info.mounts[i];

		if (mount->major == major && mount->minor == minor)
			return mount->source;
	}
	return NULL;
}

static bool has_mountpoint(const struct string_list *mountpoints,
			   const char *word)
{
	for (size_t i = 0; mountpoints && i < mountpoints->count; i++) {
		if (is_place(mountpoints->strings[i], word) ||
		    text_is_shown_as(mountpoints->strings[i], word))
			return true;
	}
	return false;
}

static bool is_cgroup(const struct called *called, const char *word)
{
	size_t length = strlen(called->mount);
	bool is_below = strncmp(word, called->mount, length) == 0 &&
			(word[length] == '/' || !word[length]);
	const char *path = is_below ? word + length : word;

	return is_place(called->cgroup + 1, path + (*path == '/')) ||
	       text_is_shown_as(called->cgroup, path);
}

static bool is_selected(const struct selection *selection,
			const struct selected *selected,
			const struct called *called)
{
	const char *word = selected->word, *source = called->source;

	if (selected->failed || (called->is_device && selected->is_path))
		return false;
	if (called->cgroup)
		return is_cgroup(called, word);
	if (selected->devices)
		return has_node(selected->devices, called->name) ||
		       has_node(selected->devices, called->other);
	if (selected->has_number ?
		    selected->major == called->major &&
			    selected->minor == called->minor :
		    device_is_called(called->name, word) ||
			    device_is_called(called->other, word) ||
			    has_mountpoint(called->mountpoints, word))
		return true;
	if (!source && !called->is_device && selection->kind != SELECTS_DEVICES)
		source = source_of(selection, called->major, called->minor);
	return source &&
	       (device_is_called(source, word) ||
		(selected->node && is_on(selection, source, selected->node)));
}

bool selection_has(struct selection *selection, const struct called *called)
{
	bool found = !selection->count;

	for (size_t i = 0; i < selection->count; i++) {
		struct selected *selected = &selection->list[i];

		if (!is_selected(selection, selected, called))
			continue;
		selected->met = true;
		found = true;
	}
	return found;
}

void selection_refuse_vain(struct selection *selection)
{
	static const char *const texts[] = {
		[SELECTS_DEVICES] = "no block device is called that",
		[SELECTS_FILESYSTEMS] =
			"no filesystem with page cache is called that",
		[SELECTS_CACHES] =
			"no device or filesystem with page cache is called that",
		[SELECTS_RECORDED] = "not recorded in that time",
		[SELECTS_CGROUPS] = "no such cgroup",
	};

	for (size_t i = 0; i < selection->count; i++) {
		struct selected *selected = &selection->list[i];
		struct error err = selected->error;

		if (selected->failed || selected->met)
			continue;
		if (selection->lacks_devices)
			error_advise(&err, ENOENT, doing(selection),
				     selected->word, "bufstat history says why",
				     "no device was measured in that time");
		else if (!error_is_set(&err))
			error_doing(&err, ENOENT, doing(selection),
				    selected->word, "%s",
				    texts[selection->kind]);
		if (selection->kind == SELECTS_CGROUPS)
			error_remedy(&err, 0,
				     "bufstat cgroups --list has their paths");
		if (selection->lacks_files && !selection->lacks_devices &&
		    is_path(selected->word))
			error_remedy(&err, 0,
				     "files are recorded only while who fills "
				     "the caches is traced, and not all that "
				     "time was");
		refuse(selection, selected, &err);
	}
}

bool selection_next_error(struct selection *selection, struct error *err)
{
	for (size_t i = 0; i < selection->count; i++) {
		struct selected *selected = &selection->list[i];

		if (!selected->failed || !error_is_set(&selected->error))
			continue;
		*err = selected->error;
		selected->error.class = ERROR_NONE;
		return true;
	}
	return false;
}

int selection_code(const struct selection *selection, int code)
{
	if (code == EXIT_OK ||
	    (code == EXIT_PARTIAL && selection->code == EXIT_FAILED))
		return selection->code;
	return code;
}
