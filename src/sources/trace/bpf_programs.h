/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs in the kernel that count: which of them this kernel takes,
 * loaded and attached.
 */
#ifndef BUFSTAT_BPF_PROGRAMS_H
#define BUFSTAT_BPF_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/libbpf.h"

struct bpf_object;
struct fill_state;
struct sysroot;

/* Bits for each of the programs. */
enum bpf_programs_bit {
	ADD_BTF = 1 << 0,
	DELETE_BTF = 1 << 1,
	ADD_DIRECT = 1 << 2,
	DELETE_DIRECT = 1 << 3,
	ADD_TP = 1 << 4,
	PROBE_PREEMPTION = 1 << 5,
	PROBE_BDEVFS = 1 << 6,
	EVICT = 1 << 7,
	LIMIT_BEGIN = 1 << 8,
	LIMIT_END = 1 << 9,
	ON_BEHALF = 1 << 10,
	DROP_BTF = 1 << 11,
	DROP_OLD = 1 << 12,
	ADD_CHARGED = 1 << 13, /* ADD_BTF and ON_BEHALF in one */
};

#define BPF_PROGRAMS 14

/* Those that note what posix_fadvise() was asked for. */
#define DROPS (DROP_BTF | DROP_OLD)
/* What these miss is no page that came in or went out. */
#define NOT_COUNTING (LIMIT_BEGIN | LIMIT_END | ON_BEHALF | DROPS)

struct bpf_programs {
	struct libbpf libbpf;
	struct bpf_object *object; /* or NULL */
	int types; /* while they are loaded: see small_btf.h */
	unsigned int available; /* whose places the kernel has */
	/* Which of the programs count, and what attaches them, or -1. */
	unsigned int counting;
	int links[BPF_PROGRAMS];
	uint64_t add_id; /* of the tracepoint, for the classic program */
};

/*
 * Loads and attaches the programs, of those about reclaim only if @evictions;
 * libbpf is there, nothing is loaded yet, and all links are -1. Returns 0, or a
 * negative errno with nothing loaded.
 */
int bpf_programs_start(struct bpf_programs *bpf, const struct sysroot *root,
		       bool evictions);

/*
 * Has the programs count nothing, or go on; the maps keep what they have. They
 * stay attached: Linux 7.0 before e2d072d6a3d1 may use a link that was closed.
 * Returns 0 or a negative errno.
 */
int bpf_programs_pause(const struct bpf_programs *bpf, bool pauses);
void bpf_programs_unload(struct bpf_programs *bpf);

/* A descriptor owned by @bpf, or a negative errno if it is not loaded. */
int bpf_program_fd(const struct bpf_programs *bpf, size_t which);

/* Returns 0 or a negative errno. */
int bpf_read_state(const struct bpf_programs *bpf, struct fill_state *state);

#endif
