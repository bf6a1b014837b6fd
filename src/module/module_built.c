// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "module_built.h"
#include "sysroot.h"

#define MODULES "/lib/modules"
#define DKMS "/var/lib/dkms/bufstat"
#define MAX_PATH 512

static bool exists(const struct sysroot *root, const char *path)
{
	_cleanup_(closep) int fd = sysroot_open(root, path, O_PATH);

	return fd >= 0;
}

/* Where DKMS and `make module-install` put it, packed or not. */
static bool is_installed(const struct sysroot *root, const char *kernel)
{
	static const char *const directories[] = { "updates/dkms", "updates",
						   "extra" };
	static const char *const endings[] = { "", ".xz", ".zst", ".gz" };
	char path[MAX_PATH];

	for (size_t i = 0; i < (size_t)3 * 4; i++) {
		snprintf(path, sizeof(path), MODULES "/%s/%s/bufstat.ko%s",
			 kernel, directories[i / 4], endings[i % 4]);
		if (exists(root, path))
			return true;
	}
	return false;
}

static void find_kernels(struct module_built *built, const struct sysroot *root)
{
	_cleanup_(closedirp) DIR *dir = sysroot_opendir(root, MODULES);
	const struct dirent *item;

	while (dir && (item = readdir(dir))) {
		if (item->d_name[0] != '.' && is_installed(root, item->d_name))
			string_list_add(&built->kernels, item->d_name);
	}
}

/* A directory for each version, beside links for each kernel. */
static void find_dkms(struct module_built *built, const struct sysroot *root)
{
	_cleanup_(closedirp) DIR *dir = sysroot_opendir(root, DKMS);
	const struct dirent *item;
	char path[MAX_PATH];

	while (dir && !built->dkms_version && (item = readdir(dir))) {
		snprintf(path, sizeof(path), DKMS "/%s/source", item->d_name);
		if (item->d_name[0] != '.' && exists(root, path))
			built->dkms_version = strdup(item->d_name);
	}
}

void module_built_init(struct module_built *built, const struct sysroot *root,
		       const char *kernel)
{
	char path[MAX_PATH];

	*built = (struct module_built){ 0 };
	find_kernels(built, root);
	find_dkms(built, root);
	snprintf(path, sizeof(path), MODULES "/%s/build/Makefile", kernel);
	built->has_headers = exists(root, path);
}

void module_built_deinit(struct module_built *built)
{
	string_list_deinit(&built->kernels);
	free(built->dkms_version);
	*built = (struct module_built){ 0 };
}
