// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "capture_openers.h"
#include "cleanup.h"
#include "number.h"
#include "openers.h"
#include "sysfs.h"
#include "sysroot.h"
#include "tar.h"

/* A descriptor's link leads to the device's node; which one is not kept. */
static int write_opener(FILE *out, const struct sysroot *root,
			const struct opener *opener, size_t descriptor)
{
	_cleanup_(freep) char *kname = NULL;
	char path[64], node[300];
	int ret;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", opener->major,
		 opener->minor);
	ret = sysroot_link_name(root, path, &kname);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	sysfs_name_restore(kname);
	snprintf(node, sizeof(node), "/dev/%s", kname);
	snprintf(path, sizeof(path), "/proc/%u/fd/%zu", opener->pid,
		 descriptor);
	ret = tar_write_link(out, path, node);
	return ret == -ENOMEM ? ret : 0;
}

static int write_name(FILE *out, const struct opener *opener)
{
	char path[64], text[sizeof(opener->comm) + 1];

	snprintf(text, sizeof(text), "%s\n", opener->comm);
	snprintf(path, sizeof(path), "/proc/%u/comm", opener->pid);
	return tar_write_file(out, path, text, strlen(text));
}

static int by_pid(const void *left, const void *right)
{
	const struct opener *a = left, *b = right;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int write_openers(FILE *out, const struct sysroot *root,
			 struct openers *openers)
{
	size_t descriptor = 0;
	int ret = 0;

	if (openers->count)
		qsort(openers->openers, openers->count,
		      sizeof(*openers->openers), by_pid);
	for (size_t i = 0; !ret && i < openers->count; i++) {
		const struct opener *opener = &openers->openers[i];

		if (!i || opener[-1].pid != opener->pid) {
			descriptor = 0;
			ret = write_name(out, opener);
		}
		if (!ret)
			ret = write_opener(out, root, opener, descriptor++);
	}
	return ret;
}

/* That there was a process to look at, and that it could be. */
static int write_process(FILE *out, const struct sysroot *root,
			 unsigned int pid)
{
	_cleanup_(closedirp) DIR *dir = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	dir = sysroot_opendir(root, path);
	if (!dir)
		return errno == ENOMEM ? -ENOMEM : 0;
	return tar_write_directory(out, path);
}

static int write_processes(FILE *out, const struct sysroot *root)
{
	_cleanup_(closedirp) DIR *proc = sysroot_opendir(root, "/proc");
	const struct dirent *item;
	uint64_t pid;
	int ret = 0;

	if (!proc)
		return errno == ENOMEM ? -ENOMEM : 0;
	while (!ret && (item = readdir(proc))) {
		if (number_parse(item->d_name, UINT_MAX, &pid))
			ret = write_process(out, root, (unsigned int)pid);
	}
	return ret;
}

int capture_openers(FILE *out, const struct sysroot *root)
{
	struct openers openers;
	int ret = openers_init(&openers, root);

	if (!ret)
		ret = write_processes(out, root);
	if (!ret)
		ret = write_openers(out, root, &openers);
	openers_deinit(&openers);
	return ret;
}
