// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walking the inodes of a filesystem as the kernel does in drop_caches: under
 * s_inode_list_lock, some at a time, with the place kept by a reference to an
 * inode, which stays on the list for as long as that is held. s_umount is never
 * taken: whoever unmounts may hold it for as long as the disk takes.
 *
 * The danger in a reference is to drop the last one: iput() would then do what
 * the last user ought to have done, and may wait for a disk or a frozen
 * filesystem. So a deleted file is never pinned, and nothing else whose last
 * iput() writes. A file that is deleted in the microseconds for which it is
 * pinned is left: what the kernel's own walkers live with too.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "bufstat.h"
#include "compat.h"
#include "walk.h"

/* Inodes in one hold of the lock: some 20 us where all is emulated. */
#define HOLD_INODES 128
/* And when somebody waits for it: so many, or the walk would never end. */
#define HOLD_INODES_LEAST 16
/* A catch takes as long as some of them. */
#define CATCH_COST 4
#define CATCHES 32
/* Where none of so many can be pinned, the walk is given up. */
#define HOLD_INODES_MOST 32768
/* Freeing no more than this is no work worth mentioning. */
#define LIGHT_PAGES 1024

static bool is_shmem(const struct super_block *sb)
{
	return sb->s_magic == TMPFS_MAGIC;
}

static bool is_harmless(struct inode *inode)
{
	const unsigned long harmful = I_NEW | I_FREEING | I_WILL_FREE |
				      I_DIRTY_TIME | COMPAT_I_DONTCACHE;

	return READ_ONCE(inode->i_nlink) &&
	       !(compat_inode_state(inode) & harmful);
}

/*
 * A reference to keep the place by, or NULL. memfds and System V segments are
 * all deleted files. In tmpfs the last iput() waits for nothing and only takes
 * its time for freeing the pages, so one with few will do; and any, when there
 * is no more room for catches.
 */
static struct inode *pin_place(const struct bufstat_walk *walk,
			       struct inode *inode)
{
	bool is_light = READ_ONCE(inode->i_data.nrpages) <= LIGHT_PAGES;

	if (!is_harmless(inode) &&
	    !(is_shmem(walk->sb) && (walk->caught == CATCHES || is_light)))
		return NULL;
	return igrab(inode);
}

/* Under i_lock the alias stays, and under d_lock its name. */
static void copy_name(struct inode *inode, char *name, size_t size)
{
	struct dentry *alias;
	size_t length;

	spin_lock(&inode->i_lock);
	alias = compat_first_alias(inode);
	if (alias) {
		spin_lock(&alias->d_lock);
		length = min_t(size_t, alias->d_name.len, size - 1);
		memcpy(name, alias->d_name.name, length);
		name[length] = '\0';
		spin_unlock(&alias->d_lock);
	}
	spin_unlock(&inode->i_lock);
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
	found->ino = inode->i_ino;
	found->pages = pages;
	found->size_bytes = i_size_read(inode);
	found->mode = READ_ONCE(inode->i_mode);
	found->links = READ_ONCE(inode->i_nlink);
	found->name[0] = '\0';
	found->inode = is_harmless(inode) ? igrab(inode) : NULL;
	if (!found->inode)
		copy_name(inode, found->name, sizeof(found->name));
}

/* i_data, not i_mapping: that of a device node is the block device's. */
static bool meet(struct bufstat_walk *walk, struct inode *inode)
{
	unsigned long pages = READ_ONCE(inode->i_data.nrpages);

	walk->inodes++;
	if (!pages)
		return false;
	walk->with_pages++;
	walk->pages += pages;
	if (pages <= walk->more_than_pages &&
	    !(walk->tagged && bufstat_is_tagged(&inode->i_data)))
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
 * One hold of the list lock, from behind @place, which NULL has before the
 * first. Returns the place for the next, pinned; NULL when the end was reached;
 * or ERR_PTR(-EUSERS). noinline: so that its time can be traced.
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
		next = pin_place(walk, inode);
		if (!next && cost >= HOLD_INODES_MOST)
			next = ERR_PTR(-EUSERS);
		if (next)
			break;
	}
	took = ktime_get_ns() - start;
	spin_unlock(&sb->s_inode_list_lock);

	walk->holds++;
	walk->longest_hold_ns = max(walk->longest_hold_ns, took);
	return next;
}

/* Visits and lets go of everything caught, also after an error. */
static int visit_catches(struct bufstat_walk *walk, int ret)
{
	for (; walk->caught; walk->caught--) {
		struct bufstat_catch *found = &walk->catches[walk->caught - 1];

		if (!ret)
			ret = walk->visit(walk, found);
		iput(found->inode);
	}
	return ret;
}

static int walk_all(struct bufstat_walk *walk)
{
	struct inode *place = NULL;
	u64 start = ktime_get_ns();
	int ret = 0;

	do {
		struct inode *next = bufstat_walk_hold(walk, place);

		iput(place);
		place = next;
		if (IS_ERR(place)) {
			ret = PTR_ERR(place);
			place = NULL;
		}
		ret = visit_catches(walk, ret);
		cond_resched();
		if (!ret && place && signal_pending(current))
			ret = -EINTR;
	} while (!ret && place);
	iput(place);

	walk->walk_ns = ktime_get_ns() - start;
	return ret;
}

/* The filesystems being walked. Few, so a list will do. */
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

int bufstat_walk_run(struct bufstat_walk *walk)
{
	struct running running = { .sb = walk->sb };
	int ret;

	walk->catches =
		kvmalloc_array(CATCHES, sizeof(*walk->catches), GFP_KERNEL);
	if (!walk->catches)
		return -ENOMEM;
	ret = wait_event_interruptible(running_wait, try_begin(&running));
	if (ret) {
		ret = -EINTR;
	} else {
		ret = walk_all(walk);
		end(&running);
	}
	kvfree(walk->catches);
	return ret;
}
