// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the processes that have the files open or mapped. Reads only what the
 * kernel keeps in memory: stat(2) of a descriptor may ask a server that does
 * not answer.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filesystems/fdinfo.h"
#include "filesystems/measured_files.h"
#include "names/pid_namespace.h"
#include "names/processes.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "worker/ask.h"
#include "worker/patience.h"
#include "worker/worker.h"

#define MAX_MAPS (64U << 20)

/* An inode that a process has open or mapped. */
struct used {
	uint64_t ino;
	unsigned int major;
	unsigned int minor;
	bool of_kernel; /* on the kernel's tmpfs; ignore major and minor */
};

/*
 * There are two questions for each process: its descriptors and its mappings.
 * Reading the mappings takes the process's mmap_lock, which may be held
 * forever, for example by a process that waits for a frozen filesystem.
 */
enum about { ABOUT_DESCRIPTORS, ABOUT_MAPPINGS, ABOUTS };

struct questions {
	const struct cached_files *files;
	const struct sysroot *root;
	struct string_list pids;
};

/* One process, while a worker looks at it. */
struct process {
	const struct cached_files *files;
	const struct sysroot *root;
	const char *pid;
	unsigned char *uses; /* one byte per file: 1 if the process has it */
	unsigned char *failed; /* 1 if uses may be incomplete */
};

static bool is_file(const struct cached_file *file, const struct used *used)
{
	if (file->ino != used->ino)
		return false;
	if (used->of_kernel)
		return file->is_own;
	return file->major == used->major && file->minor == used->minor;
}

static void add_used(const struct process *process, const struct used *used)
{
	for (size_t i = 0; i < process->files->count; i++) {
		if (is_file(&process->files->files[i], used))
			process->uses[i] = 1;
	}
}

/*
 * Format: address perms offset MAJOR:MINOR INODE path. The device is in
 * hexadecimal.
 */
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

static void add_mappings(const struct process *process)
{
	_cleanup_(freep) char *maps = NULL;
	char *rest, *line;
	struct used used;
	char path[NAME_MAX + 32];
	int ret;

	snprintf(path, sizeof(path), "/proc/%s/maps", process->pid);
	ret = sysroot_read(process->root, path, MAX_MAPS, &maps, NULL);
	*process->failed = sysroot_hides(ret);
	if (ret < 0)
		return;
	rest = maps;
	while ((line = strsep(&rest, "\n"))) {
		if (read_mapping(line, &used))
			add_used(process, &used);
	}
}

/*
 * Before Linux 5.14 fdinfo has no inode number. With AT_STATX_DONT_SYNC,
 * statx() asks no server for it.
 */
static bool find_ino(const struct process *process, const char *name,
		     const char *info, uint64_t *ino)
{
	struct statx status;
	char path[PATH_MAX];

	if (number_of_line(info, "ino:", UINT64_MAX, ino))
		return true;
	if (!sysroot_is_live(process->root))
		return false;
	snprintf(path, sizeof(path), "/proc/%s/fd/%s", process->pid, name);
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO, &status) < 0)
		return false;
	*ino = status.stx_ino;
	return true;
}

static void add_descriptor(const struct process *process, const char *name)
{
	const struct cached_files *files = process->files;
	_cleanup_(freep) char *info = NULL;
	struct used used = { 0 };
	const struct mount_id *mount;
	uint64_t id;
	bool wanted = false;

	if (fdinfo_read(process->root, process->pid, name, &info) < 0 ||
	    !number_of_line(info, "mnt_id:", UINT64_MAX, &id))
		return;
	mount = all_mounts_find_id(&files->mounts, id);
	used.of_kernel = !mount;
	if (mount) {
		used.major = mount->major;
		used.minor = mount->minor;
	}
	for (size_t i = 0; i < files->count && !wanted; i++) {
		const struct cached_file *file = &files->files[i];

		wanted = used.of_kernel ? file->is_own :
					  file->major == used.major &&
						  file->minor == used.minor;
	}
	if (wanted && find_ino(process, name, info, &used.ino))
		add_used(process, &used);
}

static void add_descriptors(const struct process *process)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	char path[NAME_MAX + 32];
	int ret;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo", process->pid);
	ret = sysroot_list(process->root, path, &names);
	*process->failed = sysroot_hides(ret);
	for (size_t i = 0; i < names.count; i++) {
		if (patience_walk(process->root->patience) < 0) {
			*process->failed = true;
			break;
		}
		add_descriptor(process, names.strings[i]);
	}
}

/*
 * The answer has one byte per file, and a last one that says whether something
 * may be missing.
 */
static size_t look_at(const void *data, size_t index, void *answer)
{
	const struct questions *questions = data;
	const struct process process = {
		.files = questions->files,
		.root = questions->root,
		.pid = questions->pids.strings[index / ABOUTS],
		.uses = answer,
		.failed = (unsigned char *)answer + questions->files->count,
	};

	if (patience_walk(questions->root->patience) < 0)
		*process.failed = true;
	else if (index % ABOUTS == ABOUT_DESCRIPTORS)
		add_descriptors(&process);
	else
		add_mappings(&process);
	return questions->files->count + 1;
}

static void name_one(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct questions *questions = data;

	snprintf(text, STUCK_OBJECT, "process %s",
		 questions->pids.strings[index / ABOUTS]);
}

static bool uses(const struct asked *asked, size_t pid, size_t file)
{
	for (size_t about = 0; about < ABOUTS; about++) {
		const unsigned char *answer =
			asked_answer(asked, pid * ABOUTS + about);

		if (answer && answer[file])
			return true;
	}
	return false;
}

/* Whether some of the process's descriptors or mappings were not seen. */
static bool is_partly_known(const struct asked *asked, size_t pid, size_t files)
{
	for (size_t about = 0; about < ABOUTS; about++) {
		const unsigned char *answer =
			asked_answer(asked, pid * ABOUTS + about);

		if (!answer || answer[files])
			return true;
	}
	return false;
}

/* Lists a process once per file, however often it has the file. */
static int take_process(struct cached_files *files, const struct sysroot *root,
			const struct questions *questions,
			const struct asked *asked, size_t pid)
{
	_cleanup_(freep) char *label = NULL;
	const char *name = questions->pids.strings[pid];
	bool is_unknown = is_partly_known(asked, pid, files->count);
	int ret = 0;

	for (size_t i = 0; !ret && i < files->count; i++) {
		if (!uses(asked, pid, i))
			continue;
		if (!label)
			ret = process_label(root, name, &label);
		if (!ret)
			ret = string_list_add(&files->files[i].users, label);
	}
	if (!ret && is_unknown && !label)
		ret = process_label(root, name, &label);
	if (!ret && is_unknown)
		ret = string_list_add(&files->unknown_users, label);
	return ret;
}

int cached_files_find_users(struct cached_files *files,
			    const struct sysroot *root, struct error *err)
{
	struct sysroot inside = *root;
	struct questions questions = { .files = files, .root = &inside };
	bool known = files->captured || !cached_files_have_users(files);
	int ret = known ? 0 : processes_list(&questions.pids, root);
	const struct ask all = {
		.answer = look_at,
		.data = &questions,
		.count = questions.pids.count * ABOUTS,
		.answer_size = files->count + 1,
		.kept = root->fd,
		.name = name_one,
		.patience = root->patience,
	};
	struct asked *asked = NULL;

	/* Where a worker has a tree. */
	if (inside.fd >= 0)
		inside.fd = WORKER_KEPT;
	if (!ret && !known && files->count)
		ret = ask(&all, &asked, err);
	for (size_t i = 0; !ret && asked && i < questions.pids.count; i++)
		ret = take_process(files, root, &questions, asked, i);
	if (!ret && asked && sysroot_is_live(root) &&
	    pid_namespace_here().is_foreign)
		ret = string_list_add(&files->unknown_users, PROCESSES_OUTSIDE);
	asked_destroy(asked);
	string_list_deinit(&questions.pids);
	return ret < 0 ? error_errno(err, -ret, "looking for", "the users") : 0;
}
