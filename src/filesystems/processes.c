// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "filesystems/processes.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"

#define MAX_COMM 4096

int processes_list(struct string_list *pids, const struct sysroot *root)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	uint64_t pid;
	int ret = sysroot_list(root, "/proc", &names);

	for (size_t i = 0; !ret && i < names.count; i++) {
		if (number_parse(names.strings[i], UINT_MAX, &pid) &&
		    pid != (uint64_t)getpid())
			ret = string_list_add(pids, names.strings[i]);
	}
	return ret;
}

int process_label(const struct sysroot *root, const char *pid, char **label)
{
	_cleanup_(freep) char *comm = NULL;
	char path[NAME_MAX + 32];

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	if (sysroot_read(root, path, MAX_COMM, &comm, NULL) == 0)
		comm[strcspn(comm, "\n")] = '\0';
	if (asprintf(label, "%s(%s)", comm ? comm : "", pid) >= 0)
		return 0;
	*label = NULL;
	return -ENOMEM;
}

/* Reads a small file of a process; *@text is NULL if it has ended. */
static int read_of(const struct sysroot *root, unsigned int pid,
		   const char *name, char **text)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	ret = sysroot_read(root, path, MAX_COMM, text, NULL);
	if (ret < 0)
		*text = NULL;
	return ret == -ENOMEM ? ret : 0;
}

int process_comm(const struct sysroot *root, unsigned int pid, char **comm)
{
	int ret = read_of(root, pid, "comm", comm);

	if (*comm)
		(*comm)[strcspn(*comm, "\n")] = '\0';
	return ret;
}

/* "4:memory:/a" of version 1; of version 2 "0::/a", which comes last. */
int process_cgroup(const struct sysroot *root, unsigned int pid, char **path)
{
	_cleanup_(freep) char *text = NULL;
	int ret = read_of(root, pid, "cgroup", &text);
	const char *at;

	*path = NULL;
	if (ret < 0 || !text)
		return ret;
	at = strstr(text, ":memory:");
	at = at ? at + strlen(":memory:") : strstr(text, "0::");
	at = at ? strchr(at, '/') : NULL;
	if (!at)
		return 0;
	*path = strndup(at, strcspn(at, "\n"));
	return *path ? 0 : -ENOMEM;
}
