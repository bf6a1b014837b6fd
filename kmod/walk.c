// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks the inodes of a filesystem as the kernel does in drop_caches: under
 * s_inode_list_lock, some at a time. Between two holds of the lock, a reference
 * to an inode keeps the place: the inode stays on the list while it is held.
 * s_umount is never taken: umount(2) may hold it for as long as the disk takes.
 *
 * A reference may turn out to be the last one, to a deleted file or to an
 * unused inode. late.c drops those.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "compat.h"
#include "late.h"
#include "walk.h"

/* Inodes in one hold of the lock: some 20 us on an emulated machine. */
#define HOLD_INODES 128
/* At least this many, even if somebody waits: the walk has to end. */
#define HOLD_INODES_LEAST 16
/* A catch takes as long as this many other inodes. */
#define CATCH_COST 4
#define CATCHES 32
/* Puts between two calls of make_room(): all catches, the old and new place. */
#define HOLD_PUTS (CATCHES + 2)
/* Last references that are dropped together. Their list fits in one page. */
#define LATE_INODES 480

/* Returns NULL if @inode is being evicted. */
static struct inode *pin(struct inode *inode)
{
	if (compat_inode_state(inode) & (I_FREEING | I_WILL_FREE))
		return NULL;
	return igrab(inode);
}

static void catch_inode(struct bufstat_walk *walk, struct inode *inode,
			unsigned long pages)
{
	struct bufstat_catch *found;

	if (walk->caught == CATCHES) {
		walk->missed++;
		return;
	}
	found = &walk->catches[walk->caught++];
	found->inode = pin(inode);
	found->ino = inode->i_ino;
	found->pages = pages;
	found->size_bytes = i_size_read(inode);
	found->mode = READ_ONCE(inode->i_mode);
	found->links = READ_ONCE(inode->i_nlink);
}

static bool is_wanted(const struct bufstat_walk *walk, struct inode *inode,
		      unsigned long pages)
{
	return pages > walk->more_than_pages ||
	       (walk->tagged && compat_is_tagged(&inode->i_data)) ||
	       (walk->mapped && compat_is_mapped(&inode->i_data));
}

/*
 * Uses i_data, because a device node's i_mapping is the block device's. The
 * mapping of a DAX file has the device's own pages, not page cache; nrpages
 * counts them since 5.13 ("dax: account DAX entries as nrpages").
 *
 * Inline, because a hold of the lock does little else.
 */
static __always_inline bool meet(struct bufstat_walk *walk, struct inode *inode)
{
	unsigned long pages = READ_ONCE(inode->i_data.nrpages);

	walk->inodes++;
	if (!pages || READ_ONCE(inode->i_flags) & S_DAX)
		return false;
	walk->with_pages++;
	walk->pages += pages;
	if (mapping_unevictable(&inode->i_data))
		walk->unevictable += pages;
	if (!is_wanted(walk, inode, pages))
		return false;
	catch_inode(walk, inode, pages);
	return true;
}

static bool is_long_enough(const struct bufstat_walk *walk, unsigned int cost)
{
	if (cost >= HOLD_INODES || walk->caught == CATCHES)
		return true;
	return cost >= HOLD_INODES_LEAST &&
	       spin_is_contended(&walk->sb->s_inode_list_lock);
}

/*
 * One hold of the list lock. Starts after @place, or at the first inode if it
 * is NULL. Returns the last inode met, pinned, as the next place, or NULL at
 * the end of the list. An inode being evicted cannot be pinned, so the hold
 * goes on past it; under memory pressure the kernel evicts a thousand inodes at
 * a time. noinline, so that it can be traced.
 */
static noinline struct inode *bufstat_walk_hold(struct bufstat_walk *walk,
						struct inode *place)
{
	struct super_block *sb = walk->sb;
	struct list_head *at = place ? &place->i_sb_list : &sb->s_inodes;
	struct inode *next = NULL;
	unsigned int cost = 0;
	u64 start, took;

	spin_lock(&sb->s_inode_list_lock);
	start = ktime_get_ns();
	for (at = at->next; at != &sb->s_inodes; at = at->next) {
		struct inode *inode = list_entry(at, struct inode, i_sb_list);

		cost += meet(walk, inode) ? CATCH_COST : 1;
		if (!is_long_enough(walk, cost))
			continue;
		next = pin(inode);
		if (next)
			break;
	}
	took = ktime_get_ns() - start;
	spin_unlock(&sb->s_inode_list_lock);

	walk->holds++;
	walk->longest_hold_ns = max(walk->longest_hold_ns, took);
	return next;
}

/* Visits the catches and unpins all of them, even after an error. */
static int visit_catches(struct bufstat_walk *walk)
{
	int ret = 0;

	for (; walk->caught; walk->caught--) {
		struct bufstat_catch *found = &walk->catches[walk->caught - 1];

		if (!ret)
			ret = walk->visit(walk, found);
		bufstat_late_put(walk->late, found->inode);
		cond_resched();
	}
	return ret;
}

/* Makes room for HOLD_PUTS. If that fails, walk->late stays as it was. */
static int make_room(struct bufstat_walk *walk)
{
	struct bufstat_late *fresh;

	if (walk->late && bufstat_late_room(walk->late) >= HOLD_PUTS)
		return 0;
	fresh = bufstat_late_create(walk->sb, walk->file->f_path.mnt,
				    LATE_INODES);
	if (!fresh)
		return -ENOMEM;
	bufstat_late_finish(walk->late);
	walk->late = fresh;
	return 0;
}

static int walk_all(struct bufstat_walk *walk)
{
	struct inode *place = NULL;
	u64 start = ktime_get_ns();
	int ret;

	do {
		struct inode *next;

		ret = make_room(walk);
		if (ret)
			break;
		next = bufstat_walk_hold(walk, place);
		bufstat_late_put(walk->late, place);
		place = next;
		ret = visit_catches(walk);
		cond_resched();
		if (!ret && place && signal_pending(current))
			ret = -ERESTARTSYS;
	} while (!ret && place);
	bufstat_late_put(walk->late, place);
	bufstat_late_finish(walk->late);

	walk->walk_ns = ktime_get_ns() - start;
	return ret;
}

static int walk_one(struct bufstat_walk *walk)
{
	int ret = make_room(walk);

	if (ret)
		return ret;
	meet(walk, file_inode(walk->file));
	ret = visit_catches(walk);
	bufstat_late_finish(walk->late);
	return ret;
}

/*
 * Inodes of an overlay have no pages: those of the filesystems below do. With
 * its last reference such an inode drops one to an inode below, and may wait
 * because that filesystem is frozen, which the overlay's superblock does not
 * tell.
 */
static bool has_no_pages(const struct super_block *sb)
{
	return sb->s_magic == OVERLAYFS_SUPER_MAGIC;
}

/* A filesystem being walked. There are few, so a list will do. */
struct running {
	struct list_head list;
	const struct super_block *sb;
};

static LIST_HEAD(all_running);
static DEFINE_SPINLOCK(running_lock);
static DECLARE_WAIT_QUEUE_HEAD(running_wait);

static bool try_begin(struct running *running)
{
	struct running *other;
	bool free = true;

	spin_lock(&running_lock);
	list_for_each_entry(other, &all_running, list)
		free &= other->sb != running->sb;
	if (free)
		list_add(&running->list, &all_running);
	spin_unlock(&running_lock);
	return free;
}

static void end(struct running *running)
{
	spin_lock(&running_lock);
	list_del(&running->list);
	spin_unlock(&running_lock);
	wake_up_all(&running_wait);
}

/* Allocates only now, so that waiting callers hold no memory. */
static int walk_alone(struct bufstat_walk *walk)
{
	int ret;

	walk->catches = kvmalloc_array(CATCHES, sizeof(*walk->catches),
				       GFP_KERNEL_ACCOUNT);
	if (!walk->catches)
		return -ENOMEM;
	if (walk->one || bufstat_is_loose(walk->file))
		ret = walk_one(walk);
	else
		ret = walk_all(walk);
	kvfree(walk->catches);
	return ret;
}

/*
 * After -ERESTARTSYS the kernel restarts the call if no handler runs, as after
 * SIGCONT or a thaw, or if the handler has SA_RESTART. So nothing has been
 * written to the caller by then.
 */
int bufstat_walk_run(struct bufstat_walk *walk)
{
	struct running running = { .sb = bufstat_filesystem_sb(walk->file) };
	int ret;

	walk->sb = bufstat_filesystem_sb(walk->file);
	if (has_no_pages(walk->sb))
		return 0;
	ret = wait_event_interruptible(running_wait, try_begin(&running));
	if (ret)
		return ret;
	ret = walk_alone(walk);
	end(&running);
	return ret;
}
