// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walking the inodes of a filesystem as the kernel does in drop_caches: under
 * s_inode_list_lock, some at a time, with the place kept by a reference to an
 * inode, which stays on the list for as long as that is held. s_umount is never
 * taken: whoever unmounts may hold it for as long as the disk takes.
 *
 * A reference may turn out to be the last one, to a file that was deleted or to
 * an inode that nobody used; late.c drops those.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "compat.h"
#include "late.h"
#include "walk.h"

/* Inodes in one hold of the lock: some 20 us where all is emulated. */
#define HOLD_INODES 128
/* And when somebody waits for it: so many, or the walk would never end. */
#define HOLD_INODES_LEAST 16
/* A catch takes as long as some of them. */
#define CATCH_COST 4
#define CATCHES 32
/* References that end between two holds, and the one that keeps the place. */
#define HOLD_PUTS (CATCHES + 2)
/* Last references that are dropped together: their list has one page. */
#define LATE_INODES 480

/* No reference is to be had to an inode that is being evicted. */
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
 * i_data, not i_mapping: that of a device node is the block device's. What a
 * DAX file has in its mapping are the device's own pages, not page cache;
 * nrpages counts them since 5.13 ("dax: account DAX entries as nrpages").
 *
 * Inline, because it is what a hold of the lock consists of.
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
 * One hold of the list lock, from behind @place, which NULL has before the
 * first. Returns the place for the next, pinned, or NULL when the end was
 * reached. What is being evicted can be no place; the kernel evicts what memory
 * pressure chose a thousand inodes at a time. noinline: so that its time can be
 * traced.
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

/* Visits and lets go of everything caught, also after an error. */
static int visit_catches(struct bufstat_walk *walk)
{
	int ret = 0;

	for (; walk->caught; walk->caught--) {
		struct bufstat_catch *found = &walk->catches[walk->caught - 1];

		if (!ret)
			ret = walk->visit(walk, found);
		bufstat_late_put(walk->late, found->inode);
	}
	return ret;
}

/* Room for what is put until the next time; the old list if there is none. */
static int make_room(struct bufstat_walk *walk)
{
	struct bufstat_late *fresh;

	if (walk->late && bufstat_late_room(walk->late) >= HOLD_PUTS)
		return 0;
	fresh = bufstat_late_create(walk->sb, walk->file, LATE_INODES);
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

/* Memory is taken only now: those who wait in a queue have none. */
static int walk_alone(struct bufstat_walk *walk)
{
	int ret;

	walk->catches = kvmalloc_array(CATCHES, sizeof(*walk->catches),
				       GFP_KERNEL_ACCOUNT);
	if (!walk->catches)
		return -ENOMEM;
	if (bufstat_is_loose(walk->file))
		ret = walk_one(walk);
	else
		ret = walk_all(walk);
	kvfree(walk->catches);
	return ret;
}

/*
 * The call begins anew where a signal ends no more than the wait: after SIGCONT
 * or a thaw, or if the handler has SA_RESTART. So it has written nothing yet.
 */
int bufstat_walk_run(struct bufstat_walk *walk)
{
	struct running running = { .sb = bufstat_filesystem_sb(walk->file) };
	int ret;

	walk->sb = bufstat_filesystem_sb(walk->file);
	ret = wait_event_interruptible(running_wait, try_begin(&running));
	if (ret)
		return ret;
	ret = walk_alone(walk);
	end(&running);
	return ret;
}
