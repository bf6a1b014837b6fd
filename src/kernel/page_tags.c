// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bdev_layout.h"
#include "bdev_walk.h"
#include "kmem.h"
#include "page_tags.h"

/*
 * Nodes read of one device, and of all of them. One has 64 entries: 2 GiB and
 * 8 GiB of dirty pages of 4 KiB, and more where there are large folios.
 */
#define DEVICE_NODES 8192
#define ALL_NODES 32768

#define ATTEMPTS 4

/* A directory of sysfs tells; one whose device is going away does not. */
#define DIRECTORIES 16

#define SLOTS 64
#define SLOT_BITS 6
#define MAX_SHIFT 60 /* a tree has 64 bits of an index at most */
#define MAX_PAGE_SHIFT 30 /* a page of 4 TiB: there is none */

/* What is read of an xa_node (576 bytes) or of an address_space at once. */
#define MAX_READ 1024

/*
 * The flags of an XArray: XA_FLAGS_* first, and the three marks at the bit
 * behind the last of GFP's. That bit is another one in nearly every kernel: 23
 * in Debian's 5.10, 27 in 6.1, 25 in 6.12, 24 in 7.3.
 */
#define OTHER_FLAGS 0x3f
#define TRACK_FREE 4U
#define LOWEST_MARK 20
#define HIGHEST_MARK 29

/* PAGECACHE_TAG_DIRTY and so on. */
enum mark { MARK_DIRTY, MARK_WRITEBACK, MARK_TO_WRITE, MARKS };

struct counter {
	const struct kmem *kmem;
	const struct bdev_layout *layout;
	const struct bdev_list *list;
	size_t node_size; /* bytes to read; 0: not a node that is known here */
	size_t mapping_size; /* bytes to read */
	unsigned int all_nodes; /* how many may still be read */
	unsigned int device_nodes;
	unsigned int first_mark; /* a bit of the flags; 0: not looked for yet */
};

/* What the mapping of a device said of its pages at one time. */
struct tree {
	uint64_t address;
	uint64_t head;
	uint64_t pages;
	uint32_t flags;
};

/* Where a node should be. */
struct place {
	uint64_t tree;
	uint64_t parent; /* 0: it is the first */
	unsigned int slot;
	unsigned int shift; /* of the parent */
};

struct node {
	unsigned char bytes[MAX_READ];
	unsigned int shift;
};

static bool has(const struct counter *counter, enum bdev_member member)
{
	return counter->layout->offset[member] != BDEV_ABSENT;
}

static uint64_t word_in(const struct counter *counter,
			const unsigned char *bytes, enum bdev_member member,
			unsigned int index)
{
	uint64_t word;

	memcpy(&word,
	       bytes + counter->layout->offset[member] + index * sizeof(word),
	       sizeof(word));
	return word;
}

static unsigned int byte_in(const struct counter *counter,
			    const struct node *node, enum bdev_member member)
{
	return node->bytes[counter->layout->offset[member]];
}

static bool is_node(uint64_t entry)
{
	return (entry & 3) == 2 && entry > 4096;
}

static bool is_page(uint64_t entry)
{
	return entry && !(entry & 3);
}

/* More entries of the page in @slot: "as in the slot of that number". */
static bool is_sibling(uint64_t entry, unsigned int slot)
{
	return entry == ((uint64_t)slot << 2 | 2);
}

static bool is_marked(uint32_t flags)
{
	return flags & ~(uint32_t)OTHER_FLAGS;
}

/* Up to the end of the last of @members; 0 if one is not there. */
static size_t extent(const struct counter *counter,
		     const enum bdev_member *members, size_t count,
		     size_t last_size)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++) {
		size_t end = counter->layout->offset[members[i]] + last_size;

		if (!has(counter, members[i]) || end > MAX_READ)
			return 0;
		if (end > size)
			size = end;
	}
	return size;
}

/* A kernel may be built with 16 slots to a node (CONFIG_BASE_SMALL). */
static bool has_64_slots(const struct counter *counter)
{
	return counter->layout->offset[BDEV_NODE_MARKS] ==
	       counter->layout->offset[BDEV_NODE_SLOTS] +
		       SLOTS * sizeof(uint64_t);
}

static void learn_sizes(struct counter *counter)
{
	static const enum bdev_member node[] = {
		BDEV_NODE_SHIFT, BDEV_NODE_OFFSET, BDEV_NODE_COUNT,
		BDEV_NODE_SLOTS, BDEV_NODE_PARENT, BDEV_NODE_ARRAY,
		BDEV_NODE_MARKS,
	};
	static const enum bdev_member mapping[] = {
		BDEV_MAPPING_HOST, BDEV_MAPPING_PAGES, BDEV_TREE,
		BDEV_TREE_FLAGS,   BDEV_TREE_HEAD,
	};

	counter->mapping_size = extent(counter, mapping,
				       sizeof(mapping) / sizeof(*mapping),
				       sizeof(uint64_t));
	if (has_64_slots(counter))
		counter->node_size = extent(counter, node,
					    sizeof(node) / sizeof(*node),
					    MARKS * sizeof(uint64_t));
}

static int read_node(struct counter *counter, uint64_t address,
		     struct node *node)
{
	int ret;

	if (!counter->device_nodes || !counter->all_nodes)
		return -E2BIG;
	counter->device_nodes--;
	counter->all_nodes--;
	if (address % sizeof(uint64_t))
		return -EAGAIN;
	ret = kmem_read(counter->kmem, address, node->bytes,
			counter->node_size);
	node->shift = byte_in(counter, node, BDEV_NODE_SHIFT);
	return ret == -EFAULT ? -EAGAIN : ret;
}

/* The slot of the first node is whatever it was in an earlier life. */
static bool is_in_place(const struct counter *counter, const struct node *node,
			const struct place *place)
{
	if (word_in(counter, node->bytes, BDEV_NODE_ARRAY, 0) != place->tree ||
	    word_in(counter, node->bytes, BDEV_NODE_PARENT, 0) !=
		    place->parent ||
	    byte_in(counter, node, BDEV_NODE_COUNT) > SLOTS)
		return false;
	if (!place->parent)
		return node->shift <= MAX_SHIFT && node->shift % SLOT_BITS == 0;
	return node->shift + SLOT_BITS == place->shift &&
	       byte_in(counter, node, BDEV_NODE_OFFSET) == place->slot;
}

/* Those of the page that begins in @slot. */
static int add_pages(const struct counter *counter, const struct node *node,
		     unsigned int slot, const uint64_t marks[MARKS],
		     uint64_t counts[MARKS])
{
	unsigned int end = slot + 1;

	if (node->shift > MAX_PAGE_SHIFT)
		return -EAGAIN;
	while (end < SLOTS &&
	       is_sibling(word_in(counter, node->bytes, BDEV_NODE_SLOTS, end),
			  slot))
		end++;
	for (int i = 0; i < MARKS; i++) {
		if (marks[i] >> slot & 1)
			counts[i] += (uint64_t)(end - slot) << node->shift;
	}
	return 0;
}

static int count_node(struct counter *counter, uint64_t address,
		      const struct place *place, uint64_t counts[MARKS]);

static int count_slot(struct counter *counter, const struct place *place,
		      const struct node *node, const uint64_t marks[MARKS],
		      uint64_t counts[MARKS])
{
	uint64_t entry =
		word_in(counter, node->bytes, BDEV_NODE_SLOTS, place->slot);

	if (is_page(entry))
		return add_pages(counter, node, place->slot, marks, counts);
	if (is_node(entry) && node->shift)
		return count_node(counter, entry - 2, place, counts);
	/* A page that left meanwhile, or what is kept of one. */
	if (!entry || entry & 1)
		return 0;
	return -EAGAIN;
}

/*
 * Adds the marked pages below a node. A parent's mark says that some entry of
 * the node has it: if none has, the node is on its way out, or was wiped.
 */
static int count_node(struct counter *counter, uint64_t address,
		      const struct place *place, uint64_t counts[MARKS])
{
	struct place below = { .tree = place->tree, .parent = address };
	uint64_t marks[MARKS], any = 0;
	struct node node;
	int ret = read_node(counter, address, &node);

	if (ret < 0)
		return ret;
	if (!is_in_place(counter, &node, place))
		return -EAGAIN;
	below.shift = node.shift;
	for (unsigned int i = 0; i < MARKS; i++) {
		marks[i] = word_in(counter, node.bytes, BDEV_NODE_MARKS, i);
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

/*
 * Where the marks begin, from a tree whose flags are known but for that: one
 * that gives out numbers (an IDR) has its first mark set while it has one left,
 * and nobody uses its others. sysfs has such a tree for its inodes' numbers;
 * number 0 is never given out.
 */
static int learn_first_mark(struct counter *counter,
			    const struct bdev_entry *entry)
{
	const uint32_t *offset = counter->layout->offset;
	const struct kmem *kmem = counter->kmem;
	uint64_t directory = entry->directory, root, top, again;
	uint32_t flags;

	if (!has(counter, BDEV_DIRECTORY) &&
	    kmem_read_word(kmem, directory + offset[BDEV_PART_DIRECTORY],
			   &directory) < 0)
		return -ENOENT;
	if (kmem_read_word(kmem, directory + offset[BDEV_DIRECTORY_ROOT],
			   &root) < 0 ||
	    kmem_read_word(kmem, root + offset[BDEV_ROOT_DIRECTORY], &top) <
		    0 ||
	    kmem_read_word(kmem, top + offset[BDEV_DIRECTORY_ROOT], &again) <
		    0 ||
	    again != root ||
	    kmem_read(kmem, root + offset[BDEV_ROOT_NUMBERS], &flags,
		      sizeof(flags)) < 0)
		return -ENOENT;
	flags ^= TRACK_FREE;
	if (flags & (flags - 1) || flags < 1U << LOWEST_MARK ||
	    flags > 1U << HIGHEST_MARK)
		return -ENOENT;
	counter->first_mark = (unsigned int)__builtin_ctz(flags);
	return 0;
}

static int find_first_mark(struct counter *counter)
{
	const struct bdev_list *list = counter->list;
	int left = DIRECTORIES;
	int ret = -ENOENT;

	if (counter->first_mark)
		return 0;
	if (!has(counter, BDEV_DIRECTORY_ROOT) ||
	    !has(counter, BDEV_ROOT_DIRECTORY) ||
	    !has(counter, BDEV_ROOT_NUMBERS) ||
	    (!has(counter, BDEV_DIRECTORY) &&
	     !has(counter, BDEV_PART_DIRECTORY)))
		return -EOPNOTSUPP;
	for (size_t i = 0; ret < 0 && i < list->count && left; i++) {
		if (!list->entries[i].directory)
			continue;
		ret = learn_first_mark(counter, &list->entries[i]);
		left--;
	}
	return ret;
}

/* A single page at index 0 has no node: its marks are the tree's flags. */
static int count_single(struct counter *counter, const struct tree *tree,
			uint64_t counts[MARKS])
{
	uint32_t marks;
	int ret = find_first_mark(counter);

	if (ret < 0)
		return ret;
	marks = (tree->flags & ~(uint32_t)OTHER_FLAGS) >> counter->first_mark;
	if (marks >> MARKS || marks << counter->first_mark !=
				      (tree->flags & ~(uint32_t)OTHER_FLAGS))
		return -EBADMSG;
	for (int i = 0; i < MARKS; i++)
		counts[i] = marks >> i & 1;
	return 0;
}

static int count_tree(struct counter *counter, const struct tree *tree,
		      uint64_t counts[MARKS])
{
	const struct place first = { .tree = tree->address };

	memset(counts, 0, MARKS * sizeof(*counts));
	if (!is_marked(tree->flags))
		return 0;
	if (!counter->node_size || !counter->mapping_size)
		return -EOPNOTSUPP;
	if (is_page(tree->head))
		return count_single(counter, tree, counts);
	if (is_node(tree->head))
		return count_node(counter, tree->head - 2, &first, counts);
	return -EAGAIN;
}

/* Returns -ESTALE if the device's inode is no longer where it was. */
static int read_tree(const struct counter *counter,
		     const struct bdev_entry *entry, struct tree *tree)
{
	const uint32_t *offset = counter->layout->offset;
	unsigned char bytes[MAX_READ];
	int ret = kmem_read(counter->kmem, entry->mapping, bytes,
			    counter->mapping_size);

	if (ret < 0)
		return ret;
	if (word_in(counter, bytes, BDEV_MAPPING_HOST, 0) != entry->inode)
		return -ESTALE;
	tree->head = word_in(counter, bytes, BDEV_TREE_HEAD, 0);
	tree->pages = word_in(counter, bytes, BDEV_MAPPING_PAGES, 0);
	memcpy(&tree->flags, bytes + offset[BDEV_TREE_FLAGS],
	       sizeof(tree->flags));
	return 0;
}

/* Can what was counted be, with the mapping as it was before and is after it? */
static bool is_plausible(const struct tree *before, const struct tree *after,
			 const uint64_t counts[MARKS])
{
	for (int i = 0; i < MARKS; i++) {
		if (counts[i] > before->pages && counts[i] > after->pages)
			return false;
	}
	return !is_page(before->head) ||
	       (before->head == after->head && before->flags == after->flags);
}

static int count_marked(struct counter *counter, const struct bdev_entry *entry,
			struct tree *tree, uint64_t counts[MARKS])
{
	int ret = -EAGAIN;

	counter->device_nodes = DEVICE_NODES;
	for (int i = 0; ret == -EAGAIN && i < ATTEMPTS; i++) {
		const struct tree before = *tree;
		int again;

		ret = count_tree(counter, &before, counts);
		if (ret < 0 && ret != -EAGAIN)
			break;
		again = read_tree(counter, entry, tree);
		if (again < 0)
			return again;
		if (!ret && !is_plausible(&before, tree, counts))
			ret = -EAGAIN;
	}
	return ret;
}

static void count_device(struct counter *counter, struct bdev_entry *entry)
{
	struct tree tree = {
		.address = entry->mapping + counter->layout->offset[BDEV_TREE],
		.head = entry->tree_head,
		.pages = entry->pages,
		.flags = entry->tree_flags,
	};
	uint64_t counts[MARKS] = { 0 };

	if (!entry->has_tree || (is_marked(tree.flags) &&
				 count_marked(counter, entry, &tree, counts)))
		return;
	entry->has_tags = true;
	entry->dirty = counts[MARK_DIRTY];
	entry->writeback = counts[MARK_WRITEBACK];
}

void page_tags_count(const struct kmem *kmem, const struct bdev_layout *layout,
		     struct bdev_list *list)
{
	struct counter counter = {
		.kmem = kmem,
		.layout = layout,
		.list = list,
		.all_nodes = ALL_NODES,
	};

	learn_sizes(&counter);
	for (size_t i = 0; i < list->count; i++)
		count_device(&counter, &list->entries[i]);
}
