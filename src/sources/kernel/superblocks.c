// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/fs_layout.h"
#include "kernel/kmem.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "kernel/superblocks.h"
#include "lib/array.h"
#include "lib/error.h"

/*
 * Bytes. Every kernel's image is smaller. Allocated memory is farther away from
 * it, unless the image is mapped as part of all memory, as it is on ppc64.
 */
#define IMAGE_SIZE (512ULL << 20)

/* Hosts with thousands of containers have some 100,000 superblocks. */
#define MAX_SUPERBLOCKS (1U << 20)
#define RESYNCS 64

/* Far more superblocks than the list has before that of all block devices. */
#define MAX_BACKWARDS 65536
#define HEAD_LOOKS 4

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

static const char *check(void *data, const unsigned char *object,
			 uint64_t address __attribute__((unused)))
{
	const struct reader *reader = data;
	const uint32_t *offset = reader->layout->offset;

	/* The kernel sets both before it lists a superblock, and keeps them. */
	if (!word_at(object, offset[FS_SB_TYPE]) ||
	    !word_at(object, offset[FS_SB_INODES]))
		return "no superblock";
	return NULL;
}

/* The name is in the type's module, which may be gone; then sets "". */
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
	if (array_make_room(&superblocks->list, superblocks->count,
			    &superblocks->capacity) < 0)
		return NULL;
	return &superblocks->list[superblocks->count++];
}

static int visit(void *data, const unsigned char *object, uint64_t address,
		 struct error *err)
{
	struct reader *reader = data;
	const uint32_t *offset = reader->layout->offset;
	struct superblock *superblock = add(reader->superblocks);

	if (!superblock)
		return error_errno(err, ENOMEM, NULL, NULL);
	*superblock = (struct superblock){
		.address = address,
		.magic = word_at(object, offset[FS_SB_MAGIC]),
		.flags = word_at(object, offset[FS_SB_FLAGS]),
	};
	superblock->dev = half_at(object, offset[FS_SB_DEV]);
	memcpy(superblock->id, object + offset[FS_SB_ID],
	       sizeof(superblock->id) - 1);
	read_type(reader, word_at(object, offset[FS_SB_TYPE]),
		  superblock->type);
	return 0;
}

/*
 * Whether a list of inodes begins there, and at no node of another kind. It may
 * be changing, so looks more than once.
 */
static bool is_superblock(const struct reader *reader, uint64_t node)
{
	const uint32_t *offset = reader->layout->offset;
	uint64_t inodes = node - offset[FS_SB_LIST] + offset[FS_SB_INODES];
	uint64_t next, back;

	for (int i = 0; i < HEAD_LOOKS; i++)
		if (!kmem_read_word(reader->kmem, inodes, &next) &&
		    !kmem_read_word(reader->kmem, next + sizeof(next), &back) &&
		    back == inodes)
			return true;
	return false;
}

/* Follows the next (0) or previous (8) links to the node in the image. */
static int find_head_along(const struct reader *reader, uint64_t node,
			   uint32_t direction, uint64_t in_image,
			   uint64_t *head)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < MAX_BACKWARDS; i++) {
		ret = kmem_read_word(reader->kmem, node + direction, &node);
		*head = node;
		if (!ret && node - in_image + IMAGE_SIZE < 2 * IMAGE_SIZE &&
		    !is_superblock(reader, node))
			return 0;
	}
	return ret ? ret : -EBADMSG;
}

/*
 * The superblock of all block devices is made when the kernel starts, and new
 * ones are added at the end of the list, so the head is near when going
 * backwards. If a dump lacks one of the first superblocks, going forward may
 * still lead to the head.
 */
static int find_head(const struct reader *reader, uint64_t any,
		     uint64_t in_image, uint64_t *head, struct error *err)
{
	uint64_t node = any + reader->layout->offset[FS_SB_LIST];
	int ret =
		find_head_along(reader, node, sizeof(uint64_t), in_image, head);

	if (ret == -ENODATA)
		ret = find_head_along(reader, node, 0, in_image, head);
	if (!ret)
		return 0;
	if (ret == -EFAULT || ret == -EBADMSG)
		return error_set(
			err, EBADMSG,
			"the kernel's list of filesystems is not to be found");
	return error_doing(err, -ret, "reading kernel memory", NULL, "%s",
			   kmem_strerror(ret));
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
		.lost = &superblocks->lost,
		.check = check,
		.visit = visit,
		.data = &reader,
	};
	int ret = find_head(&reader, any, in_image, &ring.head, err);

	superblocks->count = 0;
	superblocks->lost = 0;
	return ret < 0 ? ret : ring_walk(&ring, kmem, err);
}
