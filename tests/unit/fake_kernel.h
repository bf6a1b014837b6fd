/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's memory, made by a test: filesystems, inodes, trees of pages,
 * names, devices, cgroups and variables. Its structs have the places of a real
 * kernel, whose types it has too (seeds.h), so the readers find all of it as
 * they do on a host. What is put there can be damaged with fake_put().
 */
#ifndef BUFSTAT_TESTS_FAKE_KERNEL_H
#define BUFSTAT_TESTS_FAKE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/fs_layout.h"
#include "kernel/kernel.h"
#include "kernel/memcg.h"
#include "kernel/page_tags.h"
#include "tree.h"

/* Bytes; the image has the variables, the heap has what is allocated. */
#define FAKE_IMAGE 0xffffffff81000000ULL
#define FAKE_IMAGE_SIZE (1U << 18)
#define FAKE_HEAP 0xffff888000100000ULL
#define FAKE_HEAP_SIZE (15U << 20)
/* An address that leads nowhere. */
#define FAKE_NOWHERE 0xffff8f0000000000ULL

#define FAKE_VARIABLES 16

struct fake_variable {
	const char *name;
	uint64_t address;
};

struct fake_kernel {
	char *types;
	size_t types_size;
	struct fs_layout fs;
	struct bdev_layout bdev;
	struct page_tags_layout tags;
	struct memcg_layout memcg;
	unsigned int first_mark; /* a bit of an XArray's flags */
	unsigned char *image;
	unsigned char *heap;
	size_t image_used;
	size_t heap_used;
	struct fake_variable variables[FAKE_VARIABLES];
	size_t variable_count;
	uint64_t super_blocks; /* the list's head */
	uint64_t devices; /* the superblock of all block devices */
	uint64_t directory; /* of sysfs; each device has it */
	char vmcoreinfo[256];
	/* What a reader meets. */
	struct kmem kmem;
	unsigned int reads;
	/* Called before the read of that number; 0: never. */
	void (*at_read)(struct fake_kernel *fake);
	unsigned int at;
	/* All reads from that number on fail with this errno; 0: none does. */
	unsigned int fail_from;
	int failure;
	/* Pages that a dump lacks: -ENODATA. */
	uint64_t missing[2];
	/* What the readers take; see fake_kernel_open(). */
	struct kernel kernel;
};

/* One for each seed, the oldest first. */
extern const char *const fake_kernels[4];

/* A kernel without any filesystem but that of its devices, which has none. */
void fake_kernel_init(struct fake_kernel *fake, const char *seed);
void fake_kernel_deinit(struct fake_kernel *fake);

/*
 * Sets @fake->kernel, as the opening of a kernel does: it exports the
 * variables, and one of them leads to the devices.
 */
void fake_kernel_open(struct fake_kernel *fake, bool is_live);

/*
 * Writes the memory as a file that is both a /proc/kcore and a dump, at @path
 * in @tree.
 */
void fake_kernel_write(struct fake_kernel *fake, const struct tree *tree,
		       const char *path);

/* Zeroed bytes on the heap. */
uint64_t fake_alloc(struct fake_kernel *fake, size_t size);
/* The address of a new exported variable. */
uint64_t fake_variable(struct fake_kernel *fake, const char *name, size_t size);

void fake_put(struct fake_kernel *fake, uint64_t address, const void *data,
	      size_t size);
void fake_put_word(struct fake_kernel *fake, uint64_t address, uint64_t word);
void fake_put_half(struct fake_kernel *fake, uint64_t address, uint32_t half);
uint64_t fake_word(const struct fake_kernel *fake, uint64_t address);

/* The size of a struct, and where in it a member is, in bytes. */
uint32_t fake_size(const struct fake_kernel *fake, const char *name);
uint32_t fake_member(const struct fake_kernel *fake, const char *name,
		     const char *member);

struct fake_superblock {
	const char *type;
	const char *id;
	unsigned int major;
	unsigned int minor;
	uint64_t magic;
	uint64_t flags;
};

/* Adds it at the end of the list. Returns its address. */
uint64_t fake_add_superblock(struct fake_kernel *fake,
			     const struct fake_superblock *superblock);

/* Adds a regular file without pages. Returns the address of the inode. */
uint64_t fake_add_inode(struct fake_kernel *fake, uint64_t superblock,
			uint64_t ino);

/* Adds a device. Returns the address of its inode. */
uint64_t fake_add_device(struct fake_kernel *fake, unsigned int major,
			 unsigned int minor, const char *name);

/* The pages of an inode. Dirty ones come first, then those in writeback. */
struct fake_pages {
	uint64_t count; /* up to 4,096 */
	uint64_t dirty;
	uint64_t writeback;
	uint64_t charge; /* what struct page says */
};

/*
 * Puts pages into an inode that has none. Returns the address of the first
 * struct page.
 */
uint64_t fake_fill(struct fake_kernel *fake, uint64_t inode,
		   const struct fake_pages *pages);

/* The address of the inode's mapping, and of what leads to its pages. */
uint64_t fake_mapping(const struct fake_kernel *fake, uint64_t inode);
uint64_t fake_tree_head(const struct fake_kernel *fake, uint64_t inode);

/*
 * Gives the inode a name in @parent, a dentry; 0: it is the root. Returns the
 * address of the dentry.
 */
uint64_t fake_add_name(struct fake_kernel *fake, uint64_t inode,
		       uint64_t parent, const char *name);

struct fake_cgroup {
	uint64_t directory; /* its kernfs_node */
	uint64_t memcg;
};

/* @parent: NULL for the root. */
struct fake_cgroup fake_add_cgroup(struct fake_kernel *fake,
				   const struct fake_cgroup *parent,
				   const char *name, uint64_t id);

#endif
