// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "kernel/exports.h"
#include "kernel/kernel.h"
#include "kernel/node_stats.h"
#include "kernel/vmcoreinfo.h"
#include "lib/error.h"

/* MAX_NUMNODES is 1,024 at most, and NR_CPUS 8,192. */
#define MAX_NODES 1024
#define MAX_CPUS 8192

/*
 * Pages, more than any node has. A node's own count may be a little below zero
 * while its processors have some that they have not added to it.
 */
#define MOST_PAGES (INT64_C(1) << 42)

enum item { ITEM_FILE, ITEM_SWAP_CACHE, ITEMS };

static const char *const names[ITEMS] = { "NR_FILE_PAGES", "NR_SWAPCACHE" };

static int unknown(struct error *err)
{
	return error_set(err, ERROR_UNUSABLE,
			 "this kernel does not say what it counts");
}

static bool find_members(struct node_stats_place *place)
{
	struct btf_struct structs[] = { { .name = "pglist_data" },
					{ .name = "per_cpu_nodestat" } };
	const struct btf *btf = &place->kernel->btf;
	uint32_t size;

	btf_find_structs(btf, structs, 2);
	for (size_t i = 0; i < ITEMS; i++) {
		if (btf_find_enumerator(btf, "node_stat_item", names[i],
					&place->items[i]) < 0)
			return false;
	}
	return structs[0].id && structs[1].id &&
	       !btf_find_member(btf, &structs[0], "vm_stat", &place->stats,
				&size) &&
	       !btf_find_member(btf, &structs[0], "per_cpu_nodestats",
				&place->per_cpu, &size) &&
	       !btf_find_member(btf, &structs[1], "vm_node_stat_diff",
				&place->differences, &size);
}

/* Finds where per-CPU memory is, and how many CPUs there may be. */
static bool find_processors(struct node_stats_place *place,
			    struct kernel *kernel)
{
	uint64_t count;

	return kernel->exports.data &&
	       exports_find(&kernel->exports, "__per_cpu_offset",
			    &place->offsets) &&
	       exports_find(&kernel->exports, "nr_cpu_ids", &count) &&
	       kmem_read(kernel->kmem, count, &place->cpus,
			 sizeof(place->cpus)) == 0 &&
	       place->cpus && place->cpus <= MAX_CPUS;
}

static int add_processor(const struct node_stats_place *place, uint64_t per_cpu,
			 uint32_t cpu, int64_t sums[ITEMS])
{
	const struct kmem *kmem = place->kernel->kmem;
	uint64_t offset;
	int ret = kmem_read_word(kmem, place->offsets + cpu * sizeof(offset),
				 &offset);

	for (size_t i = 0; !ret && i < ITEMS; i++) {
		int8_t difference;

		ret = kmem_read(kmem,
				per_cpu + offset + place->differences +
					place->items[i],
				&difference, sizeof(difference));
		if (!ret)
			sums[i] += difference;
	}
	return ret;
}

static int add_node(const struct node_stats_place *place, uint64_t node,
		    int64_t sums[ITEMS])
{
	const struct kmem *kmem = place->kernel->kmem;
	uint64_t per_cpu;
	int ret = 0;

	for (size_t i = 0; !ret && i < ITEMS; i++) {
		int64_t count = 0;

		ret = kmem_read(kmem,
				node + place->stats +
					place->items[i] * sizeof(count),
				&count, sizeof(count));
		if (count > MOST_PAGES || count < -MOST_PAGES)
			return -EBADMSG;
		sums[i] += count;
	}
	if (!ret)
		ret = kmem_read_word(kmem, node + place->per_cpu, &per_cpu);
	for (uint32_t cpu = 0; !ret && cpu < place->cpus; cpu++)
		ret = add_processor(place, per_cpu, cpu, sums);
	return ret;
}

/* Returns LENGTH(node_data), an array of pointers, some of them NULL. */
static size_t count_of_nodes(const char *vmcoreinfo)
{
	size_t length, count = 0;
	const char *text =
		vmcoreinfo_find(vmcoreinfo, "LENGTH(node_data)", &length);

	for (size_t i = 0; text && i < length; i++) {
		if (text[i] < '0' || text[i] > '9' || count > MAX_NODES)
			return 0;
		count = count * 10 + (size_t)(text[i] - '0');
	}
	return count > MAX_NODES ? 0 : count;
}

static int add_nodes(const struct node_stats_place *place, int64_t sums[ITEMS],
		     struct error *err)
{
	const struct kernel *kernel = place->kernel;
	size_t count = count_of_nodes(kernel->vmcoreinfo);
	uint64_t nodes, node;
	int ret = 0;

	if (vmcoreinfo_symbol(kernel->vmcoreinfo, "contig_page_data", &node))
		ret = add_node(place, node, sums);
	else if (!vmcoreinfo_symbol(kernel->vmcoreinfo, "node_data", &nodes) ||
		 !count)
		return unknown(err);
	for (size_t i = 0; !ret && i < count; i++) {
		ret = kmem_read_word(kernel->kmem, nodes + i * sizeof(node),
				     &node);
		if (!ret && node)
			ret = add_node(place, node, sums);
	}
	return ret < 0 ? error_doing(err, -ret, "reading kernel memory", NULL,
				     "%s", kmem_strerror(ret)) :
			 0;
}

void node_stats_find(struct node_stats_place *place, struct kernel *kernel)
{
	*place = (struct node_stats_place){ .kernel = kernel };
	if (!kernel->vmcoreinfo || !find_members(place) ||
	    !find_processors(place, kernel))
		place->kernel = NULL;
}

int node_stats_read(struct node_stats *stats,
		    const struct node_stats_place *place, struct error *err)
{
	int64_t sums[ITEMS] = { 0 };
	int ret;

	if (!place->kernel)
		return unknown(err);
	ret = add_nodes(place, sums, err);
	stats->file = sums[ITEM_FILE];
	stats->swap_cache = sums[ITEM_SWAP_CACHE];
	return ret;
}
