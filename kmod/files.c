// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of one filesystem that have the most pages: BUFSTAT_IOC_FILES.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "bufstat.h"
#include "compat.h"
#include "walk.h"

/* Names of one inode that are looked at: some microseconds. */
#define ALIASES_MOST 256

struct top_file {
	u64 ino;
	u64 pages;
	u64 size_bytes;
	u32 mode;
	u32 about;
	u32 links;
	u32 wb_err;
	u32 dirty;
	u32 writeback;
	char *path; /* or NULL */
};

/* A heap. The file with the fewest pages is on top and is replaced first. */
struct top_files {
	struct bufstat_walk walk;
	struct bufstat_file *row; /* buffer for a path, later for one row */
	unsigned int capacity;
	unsigned int count;
	struct top_file *files;
};

static void move_down(struct top_files *top)
{
	struct top_file *files = top->files;
	unsigned int at = 0, child;

	while ((child = 2 * at + 1) < top->count) {
		if (child + 1 < top->count &&
		    files[child + 1].pages < files[child].pages)
			child++;
		if (files[at].pages <= files[child].pages)
			return;
		swap(files[at], files[child]);
		at = child;
	}
}

static void move_up(struct top_files *top)
{
	struct top_file *files = top->files;
	unsigned int at = top->count - 1, parent;

	for (; at; at = parent) {
		parent = (at - 1) / 2;
		if (files[parent].pages <= files[at].pages)
			return;
		swap(files[parent], files[at]);
	}
}

/* Adds @file, in place of the smallest if the heap is full. Owns its path. */
static void add_file(struct top_files *top, const struct top_file *file)
{
	if (top->count < top->capacity) {
		top->files[top->count++] = *file;
		move_up(top);
	} else {
		kfree(top->files[0].path);
		top->files[0] = *file;
		move_down(top);
	}
	if (top->count == top->capacity)
		top->walk.more_than_pages = top->files[0].pages;
}

/* The caller's i_lock keeps the alias; d_lock keeps its name. */
static void copy_name(struct dentry *alias, char *name, size_t size)
{
	size_t length;

	spin_lock(&alias->d_lock);
	length = min_t(size_t, alias->d_name.len, size - 1);
	memcpy(name, alias->d_name.name, length);
	name[length] = '\0';
	spin_unlock(&alias->d_lock);
}

/* Whether a lookup finds it or it is the root. That may change at once. */
static bool leads_somewhere(const struct dentry *dentry)
{
	return READ_ONCE(dentry->d_hash.pprev) ||
	       READ_ONCE(dentry->d_parent) == dentry;
}

/*
 * An alias that leads somewhere, else any. i_lock keeps it, and others wait for
 * that. So if very many links were removed that are still open, one that leads
 * somewhere may go unfound behind them.
 */
static struct dentry *best_alias(struct inode *inode)
{
	struct dentry *dentry, *any = NULL;
	unsigned int looks = 0;

	for_each_alias(dentry, inode) {
		if (leads_somewhere(dentry))
			return dentry;
		any = any ?: dentry;
		if (++looks == ALIASES_MOST)
			break;
	}
	return any;
}

/*
 * Sets *@name, in @text, to the path of a pinned inode from the root of its
 * filesystem. If no path leads to it any more, or the path does not fit, sets
 * it to the inode's last name. Returns BUFSTAT_FILE_HAS_*, or 0 if no name is
 * known, as for a filesystem's internal inodes.
 *
 * Takes no reference to the dentry, because it could become the last one.
 * i_lock keeps the dentry with this inode, and a dentry keeps its parents.
 * dentry_path_raw() notices a concurrent rename(2) and repeats.
 */
static u32 find_name(struct inode *inode, char *text, size_t size,
		     const char **name)
{
	struct dentry *alias;
	u32 about = 0;

	rcu_read_lock();
	spin_lock(&inode->i_lock);
	alias = best_alias(inode);
	if (alias && leads_somewhere(alias) && READ_ONCE(inode->i_nlink)) {
		*name = dentry_path_raw(alias, text, size);
		about = IS_ERR(*name) ? 0 : BUFSTAT_FILE_HAS_PATH;
	}
	if (alias && !about) {
		copy_name(alias, text, size);
		*name = text;
		about = *text ? BUFSTAT_FILE_HAS_NAME : 0;
	}
	spin_unlock(&inode->i_lock);
	rcu_read_unlock();
	return about;
}

/* Adds what is known of an inode's writes. It is pinned. */
static int add_writes(struct top_file *file, struct inode *inode)
{
	s64 dirty, writeback;
	int ret;

	file->wb_err = compat_write_error(&inode->i_data);
	file->about |= BUFSTAT_FILE_HAS_WB_ERR;
	if (!COMPAT_HAS_XARRAY)
		return 0;
	ret = bufstat_count_tagged(&inode->i_data, &dirty, &writeback);
	if (ret)
		return ret;
	file->dirty = min_t(s64, dirty, U32_MAX);
	file->writeback = min_t(s64, writeback, U32_MAX);
	file->about |= BUFSTAT_FILE_HAS_DIRTY;
	return 0;
}

static int add_catch(struct bufstat_walk *walk, struct bufstat_catch *found)
{
	struct top_files *top = container_of(walk, struct top_files, walk);
	struct top_file file = {
		.ino = found->ino,
		.pages = found->pages,
		.size_bytes = found->size_bytes,
		.mode = found->mode,
		.links = found->links,
	};
	const char *name = NULL;
	u32 named = 0;
	int ret;

	/* The smallest file in the heap may be larger by now. */
	if (top->count == top->capacity && file.pages <= top->files[0].pages)
		return 0;
	if (!found->links)
		file.about |= BUFSTAT_FILE_DELETED;
	if (found->inode) {
		ret = add_writes(&file, found->inode);
		if (ret)
			return ret;
		named = find_name(found->inode, (char *)top->row->path,
				  sizeof(top->row->path), &name);
	}
	if (named) {
		file.about |= named;
		file.path = kstrdup(name, GFP_KERNEL_ACCOUNT);
		if (!file.path)
			return -ENOMEM;
	}
	add_file(top, &file);
	return 0;
}

static int write_row(const struct top_files *top, u64 rows, unsigned int place)
{
	const struct top_file *file = &top->files[0];
	struct bufstat_file *row = top->row;
	struct bufstat_file __user *to = u64_to_user_ptr(rows);

	memset(row, 0, sizeof(*row));
	row->ino = file->ino;
	row->pages = file->pages;
	row->size_bytes = file->size_bytes;
	row->mode = file->mode;
	row->about = file->about;
	row->links = file->links;
	row->wb_err = file->wb_err;
	row->dirty_pages = file->dirty;
	row->writeback_pages = file->writeback;
	if (file->path)
		strscpy((char *)row->path, file->path, sizeof(row->path));
	return copy_to_user(&to[place], row, sizeof(*row)) ? -EFAULT : 0;
}

/* The smallest is on top of the heap, so rows are written last to first. */
static int write_rows(struct top_files *top, u64 rows)
{
	int ret = 0;

	while (!ret && top->count) {
		ret = write_row(top, rows, top->count - 1);
		kfree(top->files[0].path);
		top->files[0] = top->files[--top->count];
		move_down(top);
		cond_resched();
	}
	return ret;
}

static int top_files_init(struct top_files *top, unsigned int capacity)
{
	*top = (struct top_files){
		.walk = { .visit = add_catch },
		.capacity = capacity,
	};
	top->row = kvmalloc(sizeof(*top->row), GFP_KERNEL_ACCOUNT);
	top->files = kvmalloc_array(capacity, sizeof(*top->files),
				    GFP_KERNEL_ACCOUNT);
	return top->row && top->files ? 0 : -ENOMEM;
}

static void top_files_deinit(struct top_files *top)
{
	while (top->count)
		kfree(top->files[--top->count].path);
	kvfree(top->files);
	kvfree(top->row);
}

static int list_files(struct bufstat_files *request, struct file *file)
{
	const struct super_block *sb = bufstat_filesystem_sb(file);
	struct top_files top;
	int ret = top_files_init(&top, request->capacity);

	top.walk.file = file;
	top.walk.one = request->flags & BUFSTAT_FILES_ONE;
	if (!ret)
		ret = bufstat_walk_run(&top.walk);
	request->count = top.count;
	if (!ret)
		ret = write_rows(&top, request->rows);
	request->major = MAJOR(sb->s_dev);
	request->minor = MINOR(sb->s_dev);
	request->about = bufstat_filesystem_about(file);
	if (top.walk.one)
		request->about |= BUFSTAT_FS_ONE_FILE;
	request->inodes = top.walk.inodes;
	request->pages = top.walk.pages;
	request->with_pages = top.walk.with_pages;
	request->missed = top.walk.missed;
	top_files_deinit(&top);
	return ret;
}

int bufstat_files(struct bufstat_files *request)
{
	struct file *file = bufstat_filesystem_get(request->fd);
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = list_files(request, file);
	fput(file);
	return ret;
}
