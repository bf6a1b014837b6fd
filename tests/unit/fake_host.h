/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host whose kernel has some filesystems, devices and cgroups, all small. */
#ifndef BUFSTAT_TESTS_FAKE_HOST_H
#define BUFSTAT_TESTS_FAKE_HOST_H

#include <errno.h>
#include <linux/magic.h>

#include "fake_kernel.h"
#include "filesystems/all_mounts.h"
#include "kernel/superblocks.h"
#include "test.h"
#include "tree.h"

#define HOST_MOUNTS                                                            \
	"21 1 254:0 / / rw - ext4 /dev/vda rw\n"                               \
	"22 21 254:16 / /srv rw - xfs /dev/vdb rw\n"                           \
	"23 21 0:30 / /run rw - tmpfs run rw\n"                                \
	"24 21 0:31 / /huge rw - hugetlbfs huge rw\n"                          \
	"25 21 0:4 / /proc rw - proc proc rw\n"

/* The files with pages. */
enum {
	HOST_BIG, /* ext4: 200 pages, 70 dirty, 30 in writeback */
	HOST_SMALL, /* ext4: one dirty page */
	HOST_GONE, /* ext4: removed, open and mapped, 5 pages */
	HOST_DATA, /* xfs: 64 pages, the last write failed */
	HOST_MEMFD, /* the kernel's own tmpfs, without a link: 10 pages */
	HOST_LOCKED, /* a mounted tmpfs: 3 pages that reclaim leaves alone */
	HOST_HUGE, /* hugetlbfs: 512 pages, which are not in Cached */
	HOST_LEFT, /* an ext4 without a mount point: 7 pages */
	HOST_FILES
};

#define HOST_EXT4_PAGES (200 + 1 + 5)
#define HOST_EMPTY 100 /* inodes of ext4 without pages, around the others */

struct fake_host {
	struct fake_kernel fake;
	uint64_t ext4, xfs, own, run, huge, proc, left, unused;
	uint64_t files[HOST_FILES];
	uint64_t vda, vdb; /* inodes of the devices: 20 and 100 pages */
	uint64_t root, log; /* dentries of ext4: / and /log */
	struct fake_cgroup top, slice, service, old;
};

static inline void fake_host_add_filesystems(struct fake_host *host)
{
	static const struct fake_superblock filesystems[] = {
		{ "tmpfs", "tmpfs", 0, 1, TMPFS_MAGIC, SUPERBLOCK_NOUSER },
		{ "proc", "proc", 0, 4, PROC_SUPER_MAGIC, 0 },
		{ "ext4", "vda", 254, 0, EXT4_SUPER_MAGIC, 0 },
		{ "xfs", "vdb", 254, 16, XFS_SUPER_MAGIC, 0 },
		{ "tmpfs", "run", 0, 30, TMPFS_MAGIC, 0 },
		{ "hugetlbfs", "huge", 0, 31, HUGETLBFS_MAGIC, 0 },
		{ "ext4", "vdc", 254, 32, EXT4_SUPER_MAGIC, 0 },
		{ "ext4", "vdd", 254, 48, EXT4_SUPER_MAGIC, 0 },
	};
	uint64_t *const places[] = { &host->own,  &host->proc,	&host->ext4,
				     &host->xfs,  &host->run,	&host->huge,
				     &host->left, &host->unused };

	for (size_t i = 0; i < COUNT_OF(filesystems); i++)
		*places[i] = fake_add_superblock(&host->fake, &filesystems[i]);
}

static inline void fake_host_add_cgroups(struct fake_host *host)
{
	struct fake_kernel *fake = &host->fake;

	host->top = fake_add_cgroup(fake, NULL, "", 1);
	host->slice = fake_add_cgroup(fake, &host->top, "system.slice", 10);
	host->service = fake_add_cgroup(fake, &host->slice, "db.service", 11);
	host->old = fake_add_cgroup(fake, &host->top, "old", 12);
	fake_put_half(fake,
		      host->old.memcg + fake->memcg.offset[MEMCG_CSS_FLAGS], 0);
}

static inline void fake_host_add_files(struct fake_host *host)
{
	const struct {
		uint64_t superblock;
		uint64_t ino;
		struct fake_pages pages;
	} files[HOST_FILES] = {
		[HOST_BIG] = { host->ext4,
			       1001,
			       { 200, 70, 30, host->service.memcg } },
		[HOST_SMALL] = { host->ext4, 1002, { 1, 1, 0, 0 } },
		[HOST_GONE] = { host->ext4, 1003, { 5, 0, 0, host->old.memcg } },
		[HOST_DATA] = { host->xfs,
				2001,
				{ 64, 0, 0, host->slice.memcg } },
		[HOST_MEMFD] = { host->own,
				 3001,
				 { 10, 0, 0, host->service.memcg } },
		[HOST_LOCKED] = { host->run,
				  4001,
				  { 3, 0, 0, host->top.memcg } },
		[HOST_HUGE] = { host->huge, 5001, { 512, 0, 0, 0 } },
		[HOST_LEFT] = { host->left, 6001, { 7, 2, 0, host->top.memcg } },
	};

	for (size_t i = 0; i < HOST_FILES; i++) {
		for (uint64_t j = 0; i <= HOST_GONE && j < HOST_EMPTY / 4; j++)
			fake_add_inode(&host->fake, host->ext4,
				       10000 + i * HOST_EMPTY + j);
		host->files[i] = fake_add_inode(
			&host->fake, files[i].superblock, files[i].ino);
		fake_fill(&host->fake, host->files[i], &files[i].pages);
	}
	for (uint64_t j = 0; j < HOST_EMPTY / 4; j++)
		fake_add_inode(&host->fake, host->ext4, 20000 + j);
}

static inline void fake_host_set_members(struct fake_host *host)
{
	struct fake_kernel *fake = &host->fake;
	const uint32_t *offset = fake->fs.offset;
	uint64_t gone = host->files[HOST_GONE];

	fake_put_half(fake, gone + offset[FS_INODE_LINKS], 0);
	fake_put_half(fake, host->files[HOST_MEMFD] + offset[FS_INODE_LINKS],
		      0);
	fake_put_word(fake,
		      fake_mapping(fake, gone) + offset[FS_MAPPING_MAPPED],
		      FAKE_HEAP);
	fake_put_half(fake,
		      fake_mapping(fake, host->files[HOST_DATA]) +
			      offset[FS_MAPPING_WRITE_ERROR],
		      EIO);
	fake_put_word(fake,
		      fake_mapping(fake, host->files[HOST_LOCKED]) +
			      offset[FS_MAPPING_FLAGS],
		      1 << 3);
	fake_put_word(fake, host->files[HOST_BIG] + offset[FS_INODE_SIZE],
		      819200);
}

static inline void fake_host_add_names(struct fake_host *host)
{
	struct fake_kernel *fake = &host->fake;
	uint64_t ext4 = fake_add_inode(fake, host->ext4, 2);
	uint64_t xfs = fake_add_inode(fake, host->xfs, 2);
	uint64_t log = fake_add_inode(fake, host->ext4, 3), top;

	host->root = fake_add_name(fake, ext4, 0, "/");
	host->log = fake_add_name(fake, log, host->root, "log");
	fake_add_name(fake, host->files[HOST_BIG], host->log, "big");
	fake_add_name(fake, host->files[HOST_SMALL], host->root, "small");
	fake_add_name(fake, host->files[HOST_GONE], host->root, "gone");
	top = fake_add_name(fake, xfs, 0, "/");
	fake_add_name(fake, host->files[HOST_DATA], top, "data");
	fake_add_name(fake, host->files[HOST_MEMFD], 0, "memfd:x");
}

/* Not opened yet (fake_kernel_open()). */
static inline void fake_host_init(struct fake_host *host, const char *seed)
{
	*host = (struct fake_host){ 0 };
	fake_kernel_init(&host->fake, seed);
	fake_host_add_filesystems(host);
	fake_host_add_cgroups(host);
	fake_host_add_files(host);
	fake_host_set_members(host);
	fake_host_add_names(host);
	host->vda = fake_add_device(&host->fake, 254, 0, "vda");
	host->vdb = fake_add_device(&host->fake, 254, 16, "vdb");
	fake_fill(&host->fake, host->vda,
		  &(struct fake_pages){ 20, 3, 0, host->top.memcg });
	fake_fill(&host->fake, host->vdb,
		  &(struct fake_pages){ 100, 0, 0, host->slice.memcg });
}

static inline void fake_host_deinit(struct fake_host *host)
{
	fake_kernel_deinit(&host->fake);
}

static inline void fake_host_read_mounts(struct all_mounts *mounts)
{
	struct sysroot root;
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "proc/self/mountinfo", HOST_MOUNTS);
	assert_int_equal(sysroot_init(&root, tree.path, NULL), 0);
	assert_int_equal(all_mounts_init(mounts, &root), 0);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

#endif
