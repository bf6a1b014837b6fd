// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernel/bdev_layout.h"
#include "kernel/bdev_walk.h"
#include "kernel/btf.h"
#include "kernel/kmem.h"
#include "kernel/object.h"
#include "kernel/page_node.h"
#include "kernel/page_tags.h"

/*
 * The most nodes to read of one device; PAGE_TAGS_NODES is the limit for all
 * devices. A node has 64 entries, so these suffice for 2 GiB and 8 GiB of dirty
 * pages of 4 KiB, and for more with large folios.
 */
#define DEVICE_NODES 8192

#define ATTEMPTS 4

/* How many sysfs directories to try: that of a dying device is no use. */
#define DIRECTORIES 16

/* Bytes. The most to read of an address_space. */
#define MAX_READ 1024

/*
 * The flags of an XArray: XA_FLAGS_* are the lowest bits, and the three marks
 * begin at the bit after the last GFP flag. That bit differs in nearly every
 * kernel: 23 in Debian's 5.10, 27 in 6.1, 25 in 6.12, 24 in 7.3.
 */
#define OTHER_FLAGS 0x3f
#define TRACK_FREE 4U
#define LOWEST_MARK 20
#define HIGHEST_MARK 29

/*
 * Since Linux 6.9 an enum without a name has that bit. It is type 338 in 6.12
 * and 180 in 7.3.
 */
#define LAST_GFP_BIT "___GFP_LAST_BIT"
#define ENUM_WITHIN 4096

/* PAGECACHE_TAG_DIRTY and so on. */
enum mark { MARK_DIRTY, MARK_WRITEBACK, MARK_TO_WRITE, MARKS };

enum owner {
	OWNER_NODE,
	OWNER_BDEV,
	OWNER_DISK,
	OWNER_DIRECTORY,
	OWNER_ROOT,
	OWNERS
};

static const char *const owners[OWNERS] = {
	"xa_node", "block_device", "gendisk", "kernfs_node", "kernfs_root",
};

static const struct member {
	enum owner owner;
	const char *path;
	uint32_t size; /* bytes, at least */
} members[TAGS_MEMBERS] = {
	[TAGS_NODE_SHIFT] = { OWNER_NODE, "shift", 1 },
	[TAGS_NODE_OFFSET] = { OWNER_NODE, "offset", 1 },
	[TAGS_NODE_COUNT] = { OWNER_NODE, "count", 1 },
	[TAGS_NODE_PARENT] = { OWNER_NODE, "parent", 8 },
	[TAGS_NODE_ARRAY] = { OWNER_NODE, "array", 8 },
	[TAGS_NODE_SLOTS] = { OWNER_NODE, "slots", 512 },
	[TAGS_NODE_MARKS] = { OWNER_NODE, "marks", 24 },
	[TAGS_DIRECTORY] = { OWNER_BDEV, "bd_device:device.kobj:kobject.sd",
			     8 },
	[TAGS_DISK_DIRECTORY] = { OWNER_DISK, "part0.__dev.kobj.sd", 8 },
	[TAGS_DIRECTORY_ROOT] = { OWNER_DIRECTORY, "dir:kernfs_elem_dir.root",
				  8 },
	[TAGS_ROOT_DIRECTORY] = { OWNER_ROOT, "kn", 8 },
	[TAGS_ROOT_NUMBERS] = { OWNER_ROOT,
				"ino_idr:idr.idr_rt:xarray.xa_flags", 4 },
};

struct counter {
	const struct kmem *kmem;
	const uint32_t *offset; /* of enum bdev_member */
	struct page_tags_layout *layout;
	const uint32_t *tags; /* its offsets, of enum tags_member */
	const struct bdev_list *list;
	size_t node_size; /* bytes to read; 0: not known, or not yet */
	size_t mapping_size; /* bytes to read; 0: not known */
	unsigned int all_nodes; /* how many may still be read */
	unsigned int device_nodes;
	unsigned int first_mark; /* a bit of the flags; 0: not known yet */
	bool has_looked; /* for first_mark, which is 0 if not found */
};

static bool is_marked(uint32_t flags)
{
	return flags & ~(uint32_t)OTHER_FLAGS;
}

/* Bytes up to the end of the last member needed; 0 if that is too far. */
static size_t size_of_mapping(const uint32_t *offset)
{
	const uint64_t ends[] = {
		(uint64_t)offset[BDEV_MAPPING_HOST] + sizeof(uint64_t),
		(uint64_t)offset[BDEV_MAPPING_PAGES] + sizeof(uint64_t),
		(uint64_t)offset[BDEV_TREE] + offset[BDEV_TREE_FLAGS] +
			sizeof(uint32_t),
		(uint64_t)offset[BDEV_TREE] + offset[BDEV_TREE_HEAD] +
			sizeof(uint64_t),
	};
	uint64_t size = 0;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (ends[i] > size)
			size = ends[i];
	}
	return size > MAX_READ ? 0 : (size_t)size;
}

static void find_types(struct page_tags_layout *layout, const struct btf *btf,
		       unsigned int first, unsigned int last)
{
	struct btf_struct structs[OWNERS];
	enum owner from = members[first].owner, to = members[last].owner;

	for (size_t i = from; i <= to; i++)
		structs[i].name = owners[i];
	btf_find_structs(btf, &structs[from], to - from + 1);
	for (size_t i = first; i <= last; i++) {
		const struct member *member = &members[i];
		uint32_t offset, size;

		if (structs[member->owner].id &&
		    btf_find_member(btf, &structs[member->owner], member->path,
				    &offset, &size) == 0 &&
		    size >= member->size)
			layout->offset[i] = offset;
	}
}

void page_tags_find_nodes(struct page_tags_layout *layout)
{
	if (layout->btf && !layout->has_nodes)
		find_types(layout, layout->btf, TAGS_NODE_SHIFT,
			   TAGS_NODE_MARKS);
	layout->has_nodes = true;
}

void page_tags_find_marks(struct page_tags_layout *layout)
{
	uint32_t bit;

	if (!layout->btf || layout->has_marks)
		return;
	layout->has_marks = true;
	if (btf_find_constant(layout->btf, LAST_GFP_BIT, ENUM_WITHIN, &bit) ==
		    0 &&
	    bit >= LOWEST_MARK && bit <= HIGHEST_MARK)
		layout->first_mark = bit;
	else
		find_types(layout, layout->btf, TAGS_DIRECTORY,
			   TAGS_ROOT_NUMBERS);
}

static int read_node(struct counter *counter, uint64_t address,
		     const struct page_node_place *place,
		     struct page_node *node)
{
	if (!counter->device_nodes || !counter->all_nodes)
		return -E2BIG;
	counter->device_nodes--;
	counter->all_nodes--;
	return page_node_read(node, counter->kmem, counter->tags,
			      counter->node_size, address, place);
}

/* Adds the folio that begins in @slot, all of it, to its marks' counts. */
static int add_pages(const struct counter *counter,
		     const struct page_node *node, unsigned int slot,
		     const uint64_t marks[MARKS], uint64_t counts[MARKS])
{
	uint64_t pages = page_node_pages(node, counter->tags, slot);

	for (int i = 0; i < MARKS; i++) {
		if (marks[i] >> slot & 1)
			counts[i] += pages;
	}
	return pages ? 0 : -EAGAIN;
}

static int count_node(struct counter *counter, uint64_t address,
		      const struct page_node_place *place,
		      uint64_t counts[MARKS]);

static int count_slot(struct counter *counter,
		      const struct page_node_place *place,
		      const struct page_node *node, const uint64_t marks[MARKS],
		      uint64_t counts[MARKS])
{
	uint64_t entry = page_node_word(node, counter->tags, TAGS_NODE_SLOTS,
					place->slot);

	if (page_entry_is_page(entry))
		return add_pages(counter, node, place->slot, marks, counts);
	if (page_entry_is_node(entry) && node->shift)
		return count_node(counter, page_entry_node(entry), place,
				  counts);
	return page_entry_is_empty(entry) ? 0 : -EAGAIN;
}

/*
 * Adds the marked pages below a node. A parent's mark says that some entry of
 * the node has it. If none has, the node is being freed or was wiped.
 */
static int count_node(struct counter *counter, uint64_t address,
		      const struct page_node_place *place,
		      uint64_t counts[MARKS])
{
	struct page_node_place below = { .tree = place->tree,
					 .parent = address };
	uint64_t marks[MARKS], any = 0;
	struct page_node node;
	int ret = read_node(counter, address, place, &node);

	if (ret < 0)
		return ret;
	below.shift = node.shift;
	for (unsigned int i = 0; i < MARKS; i++) {
		marks[i] = page_node_word(&node, counter->tags, TAGS_NODE_MARKS,
					  i);
		any |= marks[i];
	}
	if (!any)
		return -EAGAIN;
	any = marks[MARK_DIRTY] | marks[MARK_WRITEBACK];
	for (; !ret && any; any &= any - 1) {
		below.slot = (unsigned int)__builtin_ctzll(any);
		ret = count_slot(counter, &below, &node, marks, counts);
	}
	return ret;
}

/* Finds the sysfs directory of the device, or up to Linux 5.10 the disk's. */
static bool find_directory(const struct counter *counter,
			   const struct bdev_entry *entry, uint64_t *directory)
{
	const uint32_t *tags = counter->tags;
	uint64_t at = entry->bdev + tags[TAGS_DIRECTORY];

	if (tags[TAGS_DIRECTORY] == BDEV_ABSENT) {
		if (tags[TAGS_DISK_DIRECTORY] == BDEV_ABSENT || !entry->disk)
			return false;
		at = entry->disk + tags[TAGS_DISK_DIRECTORY];
	}
	return kmem_read_word(counter->kmem, at, directory) == 0 && *directory;
}

/*
 * Learns at which bit the marks begin, from an IDR, whose other flags are
 * known. Its first mark is set while it has a free number, and the others are
 * unused. sysfs allocates its inode numbers from an IDR and never uses number
 * 0, so there is always a free one.
 */
static bool learn_first_mark(struct counter *counter, uint64_t directory)
{
	const uint32_t *tags = counter->tags;
	const struct kmem *kmem = counter->kmem;
	uint64_t root, top, again;
	uint32_t flags;

	if (kmem_read_word(kmem, directory + tags[TAGS_DIRECTORY_ROOT], &root) <
		    0 ||
	    kmem_read_word(kmem, root + tags[TAGS_ROOT_DIRECTORY], &top) < 0 ||
	    kmem_read_word(kmem, top + tags[TAGS_DIRECTORY_ROOT], &again) < 0 ||
	    again != root ||
	    kmem_read(kmem, root + tags[TAGS_ROOT_NUMBERS], &flags,
		      sizeof(flags)) < 0)
		return false;
	flags ^= TRACK_FREE;
	if (flags & (flags - 1) || flags < 1U << LOWEST_MARK ||
	    flags > 1U << HIGHEST_MARK)
		return false;
	counter->first_mark = (unsigned int)__builtin_ctz(flags);
	return true;
}

static bool find_first_mark(struct counter *counter)
{
	const struct bdev_list *list = counter->list;
	const uint32_t *tags = counter->tags;
	uint64_t directory;
	int left = DIRECTORIES;

	if (counter->first_mark || counter->has_looked)
		return counter->first_mark;
	counter->has_looked = true;
	page_tags_find_marks(counter->layout);
	counter->first_mark = counter->layout->first_mark;
	if (counter->first_mark)
		return true;
	if (tags[TAGS_DIRECTORY_ROOT] == BDEV_ABSENT ||
	    tags[TAGS_ROOT_DIRECTORY] == BDEV_ABSENT ||
	    tags[TAGS_ROOT_NUMBERS] == BDEV_ABSENT)
		return false;
	for (size_t i = 0; i < list->count && left; i++) {
		if (!find_directory(counter, &list->entries[i], &directory))
			continue;
		if (learn_first_mark(counter, directory))
			return true;
		left--;
	}
	return false;
}

/* A single page at index 0 has no node; its marks are in the tree's flags. */
static int count_single(struct counter *counter, const struct page_tree *tree,
			uint64_t counts[MARKS])
{
	uint32_t flags = tree->flags & ~(uint32_t)OTHER_FLAGS, marks;

	if (!find_first_mark(counter))
		return -EOPNOTSUPP;
	marks = flags >> counter->first_mark;
	if (marks >> MARKS || marks << counter->first_mark != flags)
		return -EBADMSG;
	for (int i = 0; i < MARKS; i++)
		counts[i] = marks >> i & 1;
	return 0;
}

static int count_tree(struct counter *counter, const struct page_tree *tree,
		      uint64_t counts[MARKS])
{
	const struct page_node_place first = {
		.tree = tree->mapping + counter->offset[BDEV_TREE],
	};

	memset(counts, 0, MARKS * sizeof(*counts));
	if (!is_marked(tree->flags))
		return 0;
	if (!counter->mapping_size)
		return -EOPNOTSUPP;
	if (page_entry_is_page(tree->head))
		return count_single(counter, tree, counts);
	if (!page_entry_is_node(tree->head))
		return -EAGAIN;
	page_tags_find_nodes(counter->layout);
	counter->node_size = page_node_size(counter->tags);
	if (!counter->node_size)
		return -EOPNOTSUPP;
	return count_node(counter, page_entry_node(tree->head), &first, counts);
}

/* Reads the mapping again; -ESTALE if it no longer is that inode's. */
static int read_tree(const struct counter *counter, struct page_tree *tree)
{
	const uint32_t *offset = counter->offset;
	unsigned char bytes[MAX_READ];
	int ret = kmem_read(counter->kmem, tree->mapping, bytes,
			    counter->mapping_size);

	if (ret < 0)
		return ret;
	if (word_at(bytes, offset[BDEV_MAPPING_HOST]) != tree->inode)
		return -ESTALE;
	tree->pages = word_at(bytes, offset[BDEV_MAPPING_PAGES]);
	tree->head = word_at(bytes, offset[BDEV_TREE] + offset[BDEV_TREE_HEAD]);
	memcpy(&tree->flags,
	       bytes + offset[BDEV_TREE] + offset[BDEV_TREE_FLAGS],
	       sizeof(tree->flags));
	return 0;
}

/*
 * Whether the counts are possible, with the mapping before and after counting.
 */
static bool is_plausible(const struct page_tree *before,
			 const struct page_tree *after,
			 const uint64_t counts[MARKS])
{
	for (int i = 0; i < MARKS; i++) {
		if (counts[i] > before->pages && counts[i] > after->pages)
			return false;
	}
	return !page_entry_is_page(before->head) ||
	       (before->head == after->head && before->flags == after->flags);
}

static int count_marked(struct counter *counter, struct page_tree *tree,
			uint64_t counts[MARKS])
{
	int ret = -EAGAIN;

	counter->device_nodes = DEVICE_NODES;
	for (int i = 0; ret == -EAGAIN && i < ATTEMPTS; i++) {
		const struct page_tree before = *tree;
		int again;

		ret = count_tree(counter, &before, counts);
		if (ret < 0 && ret != -EAGAIN)
			break;
		again = read_tree(counter, tree);
		if (again < 0)
			return again;
		if (!ret && !is_plausible(&before, tree, counts))
			ret = -EAGAIN;
	}
	return ret;
}

bool page_tree_is_tagged(const struct page_tree *tree)
{
	return is_marked(tree->flags);
}

static void count_pages(struct counter *counter, struct page_tree *tree)
{
	uint64_t counts[MARKS] = { 0 };

	if (is_marked(tree->flags) && count_marked(counter, tree, counts))
		return;
	tree->has_tags = true;
	tree->dirty = counts[MARK_DIRTY];
	tree->writeback = counts[MARK_WRITEBACK];
}

struct page_tree page_tree_of(const struct bdev_entry *entry)
{
	return (struct page_tree){
		.inode = entry->inode,
		.mapping = entry->mapping,
		.pages = entry->pages,
		.head = entry->tree_head,
		.flags = entry->tree_flags,
	};
}

static void count_device(struct counter *counter, struct bdev_entry *entry)
{
	struct page_tree tree = page_tree_of(entry);

	if (!entry->has_tree)
		return;
	count_pages(counter, &tree);
	entry->has_tags = tree.has_tags;
	entry->dirty = tree.dirty;
	entry->writeback = tree.writeback;
}

void page_tags_layout_init(struct page_tags_layout *layout,
			   const struct btf *btf)
{
	*layout = (struct page_tags_layout){ .btf = btf };
	for (size_t i = 0; i < TAGS_MEMBERS; i++)
		layout->offset[i] = BDEV_ABSENT;
}

static struct counter counter_of(const struct kmem *kmem,
				 const struct bdev_layout *layout,
				 struct page_tags_layout *tags,
				 const struct bdev_list *list)
{
	return (struct counter){
		.kmem = kmem,
		.offset = layout->offset,
		.layout = tags,
		.tags = tags->offset,
		.list = list,
		.mapping_size = size_of_mapping(layout->offset),
		.all_nodes = PAGE_TAGS_NODES,
	};
}

void page_tags_count(const struct kmem *kmem, const struct bdev_layout *layout,
		     struct page_tags_layout *tags, struct bdev_list *list)
{
	struct counter counter = counter_of(kmem, layout, tags, list);

	for (size_t i = 0; i < list->count; i++)
		count_device(&counter, &list->entries[i]);
}

void page_tags_count_trees(struct page_tags *page_tags, struct page_tree *trees,
			   size_t count)
{
	struct counter counter = counter_of(page_tags->kmem, page_tags->layout,
					    page_tags->tags,
					    page_tags->devices);

	counter.all_nodes = page_tags->nodes;
	for (size_t i = 0; i < count; i++)
		count_pages(&counter, &trees[i]);
	page_tags->nodes = counter.all_nodes;
}
