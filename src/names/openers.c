// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cleanup.h"
#include "device_find.h"
#include "number.h"
#include "openers.h"
#include "sysroot.h"

#define MAX_COMM 4096

/* Of one process, while its descriptors are read. */
struct process {
	const struct sysroot *root;
	unsigned int pid;
	int fd_dir;
	char comm[sizeof(((struct opener *)NULL)->comm)];
};

static int by_device(const struct opener *a, const struct opener *b)
{
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	return (a->minor > b->minor) - (a->minor < b->minor);
}

static int by_device_and_pid(const void *left, const void *right)
{
	const struct opener *a = left, *b = right;
	int order = by_device(a, b);

	return order ? order : (a->pid > b->pid) - (a->pid < b->pid);
}

/*
 * What is behind the link is asked for without asking a server on the network,
 * which may not answer: a device's number is known without.
 */
static bool stat_device(int dir, const char *name, struct opener *device)
{
	struct statx status;

	if (statx(dir, name, AT_STATX_DONT_SYNC, STATX_TYPE, &status) < 0 ||
	    !S_ISBLK(status.stx_mode))
		return false;
	device->major = status.stx_rdev_major;
	device->minor = status.stx_rdev_minor;
	return true;
}

/* A captured tree has the link but no device: its sysfs knows the number. */
static bool look_up_device(const struct process *process, const char *name,
			   struct opener *device)
{
	struct found_device found;
	char target[PATH_MAX];
	ssize_t length;

	length = readlinkat(process->fd_dir, name, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	if (*target != '/' ||
	    device_find(process->root, target, &found, NULL) < 0)
		return false;
	device->major = major(found.number);
	device->minor = minor(found.number);
	found_device_deinit(&found);
	return true;
}

static void read_comm(struct process *process)
{
	_cleanup_(freep) char *text = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/comm", process->pid);
	if (sysroot_read(process->root, path, MAX_COMM, &text, NULL) < 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	snprintf(process->comm, sizeof(process->comm), "%s", text);
}

static int add(struct openers *openers, const struct opener *opener)
{
	if (openers->count == openers->capacity) {
		size_t capacity = openers->capacity * 2 + 16;
		void *moved = reallocarray(openers->openers, capacity,
					   sizeof(*openers->openers));

		if (!moved)
			return -ENOMEM;
		openers->openers = moved;
		openers->capacity = capacity;
	}
	openers->openers[openers->count++] = *opener;
	return 0;
}

/* Most processes have no device open: only of those is the name read. */
static int add_descriptor(struct openers *openers, struct process *process,
			  const char *name, size_t first)
{
	struct opener opener = { .pid = process->pid };
	bool found;

	if (sysroot_is_live(process->root))
		found = stat_device(process->fd_dir, name, &opener);
	else
		found = look_up_device(process, name, &opener);
	if (!found)
		return 0;

	for (size_t i = first; i < openers->count; i++) {
		if (by_device(&openers->openers[i], &opener) == 0)
			return 0;
	}
	if (first == openers->count)
		read_comm(process);
	memcpy(opener.comm, process->comm, sizeof(opener.comm));
	return add(openers, &opener);
}

static int add_process(struct openers *openers, const struct sysroot *root,
		       unsigned int pid)
{
	struct process process = { .root = root, .pid = pid };
	_cleanup_(closedirp) DIR *dir = NULL;
	size_t first = openers->count;
	const struct dirent *item;
	char path[64];
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	dir = sysroot_opendir(root, path);
	if (!dir) {
		openers->denied += errno == EACCES || errno == EPERM;
		return errno == ENOMEM ? -ENOMEM : 0;
	}
	openers->processes++;
	process.fd_dir = dirfd(dir);
	while (!ret && (item = readdir(dir))) {
		if (item->d_name[0] != '.')
			ret = add_descriptor(openers, &process, item->d_name,
					     first);
	}
	return ret;
}

/* Descriptors that this program was given are nobody's reason to hold one. */
static bool is_self(const struct sysroot *root, uint64_t pid)
{
	return sysroot_is_live(root) && pid == (uint64_t)getpid();
}

int openers_init(struct openers *openers, const struct sysroot *root)
{
	_cleanup_(closedirp) DIR *proc = sysroot_opendir(root, "/proc");
	const struct dirent *item;
	uint64_t pid;
	int ret = 0;

	*openers = (struct openers){ 0 };
	if (!proc)
		return errno == ENOMEM ? -ENOMEM : 0;
	while (!ret && (item = readdir(proc))) {
		if (number_parse(item->d_name, UINT_MAX, &pid) &&
		    !is_self(root, pid))
			ret = add_process(openers, root, (unsigned int)pid);
	}
	if (openers->count)
		qsort(openers->openers, openers->count,
		      sizeof(*openers->openers), by_device_and_pid);
	return ret;
}

void openers_deinit(struct openers *openers)
{
	free(openers->openers);
	*openers = (struct openers){ 0 };
}

static int compare_device(const void *left, const void *right)
{
	return by_device(left, right);
}

const struct opener *openers_find(const struct openers *openers,
				  unsigned int major, unsigned int minor,
				  size_t *count)
{
	const struct opener key = { .major = major, .minor = minor };
	const struct opener *first, *end = openers->openers + openers->count;

	*count = 0;
	if (!openers->count)
		return NULL;
	first = bsearch(&key, openers->openers, openers->count, sizeof(key),
			compare_device);
	if (!first)
		return NULL;
	while (first > openers->openers && by_device(first - 1, &key) == 0)
		first--;
	while (first + *count < end && by_device(first + *count, &key) == 0)
		++*count;
	return first;
}

bool openers_are_whole(const struct openers *openers)
{
	return openers->processes && !openers->denied;
}
