// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking a snapshot: the same walk as the kernel's nr_blockdev_pages(), but it
 * also records how many pages each device has.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmstat.h>

#include "bufstat.h"
#include "compat.h"
#include "late.h"

/* Rows for the first attempt: most hosts have fewer devices in use. */
#define ROWS_AT_FIRST 32

/* How many rows the last snapshot had. Only a hint, so it needs no lock. */
static size_t rows_last_time = ROWS_AT_FIRST;

/*
 * One hold of the list lock. Adds up every block device and records those with
 * pages while there is room; count says how many rows are needed. Under the
 * lock it does what nr_blockdev_pages() does and stores two words for each
 * device with pages. Sums stay in registers until the lock is released.
 *
 * The list also has the root directory of the bdev pseudo filesystem, which is
 * no device and has no pages. noinline, so that it can be traced.
 */
static noinline void bufstat_walk(struct bufstat_snapshot *snapshot)
{
	struct super_block *sb = blockdev_superblock;
	struct bufstat_row *row = snapshot->rows;
	const struct bufstat_row *end = row + snapshot->capacity;
	unsigned long inodes = 0, total = 0, roots;
	size_t count = 0;
	struct inode *inode;

	spin_lock(&sb->s_inode_list_lock);
	list_for_each_entry(inode, &sb->s_inodes, i_sb_list) {
		unsigned long pages = READ_ONCE(inode->i_mapping->nrpages);

		inodes++;
		if (!pages)
			continue;

		total += pages;
		count++;
		if (row == end)
			continue;
		row->inode = inode;
		row->pages = pages;
		row++;
	}
	roots = !list_empty(&d_inode(sb->s_root)->i_sb_list);
	spin_unlock(&sb->s_inode_list_lock);

	snapshot->devices = inodes - roots;
	snapshot->pages = total;
	snapshot->count = count;
}

/*
 * Pins the recorded devices. A reference keeps the inode and its mapping. It
 * does not open the device and does not delay its last close. igrab() refuses
 * an inode that is being evicted: its row has pages and no other figure.
 */
static void pin_rows(struct bufstat_snapshot *snapshot)
{
	struct bufstat_row *row;

	for (row = snapshot->rows; row < snapshot->rows + snapshot->count;
	     row++) {
		row->dev = I_BDEV(row->inode)->bd_dev;
		row->inode = igrab(row->inode);
		row->dirty = BUFSTAT_NO_FIGURE;
		row->writeback = BUFSTAT_NO_FIGURE;
		row->openers = BUFSTAT_NO_FIGURE;
		row->write_error = BUFSTAT_NO_FIGURE;
		row->name[0] = '\0';
	}
}

/* The kernel's own totals, read as soon after the walk as possible. */
static void read_totals(struct bufstat_snapshot *snapshot)
{
	struct sysinfo info;

	si_meminfo(&info);
	snapshot->bufferram_pages = info.bufferram;
	snapshot->file_pages = global_node_page_state(NR_FILE_PAGES);
}

/*
 * Returns false if there was not room for all devices; then nothing is pinned.
 * Block device inodes are freed after an RCU grace period, so the inodes met
 * under the lock are still valid after it. Pinning them costs more than the
 * walk, and is done then so as not to lengthen the hold.
 */
static bool try_collect(struct bufstat_snapshot *snapshot)
{
	bool complete;

	rcu_read_lock();
	bufstat_walk(snapshot);
	complete = snapshot->count <= snapshot->capacity;
	if (complete) {
		read_totals(snapshot);
		pin_rows(snapshot);
	}
	rcu_read_unlock();
	return complete;
}

/*
 * Allocates an eighth more than @count: devices appear meanwhile. If a device
 * is gone when its reference is dropped, evicting its pages may wait for the
 * disk. So there is room to drop every reference late.
 */
static int make_room(struct bufstat_snapshot *snapshot,
		     struct bufstat_late **late, size_t count)
{
	size_t capacity = count + count / 8 + 8;

	kvfree(snapshot->rows);
	bufstat_late_finish(*late);
	snapshot->capacity = 0;
	snapshot->rows = kvmalloc_array(capacity, sizeof(*snapshot->rows),
					GFP_KERNEL_ACCOUNT);
	*late = bufstat_late_create(blockdev_superblock, NULL, capacity);
	if (!snapshot->rows || !*late)
		return -ENOMEM;
	snapshot->capacity = capacity;
	return 0;
}

static int collect(struct bufstat_snapshot *snapshot,
		   struct bufstat_late **late)
{
	int ret = make_room(snapshot, late, READ_ONCE(rows_last_time));

	while (!ret && !try_collect(snapshot)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		ret = make_room(snapshot, late, snapshot->count);
	}
	return ret;
}

/* Inspects every pinned device and unpins all of them, even after an error. */
static int inspect_rows(struct bufstat_snapshot *snapshot,
			struct bufstat_late *late)
{
	struct bufstat_row *row;
	int ret = 0;

	for (row = snapshot->rows; row < snapshot->rows + snapshot->count;
	     row++) {
		if (!row->inode)
			continue;
		if (!ret)
			ret = bufstat_device_inspect(row);
		bufstat_late_put(late, row->inode);
		row->inode = NULL;
		cond_resched();
	}
	return ret;
}

struct bufstat_snapshot *bufstat_snapshot_create(void)
{
	struct bufstat_snapshot *snapshot;
	struct bufstat_late *late = NULL;
	int ret;

	snapshot = kzalloc(sizeof(*snapshot), GFP_KERNEL_ACCOUNT);
	if (!snapshot)
		return ERR_PTR(-ENOMEM);

	ret = collect(snapshot, &late);
	if (!ret) {
		WRITE_ONCE(rows_last_time, snapshot->count);
		ret = inspect_rows(snapshot, late);
	}
	bufstat_late_finish(late);
	if (ret) {
		bufstat_snapshot_destroy(snapshot);
		return ERR_PTR(ret);
	}
	return snapshot;
}

void bufstat_snapshot_destroy(struct bufstat_snapshot *snapshot)
{
	kvfree(snapshot->rows);
	kfree(snapshot);
}
