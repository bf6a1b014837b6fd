// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel_maps.h"
#include "kernel/kernel.h"
#include "kernel/object.h"
#include "kernel/page_tags.h"
#include "kernel/page_walk.h"
#include "kernel/symbols.h"
#include "lib/array.h"
#include "lib/error.h"

/* Of a map's struct, bytes. */
#define MAX_STRUCT 4096
/* A kernel has some thousands. */
#define MAX_MAPS (1U << 20)
#define MAX_NODES (1U << 16)

enum member {
	MAP_ID,
	MAP_TYPE,
	MAP_KEY_SIZE,
	MAP_VALUE_SIZE,
	MAP_MOST,
	MAP_FLAGS,
	MAP_USERS,
	MAP_NAME,
	MAP_MEMBERS
};

static const struct {
	const char *name;
	uint32_t size; /* bytes, at least */
} members[MAP_MEMBERS] = {
	[MAP_ID] = { "id", 4 },
	[MAP_TYPE] = { "map_type", 4 },
	[MAP_KEY_SIZE] = { "key_size", 4 },
	[MAP_VALUE_SIZE] = { "value_size", 4 },
	[MAP_MOST] = { "max_entries", 4 },
	[MAP_FLAGS] = { "map_flags", 4 },
	[MAP_USERS] = { "usercnt", 8 },
	[MAP_NAME] = { "name", KERNEL_MAPS_NAME },
};

struct reader {
	const struct kernel *kernel;
	struct kernel_maps *maps;
	uint32_t offset[MAP_MEMBERS];
	uint32_t end; /* of the last of these, bytes */
	uint32_t tree; /* idr.idr_rt */
	uint32_t head; /* idr.idr_rt.xa_head */
};

void kernel_maps_deinit(struct kernel_maps *maps)
{
	free(maps->list);
	*maps = (struct kernel_maps){ 0 };
}

static int find_members(struct reader *reader, const struct btf *btf)
{
	struct btf_struct structs[] = { { .name = "bpf_map" },
					{ .name = "idr" } };
	uint32_t size;
	int ret = 0;

	btf_find_structs(btf, structs, 2);
	if (!structs[0].id || !structs[1].id)
		return -ENOENT;
	for (enum member i = 0; !ret && i < MAP_MEMBERS; i++) {
		uint32_t *offset = &reader->offset[i];

		ret = btf_find_member(btf, &structs[0], members[i].name, offset,
				      &size);
		if (!ret && (size < members[i].size ||
			     *offset > MAX_STRUCT - members[i].size))
			ret = -EBADMSG;
		if (!ret && reader->end < *offset + members[i].size)
			reader->end = *offset + members[i].size;
	}
	ret = ret   ?:
		      btf_find_member(btf, &structs[1], "idr_rt", &reader->tree,
				      &size);
	return ret   ?:
		       btf_find_member(btf, &structs[1],
				       "idr_rt:xarray.xa_head", &reader->head,
				       &size);
}

/* The number of a map is its place in the tree. */
static int take_map(void *data, uint64_t index, uint64_t address,
		    uint64_t pages __attribute__((unused)))
{
	struct reader *reader = data;
	const uint32_t *offset = reader->offset;
	struct kernel_maps *maps = reader->maps;
	unsigned char object[MAX_STRUCT];
	struct kernel_map *map;
	int ret = kmem_read(reader->kernel->kmem, address, object, reader->end);

	if (ret == -ETIMEDOUT)
		return ret;
	if (ret < 0 || half_at(object, offset[MAP_ID]) != index ||
	    object[offset[MAP_NAME] + KERNEL_MAPS_NAME - 1]) {
		maps->unread++;
		return 0;
	}
	if (maps->count == MAX_MAPS)
		return -E2BIG;
	if (array_make_room(&maps->list, maps->count, &maps->capacity) < 0)
		return -ENOMEM;
	map = &maps->list[maps->count++];
	*map = (struct kernel_map){
		.id = half_at(object, offset[MAP_ID]),
		.type = half_at(object, offset[MAP_TYPE]),
		.key_size = half_at(object, offset[MAP_KEY_SIZE]),
		.value_size = half_at(object, offset[MAP_VALUE_SIZE]),
		.most = half_at(object, offset[MAP_MOST]),
		.flags = half_at(object, offset[MAP_FLAGS]),
		.is_held = word_at(object, offset[MAP_USERS]),
	};
	memcpy(map->name, object + offset[MAP_NAME], KERNEL_MAPS_NAME);
	return 0;
}

static int walk(struct reader *reader, uint64_t numbers)
{
	struct page_tags_layout tags;
	struct page_walk walk = {
		.kmem = reader->kernel->kmem,
		.layout = &tags,
		.nodes = MAX_NODES,
		.visit = take_map,
		.data = reader,
	};
	struct page_tree tree = { .mapping = numbers + reader->tree };
	int ret = kmem_read_word(walk.kmem, numbers + reader->head, &tree.head);

	page_tags_layout_init(&tags, &reader->kernel->btf);
	return ret ?: page_walk_tree(&walk, &tree);
}

int kernel_maps_read(struct kernel_maps *maps, struct kernel *kernel,
		     struct error *err)
{
	struct kallsyms_symbol numbers = { .name = "map_idr" };
	struct reader reader = { .kernel = kernel, .maps = maps };
	int ret = find_members(&reader, &kernel->btf);

	*maps = (struct kernel_maps){ 0 };
	if (ret < 0)
		return error_set(err, ERROR_UNUSABLE,
				 "this kernel has no BPF maps, or ones of an "
				 "unknown form");
	kernel_symbols_find(kernel, &numbers, 1);
	if (!numbers.address)
		return error_set(err, ERROR_UNUSABLE,
				 "this kernel does not say where its BPF maps "
				 "are (CONFIG_KALLSYMS_ALL)");
	ret = walk(&reader, numbers.address);
	return ret < 0 ? error_errno(err, -ret, "reading", "BPF maps") : 0;
}
