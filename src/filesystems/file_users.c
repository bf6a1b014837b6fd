// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who has the files open or mapped. Only what the kernel itself keeps is read:
 * a stat(2) of a descriptor may ask a server that does not answer.
 */
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
#include "fdinfo.h"
#include "measured_files.h"
#include "number.h"
#include "sysroot.h"

#define MAX_MAPS (64U << 20)
#define MAX_COMM 4096

/* What a process has: an inode of a filesystem. */
struct used {
	uint64_t ino;
	unsigned int major;
	unsigned int minor;
	bool of_kernel; /* of the kernel's own tmpfs, whatever its number */
};

/* While one process is looked at. */
struct process {
	const struct sysroot *root;
	const char *pid;
	char *label; /* "comm(pid)", made for the first file that is found */
};

static int make_label(struct process *process)
{
	_cleanup_(freep) char *comm = NULL;
	char path[NAME_MAX + 32];

	snprintf(path, sizeof(path), "/proc/%s/comm", process->pid);
	if (sysroot_read(process->root, path, MAX_COMM, &comm, NULL) == 0)
		comm[strcspn(comm, "\n")] = '\0';
	if (asprintf(&process->label, "%s(%s)", comm ? comm : "",
		     process->pid) < 0) {
		process->label = NULL;
		return -ENOMEM;
	}
	return 0;
}

static bool is_file(const struct cached_file *file, const struct used *used)
{
	if (file->ino != used->ino)
		return false;
	if (used->of_kernel)
		return !file->mounted;
	return file->major == used->major && file->minor == used->minor;
}

/* Each process once, however often it has the file. */
static int add_user(struct cached_file *file, struct process *process)
{
	struct string_list *users = &file->users;

	if (!process->label && make_label(process) < 0)
		return -ENOMEM;
	if (users->count &&
	    strcmp(users->strings[users->count - 1], process->label) == 0)
		return 0;
	return string_list_add(users, process->label);
}

static int add_used(struct cached_files *files, struct process *process,
		    const struct used *used)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < files->count; i++) {
		if (is_file(&files->files[i], used))
			ret = add_user(&files->files[i], process);
	}
	return ret;
}

/* address perms offset MAJOR:MINOR INODE path, the device in hexadecimal */
static bool read_mapping(const char *line, struct used *used)
{
	unsigned long long ino;

	*used = (struct used){ 0 };
	if (sscanf(line, "%*s %*s %*s %x:%x %llu", &used->major, &used->minor,
		   &ino) != 3)
		return false;
	used->ino = ino;
	return ino != 0;
}

static int add_mappings(struct cached_files *files, struct process *process)
{
	_cleanup_(freep) char *maps = NULL;
	char *rest, *line;
	struct used used;
	char path[NAME_MAX + 32];
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%s/maps", process->pid);
	if (sysroot_read(process->root, path, MAX_MAPS, &maps, NULL) < 0)
		return 0;
	rest = maps;
	while (!ret && (line = strsep(&rest, "\n"))) {
		if (read_mapping(line, &used))
			ret = add_used(files, process, &used);
	}
	return ret;
}

/* Before Linux 5.14 fdinfo has no inode: then it takes asking the kernel. */
static bool find_ino(const struct process *process, const char *name,
		     const char *info, uint64_t *ino)
{
	struct statx status;
	char path[PATH_MAX];

	if (fdinfo_number(info, "ino:", ino))
		return true;
	if (!sysroot_is_live(process->root))
		return false;
	snprintf(path, sizeof(path), "/proc/%s/fd/%s", process->pid, name);
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO, &status) < 0)
		return false;
	*ino = status.stx_ino;
	return true;
}

static int add_descriptor(struct cached_files *files, struct process *process,
			  const char *name)
{
	_cleanup_(freep) char *info = NULL;
	struct used used = { 0 };
	const struct mount_id *mount;
	uint64_t id;
	bool wanted = false;

	if (fdinfo_read(process->root, process->pid, name, &info) < 0 ||
	    !fdinfo_number(info, "mnt_id:", &id))
		return 0;
	mount = all_mounts_find_id(&files->mounts, id);
	used.of_kernel = !mount;
	if (mount) {
		used.major = mount->major;
		used.minor = mount->minor;
	}
	for (size_t i = 0; i < files->count && !wanted; i++) {
		const struct cached_file *file = &files->files[i];

		wanted = used.of_kernel ? !file->mounted :
					  file->major == used.major &&
						  file->minor == used.minor;
	}
	if (!wanted || !find_ino(process, name, info, &used.ino))
		return 0;
	return add_used(files, process, &used);
}

static int add_descriptors(struct cached_files *files, struct process *process)
{
	_cleanup_(closedirp) DIR *dir = NULL;
	const struct dirent *item;
	char path[NAME_MAX + 32];
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo", process->pid);
	dir = sysroot_opendir(process->root, path);
	while (dir && !ret && (item = readdir(dir))) {
		if (item->d_name[0] != '.')
			ret = add_descriptor(files, process, item->d_name);
	}
	return ret;
}

int cached_files_find_users(struct cached_files *files,
			    const struct sysroot *root)
{
	_cleanup_(closedirp) DIR *proc = sysroot_opendir(root, "/proc");
	const struct dirent *item;
	uint64_t pid;
	int ret = 0;

	while (proc && !ret && (item = readdir(proc))) {
		struct process process = { .root = root, .pid = item->d_name };

		if (!number_parse(item->d_name, UINT_MAX, &pid) ||
		    pid == (uint64_t)getpid())
			continue;
		ret = add_descriptors(files, &process);
		if (!ret)
			ret = add_mappings(files, &process);
		free(process.label);
	}
	return ret;
}
