/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the BPF programs and the tool share. The object in fill_object.c is
 * compiled with it: run tools/bpf after a change.
 */
#ifndef BUFSTAT_FILL_H
#define BUFSTAT_FILL_H

#include <linux/types.h>

/* How pages came in. */
enum fill_how {
	FILL_READ, /* in a system call that reads */
	FILL_WRITE, /* in one that writes */
	FILL_FAULT, /* in no system call: by touching mapped memory */
	FILL_METADATA, /* in any other system call, such as getdents64() */
	FILL_KERNEL, /* by a thread of the kernel */
	FILL_OTHER, /* not known */
	FILL_HOWS,
};

/* A process and a cache. Small, because each event looks one up. */
struct fill_key {
	__u32 device; /* number as in the kernel: major << 20 | minor */
	/*
	 * The process's id outside of all containers, shifted left by one, and
	 * 1 for a block device's own cache, 0 for a filesystem's.
	 */
	__u32 process_and_kind;
};

struct fill_value {
	__u64 in[FILL_HOWS]; /* pages */
	__u64 out; /* pages */
	__u64 dropped; /* pages of these, by posix_fadvise() */
	__u64 cgroup; /* id: the inode of its directory in version 2 */
	/*
	 * Of a thread of the kernel: the cgroup that the last page was charged
	 * to, in the hierarchy of the memory controller; or 0.
	 */
	__u64 on_behalf_of;
	__u64 program; /* self_exec_id: changes with the name */
	__u64 events; /* about: two at the same instant may count as one */
	char command[16]; /* of the first thread, or of any if that did nothing */
	/* Calls of posix_fadvise() with POSIX_FADV_DONTNEED for a whole page. */
	__u32 asked;
	/* Of these, after which the file had pages and was ... */
	__u32 dirty; /* dirty in part, or being written */
	__u32 mapped; /* by a process */
	__u32 generation; /* differs in a row that was removed and began again */
};

/* For whom reclaim took a page. */
enum fill_need {
	FILL_NEED_HOST, /* memory of the host was short */
	FILL_NEED_LIMIT, /* that of a cgroup and of those below it */
};

/* Whose pages reclaim took, and in which task. */
struct fill_eviction {
	__u64 cgroup; /* id, in the hierarchy of the memory controller */
	__u64 by; /* cgroup of the task, or 0: a thread of the kernel */
	__u64 need; /* enum fill_need */
};

#define FILL_ROOM 8192 /* pairs of a process and a cache */
#define FILL_EVICTIONS 4096
#define FILL_RECLAIMERS 1024 /* tasks that reclaim at a time */
#define FILL_SYSCALLS 512

/* Set before the programs run. */
struct fill_settings {
	__u64 bdev_address; /* of the kernel's variable blockdev_superblock */
	__u64 pids_device; /* of the PID namespace of @process */
	__u64 pids_inode;
	__u32 process; /* in which the programs at vm_unmapped_area run */
	__u32 fadvise; /* number of the system call */
	__u8 how[FILL_SYSCALLS]; /* enum fill_how of each system call */
};

/* Changes while the programs run. */
struct fill_switch {
	__u32 off; /* they count nothing */
};

enum fill_preemption {
	FILL_PREEMPTION_UNKNOWN, /* the program did not run */
	FILL_NOT_PREEMPTED,
	FILL_PREEMPTED,
};

/* Set by the programs. */
struct fill_state {
	__u64 full_events; /* that found the map full */
	__u64 full_pages;
	__u32 preemption; /* enum fill_preemption */
	__u32 bdevfs; /* number of the filesystem of all block devices */
	__u32 knows_how; /* else everything comes in by FILL_OTHER */
	__u32 full_reclaimers; /* reclaims that found that map full */
};

#endif
