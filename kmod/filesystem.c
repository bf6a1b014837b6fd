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
#include <linux/list.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/string.h>

#include "bufstat.h"
#include "compat.h"
#include "walk.h"

/*
 * Only the page itself knows that it is mlocked, so mapped pages are looked at
 * one by one. This limits them to 1 GiB of small pages, some 10 ms.
 */
#define MAPPED_ENTRIES_MOST (256 * 1024)

/* A walk and its sums. */
struct filesystem_walk {
	struct bufstat_walk walk;
	s64 dirty;
	s64 writeback;
	u64 uncounted; /* inodes */
	u64 mlocked; /* pages */
	u64 mapped_left; /* entries that may still be looked at */
	bool mlocked_is_whole;
};

struct super_block *bufstat_filesystem_sb(const struct file *file)
{
	return file->f_path.mnt->mnt_sb;
}

bool bufstat_is_loose(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return S_ISREG(inode->i_mode) && list_empty(&inode->i_sb_list);
}

u32 bufstat_filesystem_about(const struct file *file)
{
	const struct super_block *sb = bufstat_filesystem_sb(file);
	u32 about = 0;

	if (sb->s_magic == TMPFS_MAGIC)
		about |= BUFSTAT_FS_SHMEM;
	if (sb->s_flags & SB_NOUSER)
		about |= BUFSTAT_FS_INTERNAL;
	if (bufstat_is_loose(file))
		about |= BUFSTAT_FS_ONE_FILE;
	return about;
}

/*
 * The kernel's own pseudo filesystems have no page cache, except the internal
 * tmpfs of memfds and loose files. That of the block devices is Buffers. Cached
 * does not count huge pages at all.
 */
static bool is_in_cached(const struct file *file)
{
	const struct super_block *sb = bufstat_filesystem_sb(file);

	if (sb->s_magic == HUGETLBFS_MAGIC)
		return false;
	if (bufstat_is_loose(file))
		return READ_ONCE(file_inode(file)->i_data.nrpages);
	return sb->s_magic == TMPFS_MAGIC || !(sb->s_flags & SB_NOUSER);
}

struct file *bufstat_filesystem_get(int fd)
{
	struct file *file = fget_raw(fd);

	if (!file)
		return ERR_PTR(-EBADF);
	if (!is_in_cached(file)) {
		fput(file);
		return ERR_PTR(-EOPNOTSUPP);
	}
	return file;
}

static int add_tagged(struct filesystem_walk *sum,
		      struct address_space *mapping)
{
	s64 dirty, writeback;
	int ret = bufstat_count_tagged(mapping, &dirty, &writeback);

	if (ret)
		return ret;
	sum->dirty += dirty;
	sum->writeback += writeback;
	return 0;
}

/* meet() has already added up the pages of unevictable mappings. */
static int add_mlocked(struct filesystem_walk *sum,
		       struct address_space *mapping)
{
	int ret;

	if (!compat_is_mapped(mapping) || mapping_unevictable(mapping))
		return 0;
	ret = bufstat_count_mlocked(mapping, &sum->mapped_left, &sum->mlocked);
	if (ret != -E2BIG && ret != -ENODATA)
		return ret;
	sum->mlocked_is_whole = false;
	sum->walk.mapped = ret != -E2BIG;
	return 0;
}

static int add_catch(struct bufstat_walk *walk, struct bufstat_catch *found)
{
	struct filesystem_walk *sum =
		container_of(walk, struct filesystem_walk, walk);
	int ret = 0;

	if (!found->inode) {
		sum->uncounted++;
		return 0;
	}
	if (compat_is_tagged(&found->inode->i_data))
		ret = add_tagged(sum, &found->inode->i_data);
	if (!ret && walk->mapped)
		ret = add_mlocked(sum, &found->inode->i_data);
	return ret;
}

static void fill_answer(struct bufstat_filesystem *answer,
			const struct filesystem_walk *sum)
{
	const struct bufstat_walk *walk = &sum->walk;
	const struct super_block *sb = walk->sb;

	answer->about = bufstat_filesystem_about(walk->file) |
			BUFSTAT_FS_TELLS_ERRORS;
	answer->major = MAJOR(sb->s_dev);
	answer->minor = MINOR(sb->s_dev);
	answer->magic = sb->s_magic;
	answer->inodes = walk->inodes;
	answer->pages = walk->pages;
	answer->with_pages = walk->with_pages;
	if (COMPAT_HAS_XARRAY) {
		answer->about |= BUFSTAT_FS_HAS_DIRTY;
		answer->dirty_pages = sum->dirty;
		answer->writeback_pages = sum->writeback;
		answer->uncounted_inodes = sum->uncounted + walk->missed;
	}
	answer->unevictable_pages = walk->unevictable + sum->mlocked;
	if (sum->mlocked_is_whole && !walk->missed)
		answer->about |= BUFSTAT_FS_HAS_UNEVICTABLE;
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
			.mapped = COMPAT_HAS_XARRAY,
			.visit = add_catch,
		},
		.mapped_left = MAPPED_ENTRIES_MOST,
		.mlocked_is_whole = COMPAT_HAS_XARRAY,
	};
	int ret;

	sum.walk.file = bufstat_filesystem_get(request->fd);
	if (IS_ERR(sum.walk.file))
		return PTR_ERR(sum.walk.file);
	ret = bufstat_walk_run(&sum.walk);
	if (!ret)
		fill_answer(request, &sum);
	fput(sum.walk.file);
	return ret;
}
