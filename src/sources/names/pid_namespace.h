/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The namespace of this process's PIDs: of processes outside it nothing is
 * seen. What the kernel traces, and what ftrace is told to follow, are PIDs of
 * the first one.
 */
#ifndef BUFSTAT_PID_NAMESPACE_H
#define BUFSTAT_PID_NAMESPACE_H

#include <stdbool.h>
#include <stdint.h>

/* Of whom nothing is known in one that is not the first. */
#define PROCESSES_OUTSIDE "processes outside this PID namespace"

/* For bpf_get_ns_current_pid_tgid(); 0 without /proc. */
struct pid_namespace {
	uint64_t device;
	uint64_t inode;
	bool is_foreign; /* known not to be the first */
};

struct pid_namespace pid_namespace_here(void);

/*
 * Whether this is root, and not of a user namespace alone, who may not look at
 * the processes of others. Kernels without them have no such file.
 */
bool is_first_root(void);

#endif
