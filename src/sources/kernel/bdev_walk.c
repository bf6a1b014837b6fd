// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/bdev_layout.h"
#include "kernel/bdev_walk.h"
#include "kernel/kernel.h"
#include "kernel/kmem.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "lib/array.h"
#include "lib/error.h"

/* More devices than a host has. A longer walk goes round in circles. */
#define MAX_ENTRIES (1U << 20)
#define ATTEMPTS 20

struct walk {
	const struct bdev_layout *layout;
	uint64_t superblock;
	struct bdev_list *list;
	const unsigned char *object; /* copy of the bdev_inode read last */
};

void bdev_list_deinit(struct bdev_list *list)
{
	free(list->entries);
	*list = (struct bdev_list){ 0 };
}

int bdev_superblock_find(const struct kmem *kmem,
			 const struct bdev_layout *layout, uint64_t symbol,
			 uint64_t *superblock)
{
	const uint32_t *offset = layout->offset;
	uint64_t type, name;
	char text[8];
	int ret = kmem_read_word(kmem, symbol, superblock);

	if (!ret)
		ret = kmem_read_word(kmem, *superblock + offset[BDEV_SB_TYPE],
				     &type);
	if (!ret)
		ret = kmem_read_word(kmem, type + offset[BDEV_TYPE_NAME],
				     &name);
	if (!ret)
		ret = kmem_read_string(kmem, name, text, sizeof(text));
	if (!ret && strcmp(text, "bdev") != 0)
		ret = -EBADMSG;
	return ret == -ENAMETOOLONG ? -EBADMSG : ret;
}

static struct bdev_entry *add_entry(struct bdev_list *list)
{
	if (array_make_room(&list->entries, list->count, &list->capacity) < 0)
		return NULL;
	return &list->entries[list->count++];
}

/* Returns the offset of a member of the inode in a bdev_inode. */
static uint64_t in_inode(const struct walk *walk, enum bdev_member member)
{
	return walk->layout->offset[BDEV_INODE] + walk->layout->offset[member];
}

static uint64_t in_bdev(const struct walk *walk, enum bdev_member member)
{
	return walk->layout->offset[BDEV_BDEV] + walk->layout->offset[member];
}

static bool has(const struct walk *walk, enum bdev_member member)
{
	return walk->layout->offset[member] != BDEV_ABSENT;
}

/*
 * The mapping must be the inode's own, in the same object. It is in every
 * kernel since 2.6, and so one read gets both.
 */
static const char *check_object(const struct walk *walk, uint64_t object,
				uint64_t *mapping)
{
	const uint32_t *offset = walk->layout->offset;
	uint64_t inode = object + offset[BDEV_INODE];
	uint64_t size = walk->layout->bdev_inode_size;

	if (word_at(walk->object, in_inode(walk, BDEV_INODE_SB)) !=
	    walk->superblock)
		return "an inode of another filesystem";
	*mapping = word_at(walk->object, in_inode(walk, BDEV_INODE_MAPPING)) -
		   object;
	if (*mapping >= size ||
	    size - *mapping < offset[BDEV_MAPPING_HOST] + sizeof(uint64_t) ||
	    size - *mapping < offset[BDEV_MAPPING_PAGES] + sizeof(uint64_t))
		return "a mapping elsewhere";
	if (word_at(walk->object, *mapping + offset[BDEV_MAPPING_HOST]) !=
	    inode)
		return "a mapping of another inode";
	if (half_at(walk->object, in_inode(walk, BDEV_INODE_RDEV)) !=
	    half_at(walk->object, in_bdev(walk, BDEV_DEV)))
		return "two device numbers";
	return NULL;
}

/* Whether @size bytes at @offset are inside the object. */
static bool is_in_object(const struct walk *walk, uint64_t offset,
			 uint64_t size)
{
	return offset + size <= walk->layout->bdev_inode_size;
}

/* Sets the flags and head of the tree of pages, and the last write error. */
static void fill_mapping(const struct walk *walk, uint64_t mapping,
			 struct bdev_entry *entry)
{
	const uint32_t *offset = walk->layout->offset;
	uint64_t tree = mapping + offset[BDEV_TREE];
	uint64_t flags = tree + offset[BDEV_TREE_FLAGS];
	uint64_t head = tree + offset[BDEV_TREE_HEAD];
	uint64_t error = mapping + offset[BDEV_WRITE_ERROR];

	entry->has_tree = has(walk, BDEV_TREE) && has(walk, BDEV_TREE_FLAGS) &&
			  has(walk, BDEV_TREE_HEAD) &&
			  is_in_object(walk, flags, sizeof(uint32_t)) &&
			  is_in_object(walk, head, sizeof(uint64_t));
	if (entry->has_tree) {
		entry->tree_flags = half_at(walk->object, flags);
		entry->tree_head = word_at(walk->object, head);
	}
	entry->has_write_error = has(walk, BDEV_WRITE_ERROR) &&
				 is_in_object(walk, error, sizeof(uint32_t));
	if (entry->has_write_error)
		entry->write_error = half_at(walk->object, error) &
				     ERRSEQ_ERRNO;
}

static void fill_entry(const struct walk *walk, uint64_t object,
		       uint64_t mapping, struct bdev_entry *entry)
{
	const uint32_t *offset = walk->layout->offset;

	*entry = (struct bdev_entry){
		.inode = object + offset[BDEV_INODE],
		.bdev = object + offset[BDEV_BDEV],
		.mapping = object + mapping,
		.pages = word_at(walk->object,
				 mapping + offset[BDEV_MAPPING_PAGES]),
		.dev = half_at(walk->object, in_bdev(walk, BDEV_DEV)),
		.has_openers = has(walk, BDEV_OPENERS),
	};
	if (entry->has_openers)
		entry->openers =
			half_at(walk->object, in_bdev(walk, BDEV_OPENERS));
	if (has(walk, BDEV_DISK))
		entry->disk = word_at(walk->object, in_bdev(walk, BDEV_DISK));
	if (has(walk, BDEV_PARTNO))
		entry->partno = walk->object[in_bdev(walk, BDEV_PARTNO)];
	else if (has(walk, BDEV_FLAGS))
		entry->partno =
			half_at(walk->object, in_bdev(walk, BDEV_FLAGS)) & 0xff;
	fill_mapping(walk, mapping, entry);
}

static const char *check(void *data, const unsigned char *object,
			 uint64_t address)
{
	struct walk *walk = data;
	uint64_t mapping;

	walk->object = object;
	return check_object(walk, address, &mapping);
}

static int changed(struct error *err, const char *how)
{
	return error_set(
		err, EAGAIN,
		"the list of devices is damaged, or changed while it was read (%s)",
		how);
}

static int visit(void *data, const unsigned char *object, uint64_t address,
		 struct error *err)
{
	struct walk *walk = data;
	struct bdev_entry *entry = add_entry(walk->list);

	if (!entry)
		return error_errno(err, ENOMEM, NULL, NULL);
	walk->object = object;
	fill_entry(walk, address,
		   word_at(walk->object, in_inode(walk, BDEV_INODE_MAPPING)) -
			   address,
		   entry);
	if (__builtin_add_overflow(walk->list->pages, entry->pages,
				   &walk->list->pages))
		return changed(err, "an impossible number of pages");
	return 0;
}

static int by_number(const void *left, const void *right)
{
	const struct bdev_entry *a = left, *b = right;

	if (a->dev != b->dev)
		return a->dev < b->dev ? -1 : 1;
	return (a->pages > b->pages) - (a->pages < b->pages);
}

/*
 * A device that is going away may still be on the list when a new one has its
 * number, but it no longer has pages. (No inode is visited twice: the second
 * time, its previous link would not match the node that led to it.)
 */
static int check_unique(struct bdev_list *list, struct error *err)
{
	if (list->count)
		qsort(list->entries, list->count, sizeof(*list->entries),
		      by_number);
	for (size_t i = 1; i < list->count; i++) {
		const struct bdev_entry *entry = &list->entries[i];

		if (entry[-1].dev == entry->dev && entry[-1].pages)
			return changed(err, "two devices with one number");
	}
	return 0;
}

int bdev_walk(const struct kmem *kmem, const struct bdev_layout *layout,
	      uint64_t superblock, struct bdev_list *list, struct error *err)
{
	struct walk walk = {
		.layout = layout,
		.superblock = superblock,
		.list = list,
	};
	const struct ring ring = {
		.what = "devices",
		.head = superblock + layout->offset[BDEV_SB_INODES],
		.links = layout->offset[BDEV_INODE] +
			 layout->offset[BDEV_INODE_LIST],
		.size = layout->bdev_inode_size,
		.most = MAX_ENTRIES,
		.check = check,
		.visit = visit,
		.data = &walk,
	};
	int ret;

	list->count = 0;
	list->pages = 0;
	ret = ring_walk(&ring, kmem, err);
	return ret < 0 ? ret : check_unique(list, err);
}

int bdev_walk_kernel(const struct kernel *kernel, struct bdev_list *list,
		     struct error *err)
{
	int attempts = ATTEMPTS, ret;

	do {
		ret = bdev_walk(kernel->kmem, &kernel->root.layout,
				kernel->superblock, list, err);
	} while (ret == -EAGAIN && --attempts);
	return ret;
}

static bool is_printable(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (!isgraph((unsigned char)*c))
			return false;
	}
	return *text;
}

bool bdev_entry_name(const struct kmem *kmem, const struct bdev_layout *layout,
		     const struct bdev_entry *entry, char name[BDEV_NAME_SIZE])
{
	char disk[32]; /* DISK_NAME_LEN */
	size_t length;

	*name = '\0';
	if (!entry->disk || layout->offset[BDEV_DISK_NAME] == BDEV_ABSENT ||
	    kmem_read_string(kmem, entry->disk + layout->offset[BDEV_DISK_NAME],
			     disk, sizeof(disk)) < 0 ||
	    !is_printable(disk))
		return false;
	length = strlen(disk);
	if (!entry->partno)
		snprintf(name, BDEV_NAME_SIZE, "%s", disk);
	else
		snprintf(name, BDEV_NAME_SIZE, "%s%s%u", disk,
			 isdigit((unsigned char)disk[length - 1]) ? "p" : "",
			 entry->partno);
	return true;
}
