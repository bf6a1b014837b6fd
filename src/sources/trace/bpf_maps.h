/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the maps that the BPF programs count in (fill.h). */
#ifndef BUFSTAT_BPF_MAPS_H
#define BUFSTAT_BPF_MAPS_H

#include "trace/trace.h"

struct bpf_object;
struct libbpf;

struct bpf_maps {
	const struct libbpf *libbpf;
	int fills; /* descriptors, which belong to the object */
	int evictions;
	/* Room for all that the first of them can hold. */
	struct fill_key *keys;
	struct fill_value *values;
	/*
	 * The kernel's own filesystems of shared memory and huge pages, which
	 * only the classic program counts: it knows a filesystem by its number
	 * alone. tmpfs tells only what goes out, and huge pages are not in
	 * Cached. Mounted ones are left to the caller of trace.h.
	 */
	struct {
		unsigned int major;
		unsigned int minor;
	} left_out[4];
	size_t left_out_count;
};

/*
 * The maps of @object, which is loaded. @libbpf and @object must outlive @maps.
 * Returns 0 or -ENOMEM; the caller deinits in either case.
 */
int bpf_maps_init(struct bpf_maps *maps, const struct libbpf *libbpf,
		  const struct bpf_object *object);
void bpf_maps_deinit(struct bpf_maps *maps);

/*
 * Calls @take for each process and cache. Allocates nothing. Returns 0 or a
 * negative errno.
 */
int bpf_maps_each(const struct bpf_maps *maps, trace_fill_fn *take, void *data);

/* Makes room where @fill was counted. */
void bpf_maps_forget(const struct bpf_maps *maps,
		     const struct trace_fill *fill);

/* Adds what cgroups lost to @totals. Returns 0 or a negative errno. */
int bpf_maps_read_evictions(const struct bpf_maps *maps,
			    struct trace_totals *totals);

#endif
