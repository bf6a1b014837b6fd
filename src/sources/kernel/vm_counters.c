// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "kernel/kernel.h"
#include "kernel/symbols.h"
#include "kernel/vm_counters.h"
#include "kernel/vmcoreinfo.h"
#include "lib/error.h"

/* MAX_NUMNODES is 1,024 at most, NR_CPUS 8,192, and MAX_NR_ZONES 6. */
#define MAX_NODES 1024
#define MAX_CPUS 8192
#define MAX_ZONES 16
/*
 * Processors to ask, over all nodes and zones. 32 nodes of three zones with
 * 2,048 processors make 262,144; a damaged dump may have any number.
 */
#define MAX_DIFFERENCES (1U << 20)
/* Linux 7.3 has some 60 node_stat_items. */
#define MAX_ITEMS 256
/*
 * More than any node counts. A count may be a little below zero while the
 * processors have some that they have not added to it.
 */
#define MOST (INT64_C(1) << 42)
/* Bytes. A node of a kernel with 1,024 nodes takes some 180,000. */
#define MAX_STRUCT (16U << 20)

enum owner { OWNER_NODE, OWNER_ZONE, OWNERS };

static const char *const owner_names[OWNERS] = { "pglist_data", "zone" };

/* The array that a kind of counters is in, and the enum of its indexes. */
static const struct kind {
	enum owner owner;
	const char *array; /* NULL: each is a member of its own */
	const char *enumeration;
} kinds[VM_COUNTER_KINDS] = {
	[VM_NODE] = { OWNER_NODE, "vm_stat", "node_stat_item" },
	[VM_ZONE] = { OWNER_ZONE, "vm_stat", "zone_stat_item" },
	[VM_WATERMARK] = { OWNER_ZONE, "_watermark", "zone_watermarks" },
	[VM_NODE_MEMBER] = { OWNER_NODE, NULL, NULL },
	[VM_ZONE_MEMBER] = { OWNER_ZONE, NULL, NULL },
	[VM_LISTS] = { OWNER_ZONE, NULL, NULL },
};

/* Where the processors have what they have not added yet. */
static const struct difference {
	const char *pointer; /* the member of the owner that leads to it */
	const char *type; /* what it leads to */
	const char *array;
} differences[OWNERS][2] = {
	[OWNER_NODE] = { { "per_cpu_nodestats", "per_cpu_nodestat",
			   "vm_node_stat_diff" } },
	/* The second is that of kernels before Linux 5.14. */
	[OWNER_ZONE] = { { "per_cpu_zonestats", "per_cpu_zonestat",
			   "vm_stat_diff" },
			 { "pageset", "per_cpu_pageset", "vm_stat_diff" } },
};

/* Where the processors have lists of free pages; the second as above. */
static const struct difference lists[] = {
	{ "per_cpu_pageset", "per_cpu_pages", "" },
	{ "pageset", "per_cpu_pageset", "pcp:per_cpu_pages." },
};

static int unknown(struct error *err)
{
	return error_set(err, ERROR_UNUSABLE,
			 "this kernel does not say what it counts");
}

/* Finds a member of at least @least bytes. */
static bool find_offset(const struct btf *btf, const struct btf_struct *in,
			const char *member, uint32_t least, uint32_t *offset)
{
	uint32_t size;

	return in->id && btf_find_member(btf, in, member, offset, &size) == 0 &&
	       size >= least && *offset < MAX_STRUCT;
}

static bool find_list(struct vm_counters *places,
		      const struct btf_struct owners[OWNERS],
		      struct vm_counter *counter)
{
	const struct btf *btf = &places->kernel->btf;

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct btf_struct type = { .name = lists[i].type };
		char path[64];

		if (!find_offset(btf, &owners[OWNER_ZONE], lists[i].pointer,
				 sizeof(uint64_t), &places->lists))
			continue;
		snprintf(path, sizeof(path), "%s%s", lists[i].array,
			 counter->name);
		btf_find_structs(btf, &type, 1);
		return find_offset(btf, &type, path, sizeof(int32_t),
				   &counter->offset);
	}
	return false;
}

static bool find_counter(struct vm_counters *places,
			 const struct btf_struct owners[OWNERS],
			 struct vm_counter *counter)
{
	const struct btf *btf = &places->kernel->btf;
	const struct kind *kind = &kinds[counter->kind];
	const struct btf_struct *owner = &owners[kind->owner];

	if (counter->kind == VM_LISTS)
		return find_list(places, owners, counter);
	if (!find_offset(btf, owner, kind->array ? kind->array : counter->name,
			 sizeof(uint64_t), &counter->offset))
		return false;
	if (kind->array &&
	    (btf_find_enumerator(btf, kind->enumeration, counter->name,
				 &counter->item) < 0 ||
	     counter->item >= MAX_ITEMS))
		return false;
	counter->offset += counter->item * (uint32_t)sizeof(uint64_t);
	return true;
}

static bool find_differences(struct vm_counters *places,
			     const struct btf_struct owners[OWNERS],
			     enum owner owner)
{
	const struct btf *btf = &places->kernel->btf;

	for (size_t i = 0; i < 2 && differences[owner][i].type; i++) {
		const struct difference *difference = &differences[owner][i];
		struct btf_struct type = { .name = difference->type };

		if (!find_offset(btf, &owners[owner], difference->pointer,
				 sizeof(uint64_t),
				 &places->differences[owner].pointer))
			continue;
		btf_find_structs(btf, &type, 1);
		return find_offset(btf, &type, difference->array, 1,
				   &places->differences[owner].array);
	}
	return false;
}

/* Finds per-CPU memory, and how many processors there may be. */
static bool find_processors(struct vm_counters *places, struct kernel *kernel)
{
	struct kallsyms_symbol symbols[] = { { .name = "__per_cpu_offset" },
					     { .name = "nr_cpu_ids" } };

	kernel_symbols_find(kernel, symbols, 2);
	places->offsets = symbols[0].address;
	return places->offsets && symbols[1].address &&
	       kmem_read(kernel->kmem, symbols[1].address, &places->cpus,
			 sizeof(places->cpus)) == 0 &&
	       places->cpus && places->cpus <= MAX_CPUS;
}

static bool find_zones(struct vm_counters *places,
		       const struct btf_struct owners[OWNERS])
{
	const struct btf *btf = &places->kernel->btf;

	places->zone_size = owners[OWNER_ZONE].size;
	return find_offset(btf, &owners[OWNER_NODE], "node_zones", 1,
			   &places->zones) &&
	       find_offset(btf, &owners[OWNER_ZONE], "present_pages",
			   sizeof(uint64_t), &places->present) &&
	       btf_find_enumerator(btf, "zone_type", "__MAX_NR_ZONES",
				   &places->zone_count) == 0 &&
	       places->zone_count <= MAX_ZONES &&
	       places->zone_size < MAX_STRUCT;
}

/* Only the counters of a processor's arrays have differences. */
static bool has_differences(const struct vm_counter *counter, enum owner owner)
{
	return counter->known &&
	       counter->kind == (owner == OWNER_NODE ? VM_NODE : VM_ZONE);
}

static void count_items(struct vm_counters *places, enum owner owner)
{
	uint32_t *items = &places->differences[owner].items;

	for (size_t i = 0; i < places->count; i++) {
		const struct vm_counter *counter = &places->counters[i];

		if (has_differences(counter, owner) && counter->item >= *items)
			*items = counter->item + 1;
	}
}

static bool needs_zones(const struct vm_counters *places)
{
	for (size_t i = 0; i < places->count; i++) {
		if (places->counters[i].known &&
		    kinds[places->counters[i].kind].owner == OWNER_ZONE)
			return true;
	}
	return false;
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

bool vm_counters_find_nodes(struct vm_counters *places, struct kernel *kernel)
{
	struct kallsyms_symbol symbols[] = { { .name = "node_data" },
					     { .name = "nr_node_ids" } };
	const char *text = kernel->vmcoreinfo;
	uint32_t count;

	if (vmcoreinfo_symbol(text, "contig_page_data", &places->nodes))
		return true;
	if (vmcoreinfo_symbol(text, "node_data", &places->nodes)) {
		places->node_count = count_of_nodes(text);
		return places->node_count;
	}
	kernel_symbols_find(kernel, symbols, 2);
	places->nodes = symbols[0].address;
	if (!places->nodes || !symbols[1].address ||
	    kmem_read(kernel->kmem, symbols[1].address, &count, sizeof(count)) <
		    0)
		return false;
	places->node_count = count;
	return count && count <= MAX_NODES;
}

static bool find_places(struct vm_counters *places, struct kernel *kernel)
{
	struct btf_struct owners[OWNERS] = {
		{ .name = owner_names[OWNER_NODE] },
		{ .name = owner_names[OWNER_ZONE] },
	};
	const struct btf *btf = &kernel->btf;

	btf_find_structs(btf, owners, OWNERS);
	for (size_t i = 0; i < places->count; i++)
		places->counters[i].known =
			find_counter(places, owners, &places->counters[i]);
	for (enum owner owner = 0; owner < OWNERS; owner++) {
		count_items(places, owner);
		if (places->differences[owner].items &&
		    !find_differences(places, owners, owner))
			return false;
	}
	return (!needs_zones(places) || find_zones(places, owners)) &&
	       find_processors(places, kernel) &&
	       vm_counters_find_nodes(places, kernel);
}

void vm_counters_find(struct vm_counters *places, struct kernel *kernel,
		      struct vm_counter *counters, size_t count)
{
	*places = (struct vm_counters){
		.kernel = kernel,
		.counters = counters,
		.count = count,
	};
	if (kernel->vmcoreinfo && find_places(places, kernel))
		return;
	places->kernel = NULL;
	for (size_t i = 0; i < count; i++)
		counters[i].known = false;
}

/*
 * Prepares to ask each processor. Sets *@per_cpu to what the pointer at
 * @address has, to which the processor's offset is added.
 */
static int begin_processors(struct vm_counters *places, uint64_t address,
			    uint64_t *per_cpu)
{
	if (places->left < places->cpus)
		return -EOVERFLOW;
	places->left -= places->cpus;
	return kmem_read_word(places->kernel->kmem, address, per_cpu);
}

/* Reads @size bytes of one processor's own, at @place from @per_cpu. */
static int read_processor(const struct vm_counters *places, uint64_t per_cpu,
			  uint32_t cpu, uint32_t place, void *buffer,
			  size_t size)
{
	const struct kmem *kmem = places->kernel->kmem;
	uint64_t offset;
	int ret = kmem_read_word(kmem, places->offsets + cpu * sizeof(offset),
				 &offset);

	return ret < 0 ?
		       ret :
		       kmem_read(kmem, per_cpu + offset + place, buffer, size);
}

/* Adds what the processors have not added to the counters of one owner. */
static int add_differences(struct vm_counters *places, enum owner owner,
			   uint64_t address)
{
	uint32_t items = places->differences[owner].items;
	int8_t values[MAX_ITEMS];
	uint64_t per_cpu;
	int ret;

	if (!items)
		return 0;
	ret = begin_processors(
		places, address + places->differences[owner].pointer, &per_cpu);
	for (uint32_t cpu = 0; !ret && cpu < places->cpus; cpu++) {
		ret = read_processor(places, per_cpu, cpu,
				     places->differences[owner].array, values,
				     items);
		for (size_t i = 0; !ret && i < places->count; i++) {
			struct vm_counter *counter = &places->counters[i];

			if (has_differences(counter, owner))
				counter->count += values[counter->item];
		}
	}
	return ret;
}

/* Adds the processors' lists of the zone at @zone. */
static int add_lists(struct vm_counters *places, struct vm_counter *counter,
		     uint64_t zone)
{
	uint64_t per_cpu;
	int ret = begin_processors(places, zone + places->lists, &per_cpu);

	for (uint32_t cpu = 0; !ret && cpu < places->cpus; cpu++) {
		int32_t pages = 0;

		ret = read_processor(places, per_cpu, cpu, counter->offset,
				     &pages, sizeof(pages));
		counter->count += pages;
	}
	return ret;
}

/* Adds the counters of the node or zone at @address. */
static int add(struct vm_counters *places, enum owner owner, uint64_t address)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < places->count; i++) {
		struct vm_counter *counter = &places->counters[i];
		int64_t count = 0;

		if (!counter->known || kinds[counter->kind].owner != owner)
			continue;
		if (counter->kind == VM_LISTS) {
			ret = add_lists(places, counter, address);
			continue;
		}
		ret = kmem_read(places->kernel->kmem, address + counter->offset,
				&count, sizeof(count));
		if (count > MOST || count < -MOST)
			return -EBADMSG;
		counter->count += count;
	}
	return ret ? ret : add_differences(places, owner, address);
}

/* A zone without memory has the processors' counts of the early boot. */
static int add_zones(struct vm_counters *places, uint64_t node)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < places->zone_count; i++) {
		uint64_t zone =
			node + places->zones + (uint64_t)i * places->zone_size;
		uint64_t present;

		ret = kmem_read_word(places->kernel->kmem,
				     zone + places->present, &present);
		if (!ret && present)
			ret = add(places, OWNER_ZONE, zone);
	}
	return ret;
}

static int add_node(struct vm_counters *places, uint64_t node)
{
	int ret = add(places, OWNER_NODE, node);

	if (!ret && needs_zones(places))
		ret = add_zones(places, node);
	return ret;
}

static int add_nodes(struct vm_counters *places, struct error *err)
{
	const struct kernel *kernel = places->kernel;
	uint64_t node;
	int ret = 0;

	if (!places->node_count)
		ret = add_node(places, places->nodes);
	for (size_t i = 0; !ret && i < places->node_count; i++) {
		ret = kmem_read_word(kernel->kmem,
				     places->nodes + i * sizeof(node), &node);
		if (!ret && node)
			ret = add_node(places, node);
	}
	return ret < 0 ? error_doing(err, -ret, "reading kernel memory", NULL,
				     "%s", kmem_strerror(ret)) :
			 0;
}

int vm_counters_read(struct vm_counters *places, struct error *err)
{
	if (!places->kernel)
		return unknown(err);
	places->left = MAX_DIFFERENCES;
	for (size_t i = 0; i < places->count; i++)
		places->counters[i].count = 0;
	return add_nodes(places, err);
}
