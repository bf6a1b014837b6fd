// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/fs_layout.h"
#include "kernel/kmem.h"
#include "kernel/ring.h"
#include "kernel/superblocks.h"
#include "lib/error.h"

/*
 * No kernel's image has as many bytes, and memory that is allocated is farther
 * away from it.
 */
#define IMAGE_SIZE (512ULL << 20)

/* Hosts with thousands of containers have some 100,000. */
#define MAX_SUPERBLOCKS (1U << 20)
#define RESYNCS 64

/* Far more than are listed before that of all block devices. */
#define MAX_BACKWARDS 65536

struct reader {
	const struct kmem *kmem;
	const struct fs_layout *layout;
	struct superblocks *superblocks;
};

void superblocks_deinit(struct superblocks *superblocks)
{
	free(superblocks->list);
	*superblocks = (struct superblocks){ 0 };
}

static uint64_t word_at(const unsigned char *object, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, object + offset, sizeof(word));
	return word;
}

static const char *check(void *data, const unsigned char *object,
			 uint64_t address __attribute__((unused)))
{
	const struct reader *reader = data;
	const uint32_t *offset = reader->layout->offset;

	/* Both have their values before it is listed, and keep them. */
	if (!word_at(object, offset[FS_SB_TYPE]) ||
	    !word_at(object, offset[FS_SB_INODES]))
		return "no superblock";
	return NULL;
}

/* A type's name is there for as long as its module is. */
static void read_type(const struct reader *reader, uint64_t type,
		      char name[SUPERBLOCK_NAME_SIZE])
{
	uint64_t text;

	if (kmem_read_word(reader->kmem,
			   type + reader->layout->offset[FS_TYPE_NAME],
			   &text) < 0 ||
	    kmem_read_string(reader->kmem, text, name, SUPERBLOCK_NAME_SIZE) <
		    0)
		*name = '\0';
}

static struct superblock *add(struct superblocks *superblocks)
{
	if (superblocks->count == superblocks->capacity) {
		size_t capacity = superblocks->capacity * 2 + 64;
		void *moved = reallocarray(superblocks->list, capacity,
					   sizeof(*superblocks->list));

		if (!moved)
			return NULL;
		superblocks->list = moved;
		superblocks->capacity = capacity;
	}
	return &superblocks->list[superblocks->count++];
}

static int visit(void *data, const unsigned char *object, uint64_t address,
		 struct error *err)
{
	const struct reader *reader = data;
	const uint32_t *offset = reader->layout->offset;
	struct superblock *superblock = add(reader->superblocks);

	if (!superblock)
		return error_errno(err, ENOMEM, NULL, NULL);
	*superblock = (struct superblock){
		.address = address,
		.magic = word_at(object, offset[FS_SB_MAGIC]),
		.flags = word_at(object, offset[FS_SB_FLAGS]),
	};
	memcpy(&superblock->dev, object + offset[FS_SB_DEV],
	       sizeof(superblock->dev));
	memcpy(superblock->id, object + offset[FS_SB_ID],
	       sizeof(superblock->id) - 1);
	read_type(reader, word_at(object, offset[FS_SB_TYPE]),
		  superblock->type);
	return 0;
}

/*
 * New superblocks are put at the end of the list, so backwards the head is
 * near: the one of all block devices is made when the kernel starts.
 */
static int find_head(const struct reader *reader, uint64_t any,
		     uint64_t in_image, uint64_t *head, struct error *err)
{
	uint64_t node = any + reader->layout->offset[FS_SB_LIST];
	int ret;

	for (unsigned int i = 0; i < MAX_BACKWARDS; i++) {
		ret = kmem_read_word(reader->kmem, node + sizeof(uint64_t),
				     &node);
		if (ret == -EFAULT)
			break;
		if (ret < 0)
			return error_doing(err, -ret, "reading kernel memory",
					   NULL, "%s", kmem_strerror(ret));
		*head = node;
		if (node - in_image + IMAGE_SIZE < 2 * IMAGE_SIZE)
			return 0;
	}
	return error_set(err, EBADMSG,
			 "the kernel's list of filesystems is not to be found");
}

int superblocks_read(struct superblocks *superblocks, const struct kmem *kmem,
		     const struct fs_layout *layout, uint64_t any,
		     uint64_t in_image, struct error *err)
{
	struct reader reader = {
		.kmem = kmem,
		.layout = layout,
		.superblocks = superblocks,
	};
	struct ring ring = {
		.what = "filesystems",
		.links = layout->offset[FS_SB_LIST],
		.size = layout->super_block_size,
		.most = MAX_SUPERBLOCKS,
		.resyncs = RESYNCS,
		.check = check,
		.visit = visit,
		.data = &reader,
	};
	int ret = find_head(&reader, any, in_image, &ring.head, err);

	superblocks->count = 0;
	return ret < 0 ? ret : ring_walk(&ring, kmem, err);
}
