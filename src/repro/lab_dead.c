// SPDX-License-Identifier: GPL-2.0-or-later
/* Removes the labs of processes that are not there any more. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "lab.h"
#include "lab_files.h"
#include "lab_owner.h"
#include "string_list.h"
#include "sysfs.h"
#include "sysroot.h"

#define CLASS_BLOCK "/sys/class/block"
#define UNIQUE 6 /* what mkdtemp() appends */

struct search {
	const struct sysroot *root;
	struct string_list *removed;
	struct error *err;
};

static bool is_lab_name(const char *name)
{
	return strncmp(name, LAB_PREFIX, strlen(LAB_PREFIX)) == 0 &&
	       strlen(name) == strlen(LAB_PREFIX) + UNIQUE;
}

/* In a directory where everybody may make one it has to be ours. */
static bool is_our_directory(int lab)
{
	struct stat status;

	return fstat(lab, &status) == 0 && status.st_uid == geteuid() &&
	       (status.st_mode & 07777) == 0700;
}

static int free_devices(const struct search *search, int lab)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < LAB_DEVICES; i++) {
		struct stat file;

		if (fstatat(lab, lab_files[i], &file, AT_SYMLINK_NOFOLLOW) ==
			    0 &&
		    S_ISREG(file.st_mode))
			ret = loop_free_file(search->root, &file, search->err);
	}
	return ret;
}

static int remove_if_dead(const struct search *search, const char *path)
{
	_cleanup_(closep) int lab =
		open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int ret;

	if (lab < 0 || !is_our_directory(lab) ||
	    !lab_owner_is_dead(search->root, lab))
		return 0;
	ret = free_devices(search, lab);
	if (!ret)
		ret = lab_files_remove(lab, path, search->err);
	if (!ret && string_list_add(search->removed, path) < 0)
		ret = error_errno(search->err, ENOMEM, "removing", path);
	return ret;
}

static int search_directory(const struct search *search, const char *where)
{
	_cleanup_(closedirp) DIR *dir = opendir(where);
	const struct dirent *item;
	char path[PATH_MAX];
	int ret = 0;

	/* Whether it can be used is said when it is. */
	if (!dir)
		return 0;
	while (!ret && (item = readdir(dir))) {
		if (is_lab_name(item->d_name) &&
		    snprintf(path, sizeof(path), "%s/%s", where, item->d_name) <
			    PATH_MAX)
			ret = remove_if_dead(search, path);
	}
	return ret;
}

/* A lab in another place, of which only a device has remained. */
static int search_device(const struct search *search, const char *name)
{
	_cleanup_(freep) char *file = NULL;
	char dir[PATH_MAX], *slash;

	snprintf(dir, sizeof(dir), CLASS_BLOCK "/%s", name);
	if (sysfs_attribute(search->root, dir, "loop/backing_file", &file) < 0)
		return 0;
	slash = strrchr(file, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	slash = strrchr(file, '/');
	return slash && is_lab_name(slash + 1) ? remove_if_dead(search, file) :
						 0;
}

static int search_devices(const struct search *search)
{
	_cleanup_(closedirp)
		DIR *dir = sysroot_opendir(search->root, CLASS_BLOCK);
	const struct dirent *item;
	int ret = 0;

	while (!ret && dir && (item = readdir(dir))) {
		if (strncmp(item->d_name, "loop", 4) == 0)
			ret = search_device(search, item->d_name);
	}
	return ret;
}

int lab_remove_dead(const struct sysroot *root, const char *where,
		    struct string_list *removed, struct error *err)
{
	const struct search search = { root, removed, err };
	int ret = search_directory(&search, where);

	if (!ret && strcmp(where, LAB_DEFAULT_PLACE) != 0)
		ret = search_directory(&search, LAB_DEFAULT_PLACE);
	return ret ? ret : search_devices(&search);
}
