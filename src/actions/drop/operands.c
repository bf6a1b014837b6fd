// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drop/operands.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"

static bool is_device_name(const struct sysroot *root, const char *word)
{
	struct found_device found;

	if (device_is_tag(word))
		return true;
	if (strchr(word, '/') || *word == '.')
		return false;
	if (device_find(root, word, &found, NULL) < 0)
		return false;
	found_device_deinit(&found);
	return true;
}

static bool has_set(const struct drop_operands *operands,
		    const struct path_found *path)
{
	for (size_t i = 0; i < operands->set_count; i++) {
		const struct drop_set *set = &operands->sets[i];

		if (set->major != path->mounted->major ||
		    set->minor != path->mounted->minor ||
		    set->is_mount != (path->kind == PATH_MOUNT))
			continue;
		if (set->is_mount || set->files->ino == path->ino)
			return true;
	}
	return false;
}

static int add_set(struct drop_operands *operands,
		   const struct path_found *path)
{
	struct drop_set *set = &operands->sets[operands->set_count];

	if (has_set(operands, path))
		return 0;
	*set = (struct drop_set){
		.path = path->path,
		.is_mount = path->kind == PATH_MOUNT,
		.major = path->mounted->major,
		.minor = path->mounted->minor,
		.type = path->mounted->type,
		.mountpoint = path->path,
	};
	operands->set_count++;
	if (set->is_mount)
		return 0;
	set->files = calloc(1, sizeof(*set->files));
	if (!set->files)
		return -ENOMEM;
	set->count = 1;
	*set->files = (struct drop_file){
		.path = strdup(path->path),
		.ino = path->ino,
	};
	return set->files->path ? 0 : -ENOMEM;
}

static int take_path(struct drop_operands *operands, const struct sysroot *root,
		     const char *word, const struct path_found *path,
		     struct error *err)
{
	/* Then it was probably meant to be a device. */
	if (path->error == ENOENT && !strchr(word, '/'))
		return drop_targets_add(&operands->devices, root, word, 0, err);
	if (path->error)
		return error_errno(err, path->error, "dropping", path->path);
	if (path->kind == PATH_DEVICE)
		return drop_targets_add(&operands->devices, root, path->path,
					path->device, err);
	if (add_set(operands, path) < 0)
		return error_errno(err, ENOMEM, "dropping", path->path);
	return 0;
}

static int take_paths(struct drop_operands *operands,
		      const struct sysroot *root, char *const *words,
		      size_t count, struct error *err)
{
	int ret = all_mounts_init(&operands->mounts, root);

	if (ret < 0)
		return error_errno(err, -ret, "reading", "the mounts");
	operands->path_count = count;
	ret = paths_find(operands->paths, words, count, root, &operands->mounts,
			 err);
	for (size_t i = 0; !ret && i < count; i++)
		ret = take_path(operands, root, words[i], &operands->paths[i],
				err);
	return ret;
}

int drop_operands_init(struct drop_operands *operands,
		       const struct sysroot *root, char *const *words,
		       size_t count, struct error *err)
{
	_cleanup_(freep) char **paths = calloc(count, sizeof(*paths));
	size_t path_count = 0;
	int ret;

	*operands = (struct drop_operands){
		.sets = calloc(count, sizeof(*operands->sets)),
		.paths = calloc(count, sizeof(*operands->paths)),
	};
	if (!paths || !operands->sets || !operands->paths)
		return error_errno(err, ENOMEM, "dropping", words[0]);
	ret = drop_targets_init(&operands->devices, root, count, err);
	for (size_t i = 0; !ret && i < count; i++) {
		if (!sysroot_is_live(root) || !*words[i] ||
		    is_device_name(root, words[i]))
			ret = drop_targets_add(&operands->devices, root,
					       words[i], 0, err);
		else
			paths[path_count++] = words[i];
	}
	return ret || !path_count ?
		       ret :
		       take_paths(operands, root, paths, path_count, err);
}

void drop_operands_deinit(struct drop_operands *operands)
{
	drop_targets_deinit(&operands->devices);
	for (size_t i = 0; i < operands->set_count; i++)
		drop_set_deinit(&operands->sets[i]);
	for (size_t i = 0; i < operands->path_count; i++)
		path_found_deinit(&operands->paths[i]);
	all_mounts_deinit(&operands->mounts);
	free(operands->sets);
	free(operands->paths);
	*operands = (struct drop_operands){ 0 };
}
