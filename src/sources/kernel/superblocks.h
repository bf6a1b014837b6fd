/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads all filesystems of a kernel, mounted or not, from the list
 * super_blocks. Any superblock leads to it. The list's head is the only node
 * that is in the kernel's image and not in a superblock.
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
	char id[SUPERBLOCK_NAME_SIZE]; /* s_id: usually the device's name */
};

static inline unsigned int superblock_major(const struct superblock *superblock)
{
	return superblock->dev >> 20;
}

static inline unsigned int superblock_minor(const struct superblock *superblock)
{
	return superblock->dev & ((1U << 20) - 1);
}

/* SB_NOUSER: the kernel's own filesystem, which nobody can mount. */
#define SUPERBLOCK_NOUSER (1U << 31)

struct superblocks {
	struct superblock *list;
	size_t count;
	size_t capacity;
	/* Superblocks that a dump lacks: 0, 1, or 2 for two or more. */
	size_t lost;
};

/*
 * Replaces what is in @superblocks, which must be all zero before the first
 * call. @any is the address of any superblock, and @in_image any address in the
 * kernel's image. If a dump lacks a superblock, reads the list from both ends.
 * Returns 0, -EAGAIN with the check that failed (the list changed while it was
 * read), -EBADMSG if the list's head was not found, -ENOMEM, or the errno of
 * reading. The caller deinits in any case.
 */
int superblocks_read(struct superblocks *superblocks, const struct kmem *kmem,
		     const struct fs_layout *layout, uint64_t any,
		     uint64_t in_image, struct error *err);
void superblocks_deinit(struct superblocks *superblocks);

#endif
