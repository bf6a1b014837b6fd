// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "names/open_pipes.h"
#include "worker/patience.h"

static int open_pipes_add(struct open_pipes *open, const struct sysroot *root,
			  const char *path)
{
	static const char prefix[] = "pipe:[";
	_cleanup_(closedirp) DIR *dir = sysroot_opendir(root, path);
	const char *fd;

	/* One that has ended has none open. */
	if (!dir)
		return errno == ENOENT || errno == ESRCH ? 0 : -errno;
	while (sysroot_next_name(dir, &fd) > 0) {
		char link[64] = "";
		const char *number = link + strlen(prefix);

		if (patience_walk(root->patience) < 0)
			return -ETIMEDOUT;
		if (array_make_room(&open->numbers, open->count,
				    &open->capacity) < 0)
			return -ENOMEM;
		if (readlinkat(dirfd(dir), fd, link, sizeof(link) - 1) > 0 &&
		    strncmp(link, prefix, strlen(prefix)) == 0 &&
		    number_scan(&number, UINT64_MAX,
				&open->numbers[open->count]))
			open->count++;
	}
	return 0;
}

/*
 * All threads of a process have the same open, unless one did
 * unshare(CLONE_FILES), and except for the first of them when it has ended.
 * kcmp(2) would tell, but it waits for a process that is in execve() and closes
 * files, so each is looked at.
 */
static int open_pipes_add_process(struct open_pipes *open,
				  const struct sysroot *root, const char *pid)
{
	_cleanup_(string_list_deinit) struct string_list tasks = { 0 };
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%.10s/fd", pid);
	ret = open_pipes_add(open, root, path);
	snprintf(path, sizeof(path), "/proc/%.10s/task", pid);
	if (!ret && sysroot_list(root, path, &tasks) == -ENOMEM)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < tasks.count; i++) {
		if (strcmp(tasks.strings[i], pid) == 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%.10s/task/%.10s/fd", pid,
			 tasks.strings[i]);
		ret = open_pipes_add(open, root, path);
	}
	return ret;
}

static int open_pipes_compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

int open_pipes_init(struct open_pipes *open, const struct sysroot *root)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	int ret = sysroot_list(root, "/proc", &names);
	uint64_t pid;

	*open = (struct open_pipes){ 0 };
	for (size_t i = 0; !ret && i < names.count; i++) {
		if (number_parse(names.strings[i], UINT32_MAX, &pid))
			ret = open_pipes_add_process(open, root,
						     names.strings[i]);
	}
	if (open->count)
		qsort(open->numbers, open->count, sizeof(*open->numbers),
		      open_pipes_compare);
	return ret;
}

void open_pipes_deinit(struct open_pipes *open)
{
	free(open->numbers);
	*open = (struct open_pipes){ 0 };
}

bool open_pipes_has(const struct open_pipes *open, uint64_t number)
{
	return open->count &&
	       bsearch(&number, open->numbers, open->count,
		       sizeof(*open->numbers), open_pipes_compare);
}
