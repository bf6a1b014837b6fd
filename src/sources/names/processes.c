// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "names/processes.h"

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

	process_comm(root, (unsigned int)strtoul(pid, NULL, 10), &comm);
	if (asprintf(label, "%s(%s)", comm ? comm : "", pid) >= 0)
		return 0;
	*label = NULL;
	return -ENOMEM;
}

int process_comm(const struct sysroot *root, unsigned int pid, char **comm)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	ret = sysroot_read(root, path, MAX_COMM, comm, NULL);
	if (ret < 0)
		*comm = NULL;
	else
		(*comm)[strcspn(*comm, "\n")] = '\0';
	return only_enomem(ret);
}
