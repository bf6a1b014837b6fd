/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All filesystems of a kernel, mounted or not: the list super_blocks, which any
 * superblock leads to. Its head is the one node of the ring that lies in the
 * kernel's image and not in a superblock.
 */
#ifndef BUFSTAT_SUPERBLOCKS_H
#define BUFSTAT_SUPERBLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct fs_layout;
struct kmem;

#define SUPERBLOCK_NAME_SIZE 32

struct superblock {
	uint64_t address;
	uint64_t magic; /* s_magic */
	uint64_t flags; /* s_flags */
	uint32_t dev; /* the kernel's dev_t: major << 20 | minor */
	char type[SUPERBLOCK_NAME_SIZE]; /* "ext4"; "" if it cannot be read */
	char id[SUPERBLOCK_NAME_SIZE]; /* s_id: mostly the device's name */
};

static inline unsigned int superblock_major(const struct superblock *superblock)
{
	return superblock->dev >> 20;
}

static inline unsigned int superblock_minor(const struct superblock *superblock)
{
	return superblock->dev & ((1U << 20) - 1);
}

/* The kernel's own, which nobody can mount: SB_NOUSER. */
#define SUPERBLOCK_NOUSER (1U << 31)

struct superblocks {
	struct superblock *list;
	size_t count;
	size_t capacity;
	/* Of a dump that lacks a page: superblocks that are not in the list, 1,
	 * or 2 for at least as many. */
	size_t lost;
};

/*
 * Replaces what is in @superblocks. @any is the address of a superblock, and
 * @in_image one in the kernel's image. Returns 0, -EAGAIN with which check
 * failed (the list changed while it was read), -EBADMSG if its head was not
 * found, -ENOMEM, or the errno of reading. Where a dump lacks a superblock, the
 * list is read from both ends. The caller deinits in any case.
 */
int superblocks_read(struct superblocks *superblocks, const struct kmem *kmem,
		     const struct fs_layout *layout, uint64_t any,
		     uint64_t in_image, struct error *err);
void superblocks_deinit(struct superblocks *superblocks);

#endif
