/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the kernel's own counts of pages out of its memory, running or dumped:
 * those that /proc/meminfo and /proc/vmstat print, by their names in the
 * kernel's enums. BTF says where they are. Each is the sum over all nodes or
 * zones, and includes what each processor has not added yet. /proc/meminfo
 * leaves that out.
 */
#ifndef BUFSTAT_VM_COUNTERS_H
#define BUFSTAT_VM_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct kernel;

enum vm_counter_kind {
	VM_NODE, /* enum node_stat_item: "NR_FILE_PAGES" */
	VM_ZONE, /* enum zone_stat_item: "NR_FREE_PAGES" */
	VM_WATERMARK, /* enum zone_watermarks: "WMARK_LOW" */
	VM_NODE_MEMBER, /* of struct pglist_data: "totalreserve_pages" */
	VM_ZONE_MEMBER, /* of struct zone: "managed_pages" */
	VM_LISTS, /* "count": free pages on the processors' own lists */
	VM_COUNTER_KINDS
};

/* Set @kind and @name, which must outlive it, and leave the rest zero. */
struct vm_counter {
	enum vm_counter_kind kind;
	const char *name;
	bool known; /* this kernel has it */
	uint32_t offset; /* for vm_counters.c: bytes in its node or zone */
	uint32_t item; /* for vm_counters.c: its place in the enum */
	int64_t count; /* as read last; pages, unless the kernel counts others */
};

/* Where a kernel has its counters; for vm_counters.c only. */
struct vm_counters {
	const struct kernel *kernel; /* the caller's; NULL: places unknown */
	struct vm_counter *counters; /* the caller's */
	size_t count;
	uint32_t zones; /* pglist_data.node_zones, bytes */
	uint32_t zone_count; /* of each node */
	uint32_t zone_size; /* bytes */
	uint32_t present; /* zone.present_pages, bytes */
	struct {
		uint32_t pointer; /* to it, in its node or zone, bytes */
		uint32_t array; /* in what that leads to, bytes */
		uint32_t items; /* how many of them must be read */
	} differences[2]; /* of VM_NODE and VM_ZONE */
	uint32_t lists; /* the pointer to VM_LISTS, in its zone, bytes */
	uint64_t nodes; /* address of node_data, or of the only node */
	size_t node_count; /* of node_data, some of them NULL; 0: only one */
	uint64_t offsets; /* address of __per_cpu_offset */
	uint32_t cpus;
	uint32_t left; /* how many processors may still be asked */
};

/*
 * Looks up @count @counters, and sets which of them this kernel has. Both must
 * stay where they are while @places is used. If the kernel does not say where
 * it counts, none is known.
 */
void vm_counters_find(struct vm_counters *places, struct kernel *kernel,
		      struct vm_counter *counters, size_t count);

/*
 * Finds the nodes, as vm_counters_find() does; of its own for the tests.
 * VMCOREINFO has them on x86-64 and ppc64, and on kernels without NUMA. arm64,
 * riscv64 and s390x export the array to modules.
 */
bool vm_counters_find_nodes(struct vm_counters *places, struct kernel *kernel);

/*
 * Reads the known counters. A running kernel goes on counting meanwhile.
 * Returns 0, -EOPNOTSUPP if this kernel does not say where it counts,
 * -EOVERFLOW if there are impossibly many processors and nodes, or the errno of
 * reading; then none is to be used.
 */
int vm_counters_read(struct vm_counters *places, struct error *err);

#endif
