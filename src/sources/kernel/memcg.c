// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "kernel/btf.h"
#include "kernel/kmem.h"
#include "kernel/memcg.h"
#include "kernel/object.h"
#include "kernel/scattered.h"
#include "lib/error.h"

/* MEMCG_DATA_OBJEXTS, MEMCG_DATA_KMEM and one bit more (Linux 6.10). */
#define CHARGE_FLAGS 7U
/* CSS_ONLINE, in cgroup_subsys_state.flags (the same from 3.11 to 7.3). */
#define CSS_ONLINE 2U
/* Bytes; of any of the structs. cgroup has some 5,000. */
#define MAX_STRUCT (1U << 20)
#define NAME_SIZE 256

enum owner {
	OWNER_PAGE,
	OWNER_CSS,
	OWNER_SUBSYSTEM,
	OWNER_CGROUP,
	OWNER_NODE,
	OWNER_OBJECT,
	OWNERS
};

static const char *const owners[OWNERS] = {
	"page",	  "cgroup_subsys_state", "cgroup_subsys",
	"cgroup", "kernfs_node",	 "obj_cgroup",
};

static const struct member {
	enum owner owner;
	const char *name, *other_name;
	uint32_t size; /* bytes, at least */
} members[MEMCG_MEMBERS] = {
	[MEMCG_PAGE_MAPPING] = { OWNER_PAGE, "mapping", NULL, 8 },
	[MEMCG_PAGE_CHARGE] = { OWNER_PAGE, "memcg_data", "mem_cgroup", 8 },
	[MEMCG_CSS_CGROUP] = { OWNER_CSS, "cgroup", NULL, 8 },
	[MEMCG_CSS_SUBSYSTEM] = { OWNER_CSS, "ss", NULL, 8 },
	[MEMCG_CSS_FLAGS] = { OWNER_CSS, "flags", NULL, 4 },
	[MEMCG_SUBSYSTEM_NAME] = { OWNER_SUBSYSTEM, "name", NULL, 8 },
	[MEMCG_CGROUP_NODE] = { OWNER_CGROUP, "kn", NULL, 8 },
	[MEMCG_NODE_PARENT] = { OWNER_NODE, "parent", "__parent", 8 },
	[MEMCG_NODE_NAME] = { OWNER_NODE, "name", NULL, 8 },
	[MEMCG_NODE_ID] = { OWNER_NODE, "id", NULL, 8 },
	[MEMCG_OBJECT] = { OWNER_OBJECT, "memcg", NULL, 8 },
};

static int find_member(struct memcg_layout *layout, const struct btf *btf,
		       const struct btf_struct *structs,
		       enum memcg_member which)
{
	const struct member *member = &members[which];
	const struct btf_struct *owner = &structs[member->owner];
	uint32_t *offset = &layout->offset[which], size;
	int ret = btf_find_renamed(btf, owner, member->name, member->other_name,
				   offset, &size);

	if (!ret && (size < member->size || *offset > MAX_STRUCT))
		ret = -EBADMSG;
	return ret;
}

int memcg_layout_init(struct memcg_layout *layout, const struct btf *btf,
		      struct error *err)
{
	struct btf_struct structs[OWNERS];
	int failed;

	*layout = (struct memcg_layout){ 0 };
	for (size_t i = 0; i < OWNERS; i++)
		structs[i].name = owners[i];
	btf_find_structs(btf, structs, OWNERS);
	layout->page_size = structs[OWNER_PAGE].size;
	for (size_t i = 0; i < MEMCG_MEMBERS; i++) {
		if (find_member(layout, btf, structs, i) == 0) {
			layout->has_object |= i == MEMCG_OBJECT;
			continue;
		}
		failed = btf_failed(btf, err);
		if (failed)
			return error_within(err, failed, "reading BTF", NULL);
		if (i != MEMCG_OBJECT)
			return error_set(err, ERROR_UNUSABLE,
					 "this kernel has no %s.%s, and this "
					 "bufstat cannot tell whose its pages "
					 "are",
					 owners[members[i].owner],
					 members[i].name);
	}
	if (layout->page_size > SCATTERED_MOST ||
	    layout->offset[MEMCG_PAGE_CHARGE] + 8 > layout->page_size ||
	    layout->offset[MEMCG_PAGE_MAPPING] + 8 > layout->page_size)
		return error_set(err, ERROR_UNUSABLE,
				 "this kernel's types contradict each other");
	return 0;
}

/* A scattered_take_fn. @page is NULL if there is no such struct page. */
static int take_charge(void *data, void *element, const unsigned char *page)
{
	const struct memcg_layout *layout = data;
	struct charged *folio = element;
	const uint32_t *offset = layout->offset;

	folio->is_known = page && word_at(page, offset[MEMCG_PAGE_MAPPING]) ==
					  folio->mapping;
	folio->charge = page ? word_at(page, offset[MEMCG_PAGE_CHARGE]) &
					~(uint64_t)CHARGE_FLAGS :
			       0;
	return 0;
}

int memcg_read_charges(const struct kmem *kmem,
		       const struct memcg_layout *layout,
		       struct charged *folios, size_t count)
{
	const struct scattered charges = {
		.array = folios,
		.count = count,
		.size = sizeof(*folios),
		.object_size = layout->page_size,
		.take = take_charge,
		.data = (void *)layout,
	};

	return scattered_read(kmem, &charges);
}

/* Reads the word at a member of the object at @address, unless that is 0. */
static int follow(const struct kmem *kmem, const struct memcg_layout *layout,
		  uint64_t address, enum memcg_member member, uint64_t *word)
{
	int ret = address ?
			  kmem_read_word(kmem, address + layout->offset[member],
					 word) :
			  -ESTALE;

	return ret == -EFAULT ? -ESTALE : ret;
}

/*
 * Whether there is a mem_cgroup at @address. It begins with its css, which
 * leads to the controller. Returns 0 or -ESTALE, or the errno of reading.
 */
static int check(const struct kmem *kmem, const struct memcg_layout *layout,
		 uint64_t address)
{
	uint64_t subsystem, text;
	char name[16];
	int ret =
		follow(kmem, layout, address, MEMCG_CSS_SUBSYSTEM, &subsystem);

	if (!ret)
		ret = follow(kmem, layout, subsystem, MEMCG_SUBSYSTEM_NAME,
			     &text);
	if (!ret)
		ret = kmem_read_string(kmem, text, name, sizeof(name));
	if (ret == -EFAULT || ret == -ENAMETOOLONG)
		ret = -ESTALE;
	return ret ? ret : strcmp(name, "memory") == 0 ? 0 : -ESTALE;
}

/* Puts "/name" before what is in @path from *@at on. */
static int prepend(char path[MEMCG_PATH], size_t *at, const char *name)
{
	size_t length = strlen(name);

	if (length + 1 > *at)
		return -ENAMETOOLONG;
	*at -= length;
	memcpy(path + *at, name, length);
	path[--*at] = '/';
	return 0;
}

/* The root's node has no parent, and its name does not count. */
static int read_path(const struct kmem *kmem, const struct memcg_layout *layout,
		     uint64_t node, char path[MEMCG_PATH])
{
	size_t at = MEMCG_PATH - 1;
	int ret = 0;

	path[at] = '\0';
	/* Each level takes a byte of the path at least, so this ends. */
	while (!ret) {
		uint64_t parent, text;
		char name[NAME_SIZE];

		ret = follow(kmem, layout, node, MEMCG_NODE_PARENT, &parent);
		if (ret || !parent)
			break;
		ret = follow(kmem, layout, node, MEMCG_NODE_NAME, &text);
		if (!ret)
			ret = kmem_read_string(kmem, text, name, sizeof(name));
		if (!ret)
			ret = prepend(path, &at, name);
		node = parent;
	}
	if (!ret && !path[at])
		path[--at] = '/';
	memmove(path, path + at, MEMCG_PATH - at);
	return ret == -EFAULT || ret == -ENAMETOOLONG ? -ESTALE : ret;
}

int memcg_read(const struct kmem *kmem, const struct memcg_layout *layout,
	       uint64_t charge, struct memcg *memcg)
{
	uint64_t css = charge, cgroup, node;
	uint32_t flags;
	int ret = check(kmem, layout, css);

	/* Since Linux 7.0 a page is charged through an obj_cgroup. */
	if (ret == -ESTALE && layout->has_object) {
		ret = follow(kmem, layout, charge, MEMCG_OBJECT, &css);
		if (!ret)
			ret = check(kmem, layout, css);
	}
	if (!ret)
		ret = kmem_read(kmem, css + layout->offset[MEMCG_CSS_FLAGS],
				&flags, sizeof(flags));
	if (!ret)
		ret = follow(kmem, layout, css, MEMCG_CSS_CGROUP, &cgroup);
	if (!ret)
		ret = follow(kmem, layout, cgroup, MEMCG_CGROUP_NODE, &node);
	if (!ret)
		ret = follow(kmem, layout, node, MEMCG_NODE_ID, &memcg->id);
	if (ret < 0)
		return ret == -EFAULT ? -ESTALE : ret;
	memcg->is_dead = !(flags & CSS_ONLINE);
	return read_path(kmem, layout, node, memcg->path);
}
