// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page cache of one filesystem: BUFSTAT_IOC_FILESYSTEM.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/string.h>

#include "bufstat.h"
#include "compat.h"
#include "walk.h"

/* A walk and what it adds up. */
struct filesystem_walk {
	struct bufstat_walk walk;
	s64 dirty;
	s64 writeback;
	u64 uncounted; /* inodes */
};

struct super_block *bufstat_filesystem_sb(const struct file *file)
{
	return file->f_path.mnt->mnt_sb;
}

u32 bufstat_filesystem_about(const struct super_block *sb)
{
	u32 about = 0;

	if (sb->s_magic == TMPFS_MAGIC)
		about |= BUFSTAT_FS_SHMEM;
	if (sb->s_flags & SB_NOUSER)
		about |= BUFSTAT_FS_INTERNAL;
	return about;
}

/*
 * The kernel's own pseudo filesystems have no page cache, but for the one of
 * memfds; the block devices' is Buffers, and huge pages are not counted in
 * Cached at all.
 */
static bool is_in_cached(const struct super_block *sb)
{
	if (sb->s_magic == HUGETLBFS_MAGIC)
		return false;
	return sb->s_magic == TMPFS_MAGIC || !(sb->s_flags & SB_NOUSER);
}

struct file *bufstat_filesystem_get(int fd)
{
	struct file *file = fget_raw(fd);

	if (!file)
		return ERR_PTR(-EBADF);
	if (!is_in_cached(bufstat_filesystem_sb(file))) {
		fput(file);
		return ERR_PTR(-EOPNOTSUPP);
	}
	return file;
}

static int add_tagged(struct bufstat_walk *walk, struct bufstat_catch *found)
{
	struct filesystem_walk *sum =
		container_of(walk, struct filesystem_walk, walk);
	s64 dirty, writeback;
	int ret;

	if (!found->inode) {
		sum->uncounted++;
		return 0;
	}
	ret = bufstat_count_tagged(&found->inode->i_data, &dirty, &writeback);
	if (ret)
		return ret;
	sum->dirty += dirty;
	sum->writeback += writeback;
	return 0;
}

static void fill_answer(struct bufstat_filesystem *answer,
			const struct filesystem_walk *sum)
{
	const struct bufstat_walk *walk = &sum->walk;
	const struct super_block *sb = walk->sb;

	answer->about = bufstat_filesystem_about(sb);
	answer->major = MAJOR(sb->s_dev);
	answer->minor = MINOR(sb->s_dev);
	answer->magic = sb->s_magic;
	answer->inodes = walk->inodes;
	answer->pages = walk->pages;
	answer->with_pages = walk->with_pages;
	if (COMPAT_COUNTS_TAGGED) {
		answer->about |= BUFSTAT_FS_HAS_DIRTY;
		answer->dirty_pages = sum->dirty;
		answer->writeback_pages = sum->writeback;
		answer->uncounted_inodes = sum->uncounted + walk->missed;
	}
	answer->holds = walk->holds;
	answer->longest_hold_ns = walk->longest_hold_ns;
	answer->walk_ns = walk->walk_ns;
	strscpy(answer->type, sb->s_type->name, sizeof(answer->type));
	strscpy(answer->id, sb->s_id, sizeof(answer->id));
}

int bufstat_filesystem(struct bufstat_filesystem *request)
{
	struct filesystem_walk sum = {
		.walk = {
			.more_than_pages = ULONG_MAX,
			.tagged = true,
			.visit = add_tagged,
		},
	};
	struct file *file;
	int ret;

	file = bufstat_filesystem_get(request->fd);
	if (IS_ERR(file))
		return PTR_ERR(file);
	sum.walk.sb = bufstat_filesystem_sb(file);
	ret = bufstat_walk_run(&sum.walk);
	if (!ret)
		fill_answer(request, &sum);
	fput(file);
	return ret;
}
