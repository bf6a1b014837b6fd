/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cgroup of the memory controller a process is in. */
#ifndef BUFSTAT_PROCESS_CGROUP_H
#define BUFSTAT_PROCESS_CGROUP_H

#include <stdbool.h>

struct sysroot;

/*
 * Sets *@path to the cgroup of the process, as this process sees it, or to NULL
 * if that is not known; the caller frees it. @pid 0 is this process. @is_v1 may
 * be NULL: whether version 1 has the controller. The kernel takes cgroup_mutex
 * for it (until Linux 6.7), so a worker reads there. Returns 0 or -ENOMEM.
 */
int process_cgroup(const struct sysroot *root, unsigned int pid, char **path,
		   bool *is_v1);

#endif
