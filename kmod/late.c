// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dropping last references to inodes in a work item, which may wait.
 */
#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <bufstat/filesystems.h>

#include "compat.h"
#include "late.h"

/* How long the caller waits. On a healthy host the work takes microseconds. */
#define PATIENCE (HZ / 10)
/* The pause before the next try if the filesystem is frozen or busy. */
#define AGAIN HZ

struct bufstat_late {
	struct list_head list; /* in all_late, from finish until all is put */
	struct delayed_work work;
	struct completion tried; /* the first try is over, successful or not */
	refcount_t users; /* the caller, and the work item */
	struct super_block *sb;
	struct vfsmount *mount; /* or NULL */
	unsigned long since; /* jiffies, at finish */
	pid_t putting; /* the thread that drops them, or 0; under late_lock */
	size_t capacity;
	size_t count; /* written by the caller, then the work item */
	struct inode *inodes[];
};

static struct workqueue_struct *late_queue;
static LIST_HEAD(all_late);
static DEFINE_SPINLOCK(late_lock);

static void late_release(struct bufstat_late *late)
{
	if (refcount_dec_and_test(&late->users))
		kvfree(late);
}

/* One at a time per filesystem: a sick one blocks no more than one worker. */
static bool try_begin(struct bufstat_late *late)
{
	struct bufstat_late *other;
	bool free = true;

	spin_lock(&late_lock);
	list_for_each_entry(other, &all_late, list)
		free &= other->sb != late->sb || !other->putting;
	late->putting = free ? task_pid_nr(current) : 0;
	spin_unlock(&late_lock);
	return free;
}

static void pause_putting(struct bufstat_late *late)
{
	spin_lock(&late_lock);
	late->putting = 0;
	spin_unlock(&late_lock);
}

/*
 * Holds off a freeze meanwhile, as unlink(2) does while it drops the last
 * reference. Returns false if the filesystem is frozen.
 */
static bool put_all(struct bufstat_late *late)
{
	if (!sb_start_write_trylock(late->sb))
		return false;
	while (late->count) {
		iput(late->inodes[late->count - 1]);
		WRITE_ONCE(late->count, late->count - 1);
		cond_resched();
	}
	sb_end_write(late->sb);
	return true;
}

/* Whoever waited for @late to be done need not wait until his next try. */
static void remove_and_start_next(struct bufstat_late *late)
{
	struct bufstat_late *other;

	spin_lock(&late_lock);
	list_del(&late->list);
	list_for_each_entry(other, &all_late, list) {
		if (other->sb == late->sb) {
			mod_delayed_work(late_queue, &other->work, 0);
			break;
		}
	}
	spin_unlock(&late_lock);
}

static void late_work(struct work_struct *work)
{
	struct bufstat_late *late =
		container_of(to_delayed_work(work), struct bufstat_late, work);
	bool done = false;

	if (try_begin(late)) {
		done = put_all(late);
		if (!done)
			pause_putting(late);
	}
	if (!done) {
		complete_all(&late->tried);
		queue_delayed_work(late_queue, &late->work, AGAIN);
		return;
	}

	remove_and_start_next(late);
	mntput(late->mount);
	complete_all(&late->tried);
	late_release(late);
	/* destroy_workqueue() at exit waits for the rest of this function. */
	module_put(THIS_MODULE);
}

struct bufstat_late *bufstat_late_create(struct super_block *sb,
					 struct vfsmount *mount,
					 size_t capacity)
{
	size_t size = offsetof(struct bufstat_late, inodes) +
		      capacity * sizeof(struct inode *);
	struct bufstat_late *late = kvmalloc(size, GFP_KERNEL_ACCOUNT);

	if (!late)
		return NULL;
	INIT_LIST_HEAD(&late->list);
	INIT_DELAYED_WORK(&late->work, late_work);
	init_completion(&late->tried);
	refcount_set(&late->users, 1);
	late->sb = sb;
	late->mount = mount;
	late->putting = 0;
	late->capacity = capacity;
	late->count = 0;
	return late;
}

size_t bufstat_late_room(const struct bufstat_late *late)
{
	return late->capacity - late->count;
}

void bufstat_late_put(struct bufstat_late *late, struct inode *inode)
{
	if (!inode || compat_put_if_not_last(inode))
		return;
	late->inodes[late->count++] = inode;
}

void bufstat_late_finish(struct bufstat_late *late)
{
	if (!late)
		return;
	if (late->count) {
		mntget(late->mount);
		__module_get(THIS_MODULE);
		refcount_inc(&late->users);
		late->since = jiffies;
		spin_lock(&late_lock);
		list_add_tail(&late->list, &all_late);
		spin_unlock(&late_lock);
		queue_delayed_work(late_queue, &late->work, 0);
		wait_for_completion_killable_timeout(&late->tried, PATIENCE);
	}
	late_release(late);
}

static struct bufstat_held_filesystem *find_row(struct bufstat_held *held,
						u32 major, u32 minor)
{
	u32 i;

	for (i = 0; i < held->count && i < BUFSTAT_HELD_ROWS; i++) {
		if (held->rows[i].major == major &&
		    held->rows[i].minor == minor)
			return &held->rows[i];
	}
	if (held->count++ >= BUFSTAT_HELD_ROWS)
		return NULL;
	held->rows[i].major = major;
	held->rows[i].minor = minor;
	return &held->rows[i];
}

static void report_one(struct bufstat_held *held,
		       const struct bufstat_late *late)
{
	const struct super_block *sb = late->sb;
	struct bufstat_held_filesystem *row =
		find_row(held, MAJOR(sb->s_dev), MINOR(sb->s_dev));
	u32 seconds = (jiffies - late->since) / HZ;

	if (!row)
		return;
	row->inodes += READ_ONCE(late->count);
	row->seconds = max(row->seconds, seconds);
	if (READ_ONCE(sb->s_writers.frozen) != SB_UNFROZEN)
		row->about |= BUFSTAT_HELD_FROZEN;
	if (late->putting)
		row->about |= BUFSTAT_HELD_ABOUT_THREAD(late->putting);
	strscpy(row->type, sb->s_type->name, sizeof(row->type));
	strscpy(row->id, sb->s_id, sizeof(row->id));
}

void bufstat_late_report(struct bufstat_held *held)
{
	const struct bufstat_late *late;

	spin_lock(&late_lock);
	list_for_each_entry(late, &all_late, list)
		report_one(held, late);
	spin_unlock(&late_lock);
}

/*
 * The queue is unbound because its work may wait long, and freezable because
 * nothing may be written to a disk while the machine is being suspended. It has
 * no thread of its own.
 */
int bufstat_late_init(void)
{
	late_queue = alloc_workqueue("bufstat", WQ_UNBOUND | WQ_FREEZABLE, 0);
	return late_queue ? 0 : -ENOMEM;
}

void bufstat_late_exit(void)
{
	destroy_workqueue(late_queue);
}
