// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/memfd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/cleanup.h"
#include "trace/bpf_maps.h"
#include "trace/libbpf.h"

#define MINOR_BITS 20

/* Finds what is left out, by files without a name in each of them. */
static void find_left_out(struct bpf_maps *maps)
{
	/* One of shared memory, and one for each size of huge pages. */
	static const unsigned int kinds[] = {
		0,
		MFD_HUGETLB,
		MFD_HUGETLB | MFD_HUGE_2MB,
		MFD_HUGETLB | MFD_HUGE_1GB,
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		_cleanup_(closep) int fd =
			memfd_create("bufstat", MFD_CLOEXEC | kinds[i]);
		struct stat status;

		if (fd < 0 || fstat(fd, &status) < 0)
			continue;
		maps->left_out[maps->left_out_count].major =
			major(status.st_dev);
		maps->left_out[maps->left_out_count].minor =
			minor(status.st_dev);
		maps->left_out_count++;
	}
}

static bool is_left_out(const struct bpf_maps *maps,
			const struct trace_fill *fill)
{
	for (size_t i = 0; i < maps->left_out_count && !fill->is_bdev; i++) {
		if (maps->left_out[i].major == fill->major &&
		    maps->left_out[i].minor == fill->minor)
			return true;
	}
	return false;
}

int bpf_maps_init(struct bpf_maps *maps, const struct libbpf *libbpf,
		  const struct bpf_object *object)
{
	*maps = (struct bpf_maps){
		.libbpf = libbpf,
		.fills = libbpf->find_map_fd(object, "fills"),
		.evictions = libbpf->find_map_fd(object, "evictions"),
		.keys = calloc(FILL_ROOM, sizeof(*maps->keys)),
		.values = calloc(FILL_ROOM, sizeof(*maps->values)),
	};
	find_left_out(maps);
	return maps->keys && maps->values ? 0 : -ENOMEM;
}

void bpf_maps_deinit(struct bpf_maps *maps)
{
	free(maps->keys);
	free(maps->values);
	*maps = (struct bpf_maps){ 0 };
}

static void take_fill(struct trace_fill *fill, const struct fill_key *key,
		      const struct fill_value *value)
{
	*fill = (struct trace_fill){
		.major = key->device >> MINOR_BITS,
		.minor = key->device & ((1U << MINOR_BITS) - 1),
		.is_bdev = key->process_and_kind & 1,
		.process = key->process_and_kind >> 1,
		.out = value->out,
		.dropped = value->dropped,
		.cgroup = value->cgroup,
		.on_behalf_of = value->on_behalf_of,
		.events = value->events,
		.asked = value->asked,
		.dirty = value->dirty,
		.mapped = value->mapped,
		.generation = value->generation,
	};
	memcpy(fill->in, value->in, sizeof(fill->in));
	memcpy(fill->command, value->command, sizeof(fill->command));
	fill->command[sizeof(fill->command) - 1] = '\0';
}

/* One call for all: each disables programs on this processor for a moment. */
int bpf_maps_each(const struct bpf_maps *maps, trace_fill_fn *take, void *data)
{
	uint32_t count = FILL_ROOM;
	uint64_t next;
	int ret = maps->libbpf->lookup_batch(maps->fills, NULL, &next,
					     maps->keys, maps->values, &count,
					     NULL);

	/* That is the end of the map. */
	if (ret < 0 && ret != -ENOENT)
		return ret;
	ret = 0;
	for (uint32_t i = 0; !ret && i < count; i++) {
		struct trace_fill fill;

		take_fill(&fill, &maps->keys[i], &maps->values[i]);
		if (!is_left_out(maps, &fill))
			ret = take(data, &fill);
	}
	return ret;
}

void bpf_maps_forget(const struct bpf_maps *maps, const struct trace_fill *fill)
{
	const struct fill_key key = {
		.device = fill->major << MINOR_BITS | fill->minor,
		.process_and_kind = fill->process << 1 | fill->is_bdev,
	};

	maps->libbpf->remove(maps->fills, &key);
}

int bpf_maps_read_evictions(const struct bpf_maps *maps,
			    struct trace_totals *totals)
{
	_cleanup_(freep) struct fill_eviction *keys =
		calloc(FILL_EVICTIONS, sizeof(*keys));
	_cleanup_(freep)
		uint64_t *pages = calloc(FILL_EVICTIONS, sizeof(*pages));
	uint32_t count = FILL_EVICTIONS;
	uint64_t next;
	int ret;

	if (!keys || !pages)
		return -ENOMEM;
	ret = maps->libbpf->lookup_batch(maps->evictions, NULL, &next, keys,
					 pages, &count, NULL);
	if (ret < 0 && ret != -ENOENT)
		return ret;
	totals->evictions =
		calloc((size_t)count + 1, sizeof(*totals->evictions));
	if (!totals->evictions)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		totals->evictions[i] = (struct trace_eviction){
			.cgroup = keys[i].cgroup,
			.by = keys[i].by,
			.need = (enum fill_need)keys[i].need,
			.pages = pages[i],
		};
	totals->eviction_count = count;
	totals->knows_evictions = true;
	return 0;
}
