/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why something cannot be used: what this host, its user or a capture lacks. A
 * value that only the function that looked gives an error (err->lack), and the
 * sentence about it, in which that function fills in the *. After a | comes
 * what would help.
 */
#ifndef BUFSTAT_LACK_H
#define BUFSTAT_LACK_H

struct error;

/* clang-format off */
#define LACKS(LACK) \
	/* The module. */ \
	LACK(MODULES, "this kernel cannot load modules|boot one with CONFIG_MODULES=y") \
	LACK(PERMISSION_TO_LOAD, "not loaded, and kernel.modules_disabled is 1 until the next boot|reboot") \
	LACK(INSTALLATION, "not installed for kernel *") \
	LACK(SIGNATURE, "not loaded, and * takes signed modules only") \
	LACK(MODULE, "not loaded|sudo bufstat module load") \
	LACK(MODULE_FILES, "not loaded, and its files: *|sudo bufstat module load") \
	LACK(DEBUGFS_FILE, "loaded, but without its debugfs file|unload and load it again") \
	LACK(DEBUGFS, "loaded, but this kernel has no debugfs|boot one with CONFIG_DEBUG_FS=y, without debugfs=off") \
	LACK(DEBUGFS_MOUNT, "loaded, but debugfs is not mounted|mount -t debugfs debugfs /sys/kernel/debug") \
	LACK(DEBUGFS_IN_LOCKDOWN, "this kernel's lockdown refuses debugfs") \
	LACK(NODE, "loaded, but there is no /dev/bufstat (an older module, or a private /dev?)") \
	LACK(SAME_VERSION, "/dev/bufstat has another version than this program: install both together") \
	/* A right to a file. */ \
	LACK(ROOT, "* is for root|use sudo") \
	LACK(RIGHT, "* may not be read here") \
	/* A captured host. */ \
	LACK(FILE_IN_TREE, "not in this tree") \
	LACK(MODULE_IN_TREE, "a captured tree cannot be asked") \
	LACK(DEVICES_IN_TREE, "a captured tree has no devices") \
	LACK(ACTIVITY_IN_TREE, "a captured host does nothing") \
	LACK(CGROUPS_IN_TREE, "the capture has none") \
	LACK(SOURCE_IN_TREE, "captured with *") \
	LACK(ANSWER_IN_TREE, "captured without *") \
	/* The kernel's memory. */ \
	LACK(KCORE, "this kernel has no /proc/kcore|one with CONFIG_PROC_KCORE=y") \
	LACK(KCORE_IN_LOCKDOWN, "lockdown=confidentiality refuses /proc/kcore|boot with lockdown=integrity") \
	LACK(RAWIO, "/proc/kcore needs CAP_SYS_RAWIO|use sudo, or give the container or service that capability") \
	LACK(RIGHT_TO_KCORE, "*|lockdown, or a user namespace: run it on the host") \
	LACK(TYPES, "/sys/kernel/btf/vmlinux: this kernel does not describe its types|one with CONFIG_DEBUG_INFO_BTF=y, Linux 5.4") \
	LACK(SYSFS, "/sys is not mounted|mount -t sysfs sysfs /sys") \
	LACK(WAY_TO_DEVICES, "blockdev_superblock does not lead to the block devices of this kernel") \
	LACK(SYMBOL, "this kernel does not say where its block devices are (no symbol blockdev_superblock)") \
	/* cachestat(2). */ \
	LACK(CACHESTAT, "needs Linux 6.5 or newer") \
	LACK(RIGHT_TO_CACHESTAT, "refused: *") \
	LACK(ROOT_FOR_DEVICES, "only root may open the devices|use sudo") \
	LACK(RIGHT_TO_DEVICES, "the devices may not be opened here") \
	/* What traces. */ \
	LACK(OPEN_FILES, "it takes * open files") \
	LACK(MEMORY, "* might get a process killed") \
	LACK(ROOM, "*") \
	LACK(ROOT_FOR_BPF, "needs root, or CAP_BPF and CAP_PERFMON|use sudo") \
	LACK(RIGHT_TO_BPF, "*|give it CAP_BPF and CAP_PERFMON, and before Linux 5.11 locked memory: ulimit -l unlimited") \
	LACK(BPF, "this kernel has no BPF|one with CONFIG_BPF_SYSCALL=y") \
	LACK(CONSENT, "this kernel refuses the *") \
	LACK(TRACEFS, "the tracepoints are not in /sys/kernel/tracing: tracefs is not mounted, or this kernel has none|mount -t tracefs tracefs /sys/kernel/tracing") \
	LACK(FIRST_PIDS, "in a PID namespace *|run it on the host, or in a container with the host's PIDs") \
	LACK(TRACED_FUNCTIONS, "the functions of this kernel are not traced|sysctl kernel.ftrace_enabled=1") \
	LACK(GRAPH_TRACER, "this kernel has no function_graph (CONFIG_FUNCTION_GRAPH_TRACER)") \
	LACK(DYNAMIC_TRACING, "this kernel cannot trace its functions (CONFIG_DYNAMIC_FTRACE)") \
	LACK(FUNCTION_NUMBERS, "this kernel takes them by name only; path needs Linux 5.2") \
	LACK(ADDRESSES, "the addresses are hidden|sysctl kernel.kptr_restrict=1") \
	LACK(EVENT, "this kernel does not have it") \
	LACK(FORMAT, "it cannot be understood") \
	LACK(FIELD, "a field is missing") \
	LACK(RIGHT_TO_TRACEFS, "*") \
	LACK(TRACER, "somebody uses the only tracer that this kernel has: it says \"*\"") \
	LACK(TOP_TRACER, "somebody uses the tracer that --function with --ftrace takes: it says \"*\"") \
	LACK(LIBRARY, "*") \
	/* Cgroups. */ \
	LACK(MEMORY_CONTROLLER, "the memory controller is not enabled|on the kernel's command line: cgroup_enable=memory") \
	LACK(CGROUPS, "no cgroups with the memory controller are mounted|mount -t cgroup2 none /sys/fs/cgroup") \
	/* What is there in part, or was not waited for. */ \
	LACK(SOME, "*") \
	LACK(REST, "unsettled: no reading added up|try again") \
	LACK(SUM, "*") \
	LACK(MOUNTS, "not all mounts were seen") \
	LACK(CACHED, "/proc/meminfo has no Cached") \
	LACK(USERS, "not all users are known") \
	LACK(WORKER, "*") \
	LACK(TIME, "*|bufstat sources --timeout 60") \
	LACK(NEED, "a source has answered, and the time is up") \
	LACK(NEED_OF_DEVICES, "it opens every block device, and * has measured them") \
	LACK(SPEED, "not tried: *")
/* clang-format on */

enum lack {
	LACKS_NOTHING,
	LACKS_FIRST = 8192, /* above every enum error_class */
	LACKS_BEFORE = LACKS_FIRST - 1,
#define LACK(id, text) LACK_##id,
	LACKS(LACK)
#undef LACK
		LACKS_END
};

/*
 * Sets why something cannot be used, with @of in place of the *. Returns
 * -EOPNOTSUPP. @err may be NULL.
 */
int lack_error(struct error *err, enum lack lack, const char *of);

/* The same, with what was being done and to what. */
int lack_doing(struct error *err, enum lack lack, const char *of,
	       const char *doing, const char *object);

/* The same where @err has the words already. */
int lack_of_error(struct error *err, enum lack lack);

#endif
