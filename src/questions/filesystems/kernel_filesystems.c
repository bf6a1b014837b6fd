// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "filesystems/all_mounts.h"
#include "filesystems/kernel_filesystems.h"
#include "filesystems/kernel_tags.h"
#include "filesystems/measured_filesystems.h"
#include "kernel/inodes.h"
#include "kernel/kernel.h"
#include "kernel/kmem.h"
#include "kernel/page_tags.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "worker/ask.h"
#include "worker/patience.h"

/*
 * While 500 filesystems are mounted and unmounted, one reading of the list in
 * 200 needs a second attempt.
 */
#define LIST_ATTEMPTS 20
#define LIST_PAUSE_NS 1000000
/* For each filesystem. With resyncs, hardly any needs a second attempt. */
#define WALK_ATTEMPTS 3

struct measuring {
	struct filesystems *all;
	const struct all_mounts *mounts;
	const struct kernel *kernel;
	uint64_t pages; /* of all filesystems so far */
	struct kernel_filesystems found;
	struct kernel_tags tags;
};

/* What one filesystem has. */
struct figures {
	struct inode_sums sums;
	uint64_t unevictable;
	bool is_mapped; /* some process maps them: may be mlocked */
	struct page_tree *trees; /* those with tagged pages */
	size_t count;
	size_t capacity;
};

int kernel_filesystems_init(struct kernel_filesystems *found,
			    const struct kernel *kernel, struct error *err)
{
	const struct timespec pause = { .tv_nsec = LIST_PAUSE_NS };
	int attempts = LIST_ATTEMPTS, ret;

	*found = (struct kernel_filesystems){ 0 };
	ret = fs_layout_init(&found->layout, &kernel->btf, err);
	if (ret < 0)
		return ret;
	while ((ret = superblocks_read(&found->superblocks, kernel->kmem,
				       &found->layout, kernel->superblock,
				       kernel->root.symbol, err)) == -EAGAIN &&
	       --attempts)
		nanosleep(&pause, NULL);
	return ret;
}

void kernel_filesystems_deinit(struct kernel_filesystems *found)
{
	superblocks_deinit(&found->superblocks);
}

static bool is_own_tmpfs(const struct superblock *superblock)
{
	return superblock->magic == TMPFS_MAGIC &&
	       superblock->flags & SUPERBLOCK_NOUSER;
}

/* Only the first is the kernel's own; a graphics driver may have another. */
static bool is_first_own(const struct kernel_filesystems *found, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (is_own_tmpfs(&found->superblocks.list[i]))
			return false;
	}
	return true;
}

enum superblock_kind
kernel_filesystems_kind(const struct kernel_filesystems *found,
			const struct kernel *kernel,
			const struct all_mounts *mounts, size_t index,
			const struct mounted **mounted)
{
	const struct superblock *superblock = &found->superblocks.list[index];

	*mounted = NULL;
	if (superblock->address == kernel->superblock ||
	    superblock->magic == HUGETLBFS_MAGIC ||
	    !fs_type_has_pages(superblock->type))
		return SUPERBLOCK_OTHER;
	if (is_own_tmpfs(superblock) && is_first_own(found, index))
		return SUPERBLOCK_OWN;
	*mounted = all_mounts_find(mounts, superblock_major(superblock),
				   superblock_minor(superblock));
	return *mounted ? SUPERBLOCK_MOUNTED : SUPERBLOCK_UNMOUNTED;
}

/* The data of visit(). */
struct walk {
	struct inode_sums *sums;
	inode_visit_fn *visit;
	void *data;
};

static int visit(void *data, const struct inode *inode, struct error *err)
{
	const struct walk *walk = data;
	struct inode_sums *sums = walk->sums;

	sums->inodes++;
	if (!inode->pages)
		return 0;
	if (__builtin_add_overflow(sums->pages, inode->pages, &sums->pages) ||
	    sums->pages > INODES_MOST_PAGES)
		return error_set(err, EBADMSG, "an impossible number of pages");
	return walk->visit(walk->data, inode, err);
}

static void explain(struct inode_sums *sums, int ret, size_t lost,
		    const struct error *err)
{
	char text[ERROR_TEXT_SIZE];

	sums->is_late = ret == -ETIMEDOUT;
	if (sums->is_late)
		snprintf(sums->why, sizeof(sums->why), PATIENCE_OVER);
	else if (ret < 0)
		snprintf(sums->why, sizeof(sums->why), "%.*s",
			 (int)sizeof(sums->why) - 1,
			 error_text_without_remedy(err, text));
	else if (lost)
		snprintf(sums->why, sizeof(sums->why),
			 "%s not in the dump, so it may have more",
			 lost == 1 ? "1 inode is" : "2 or more inodes are");
}

int kernel_filesystems_walk(const struct kernel_filesystems *found,
			    const struct kernel *kernel, size_t index,
			    const char *where, void (*begin)(void *data),
			    inode_visit_fn *visit_one, void *data,
			    struct inode_sums *sums)
{
	const char *about = patience_set_about(kernel->patience, where);
	struct walk walk = { sums, visit_one, data };
	int attempts = WALK_ATTEMPTS, ret;
	struct error err;
	size_t lost;

	do {
		begin(data);
		*sums = (struct inode_sums){ 0 };
		ret = inodes_walk(kernel->kmem, &found->layout,
				  found->superblocks.list[index].address, visit,
				  &walk, &lost, &err);
	} while (ret == -EAGAIN && --attempts);
	explain(sums, ret, lost, &err);
	patience_set_about(kernel->patience, about);
	return ret;
}

static int add_tree(struct figures *figures, const struct page_tree *tree)
{
	if (array_make_room(&figures->trees, figures->count,
			    &figures->capacity) < 0)
		return -ENOMEM;
	figures->trees[figures->count++] = *tree;
	return 0;
}

static void begin_figures(void *data)
{
	struct figures *figures = data;

	figures->count = 0;
	figures->unevictable = 0;
	figures->is_mapped = false;
}

static int add_inode(void *data, const struct inode *inode, struct error *err)
{
	struct figures *figures = data;

	if (inode->is_unevictable)
		figures->unevictable += inode->pages;
	else
		figures->is_mapped |= inode->is_mapped;
	if (page_tree_is_tagged(&inode->tree) &&
	    add_tree(figures, &inode->tree) < 0)
		return error_errno(err, ENOMEM, NULL, NULL);
	return 0;
}

/* Sets dirty and writeback pages, unless those of any inode are unknown. */
static void count_tags(struct measuring *measuring, struct figures *figures,
		       struct filesystem *filesystem)
{
	uint64_t dirty = 0, writeback = 0;

	kernel_tags_count(&measuring->tags, measuring->kernel, figures->trees,
			  figures->count);
	for (size_t i = 0; i < figures->count; i++) {
		dirty += figures->trees[i].dirty;
		writeback += figures->trees[i].writeback;
		filesystem->uncounted += !figures->trees[i].has_tags;
	}
	if (filesystem->uncounted)
		return;
	sample_set(&filesystem->sample, FIGURE_DIRTY, dirty);
	sample_set(&filesystem->sample, FIGURE_WRITEBACK, writeback);
}

/* If a dump lacks some inodes, the pages of the others are still worth it. */
static void set_figures(struct measuring *measuring,
			const struct superblock *superblock,
			struct figures *figures, struct filesystem *filesystem)
{
	const struct inode_sums *sums = &figures->sums;
	bool is_shmem = superblock->magic == TMPFS_MAGIC;

	sample_set(&filesystem->sample, FIGURE_PAGES, sums->pages);
	filesystem->is_shmem = is_shmem;
	filesystem->keeps_pages = is_shmem || superblock->magic == RAMFS_MAGIC;
	if (*sums->why)
		return;
	filesystem->inodes = sums->inodes;
	filesystem->unevictable = figures->unevictable;
	/* Only a page itself tells whether it is mlocked. */
	filesystem->has_unevictable = !figures->is_mapped;
	count_tags(measuring, figures, filesystem);
}

/* Fills in the row of a walk that returned @ret. */
static int fill_row(struct measuring *measuring, struct filesystem *filesystem,
		    const struct superblock *superblock,
		    struct figures *figures, int ret)
{
	const struct inode_sums *sums = &figures->sums;

	if (!ret && measuring->pages + sums->pages > INODES_MOST_PAGES)
		return filesystem_refuse(filesystem,
					 "more pages than there can be", false);
	if (!ret) {
		set_figures(measuring, superblock, figures, filesystem);
		measuring->pages += sums->pages;
	}
	return *sums->why ?
		       filesystem_refuse(filesystem, sums->why, sums->is_late) :
		       0;
}

/* A dump does not tell. The kernel's own filesystems are not for mounting. */
static bool may_be_mounted(const struct measuring *measuring,
			   const struct superblock *superblock)
{
	return !measuring->kernel->is_live &&
	       !(superblock->flags & SUPERBLOCK_NOUSER);
}

static struct filesystem *add_unmounted(struct filesystems *all,
					const struct superblock *superblock)
{
	struct filesystem *filesystem =
		filesystems_add(all, superblock_major(superblock),
				superblock_minor(superblock));

	return filesystem && filesystem_name(filesystem, superblock->id,
					     superblock->type) == 0 ?
		       filesystem :
		       NULL;
}

static int measure_one(struct measuring *measuring, size_t index)
{
	const struct superblock *superblock =
		&measuring->found.superblocks.list[index];
	struct filesystems *all = measuring->all;
	const struct mounted *mounted;
	enum superblock_kind kind =
		kernel_filesystems_kind(&measuring->found, measuring->kernel,
					measuring->mounts, index, &mounted);
	struct figures figures = { .trees = NULL };
	struct filesystem *filesystem;
	int ret;

	if (kind == SUPERBLOCK_OTHER)
		return 0;
	ret = kernel_filesystems_walk(
		&measuring->found, measuring->kernel, index,
		mounted ? mounted->mountpoints.strings[0] : superblock->id,
		begin_figures, add_inode, &figures, &figures.sums);
	if (ret == -ENOMEM ||
	    (kind == SUPERBLOCK_UNMOUNTED && !*figures.sums.why &&
	     !figures.sums.pages && !may_be_mounted(measuring, superblock))) {
		free(figures.trees);
		return ret;
	}
	filesystem = mounted ?
			     filesystems_add_mounted(all, mounted) :
		     kind == SUPERBLOCK_UNMOUNTED ?
			     add_unmounted(all, superblock) :
			     filesystems_add(all, superblock_major(superblock),
					     superblock_minor(superblock));
	if (filesystem) {
		/* A dump does not say whether a filesystem is mounted. */
		filesystem->is_unmounted = kind == SUPERBLOCK_UNMOUNTED &&
					   measuring->kernel->is_live;
		ret = fill_row(measuring, filesystem, superblock, &figures,
			       ret);
	} else {
		ret = -ENOMEM;
	}
	free(figures.trees);
	return ret;
}

static bool has_row(const struct filesystems *all,
		    const struct mounted *mounted)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];

		if (filesystem->source &&
		    filesystem->sample.major == mounted->major &&
		    filesystem->sample.minor == mounted->minor)
			return true;
	}
	return false;
}

/*
 * Adds rows for mounts whose filesystem was no longer on the list, or whose
 * list was not read in time.
 */
static int add_missing(struct filesystems *all, const struct all_mounts *mounts,
		       bool in_time)
{
	for (size_t i = 0; i < mounts->count; i++) {
		const struct mounted *mounted = &mounts->mounts[i];
		struct filesystem *filesystem;

		if (has_row(all, mounted) ||
		    strcmp(mounted->type, "hugetlbfs") == 0)
			continue;
		filesystem = filesystems_add_mounted(all, mounted);
		if (!filesystem ||
		    filesystem_refuse(filesystem,
				      in_time ? "unmounted meanwhile" :
						PATIENCE_OVER,
				      !in_time) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Adds rows for filesystems that a dump lacks. Nothing else is known. */
static int add_lost(struct filesystems *all, size_t lost)
{
	static const struct superblock nothing = { .id = "[not in the dump]" };
	int ret = 0;

	for (size_t i = 0; !ret && i < lost; i++) {
		struct filesystem *filesystem = add_unmounted(all, &nothing);

		ret = filesystem ? filesystem_refuse(filesystem,
						     kmem_strerror(-ENODATA),
						     false) :
				   -ENOMEM;
	}
	return ret;
}

static int measure_all(struct measuring *measuring, bool in_time)
{
	const struct superblocks *superblocks = &measuring->found.superblocks;
	int ret = 0;

	for (size_t i = 0; !ret && i < superblocks->count; i++)
		ret = measure_one(measuring, i);
	if (!ret)
		ret = add_missing(measuring->all, measuring->mounts, in_time);
	return ret ?: add_lost(measuring->all, superblocks->lost);
}

int kernel_filesystems_measure(struct filesystems *all,
			       const struct all_mounts *mounts,
			       const struct kernel *kernel, struct error *err)
{
	struct measuring measuring = {
		.all = all,
		.mounts = mounts,
		.kernel = kernel,
	};
	int ret = kernel_filesystems_init(&measuring.found, kernel, err);
	bool in_time = ret != -ETIMEDOUT || !mounts->count;

	if ((!ret || !in_time) && measure_all(&measuring, in_time) < 0)
		ret = error_errno(err, ENOMEM, "measuring", "the filesystems");
	else if (!in_time)
		ret = 0;
	kernel_tags_deinit(&measuring.tags);
	kernel_filesystems_deinit(&measuring.found);
	return ret;
}
