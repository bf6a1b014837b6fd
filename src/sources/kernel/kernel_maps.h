/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF maps of a kernel, read from its memory. Who opens a map by its number
 * changes it: the last close clears prog arrays and ends timers
 * (map_release_uref()).
 */
#ifndef BUFSTAT_KERNEL_MAPS_H
#define BUFSTAT_KERNEL_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct kernel;

#define KERNEL_MAPS_NAME 16

struct kernel_map {
	uint32_t id;
	uint32_t type; /* enum bpf_map_type */
	uint32_t key_size; /* bytes */
	uint32_t value_size; /* bytes */
	uint32_t most; /* elements */
	uint32_t flags; /* BPF_F_... */
	/* Some process or bpffs has it, of any namespace. */
	bool is_held;
	char name[KERNEL_MAPS_NAME]; /* or "" */
};

/* All zero bytes is empty. */
struct kernel_maps {
	struct kernel_map *list; /* by id */
	size_t count;
	size_t capacity;
	size_t unread; /* that changed while they were read, or a dump lacks */
};

/*
 * Reads all maps (Linux 5.6). Returns 0, -EOPNOTSUPP if this kernel's maps are
 * of an unknown form or cannot be found, -ENOMEM, -ETIMEDOUT, or the errno of
 * reading. The caller deinits @maps in any case.
 */
int kernel_maps_read(struct kernel_maps *maps, struct kernel *kernel,
		     struct error *err);
void kernel_maps_deinit(struct kernel_maps *maps);

#endif
