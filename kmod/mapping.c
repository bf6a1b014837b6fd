// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the pages of one mapping that are dirty, under writeback or mlocked.
 * Takes no lock: the page cache is an XArray that readers walk under RCU, and
 * the entries are only counted. Pages come and go during the walk; each is
 * counted as it was when the walk passed it.
 */
#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/xarray.h>

#include "bufstat.h"
#include "compat.h"

/* Entries visited in one RCU read-side section, if nobody else wants to run. */
#define ENTRIES_PER_SECTION 1024

static bool is_long_enough(unsigned int entries)
{
	return entries % ENTRIES_PER_SECTION == 0 || need_resched();
}

/*
 * Leaves the RCU section for a moment: entries are stale. 0 or -EINTR.
 * noinline, so that it can be traced.
 */
static noinline int bufstat_breathe(struct xa_state *xas)
{
	xas_pause(xas);
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int count_tagged(struct address_space *mapping, xa_mark_t tag,
			s64 *figure)
{
	XA_STATE(xas, &mapping->i_pages, 0);
	unsigned int entries = 0;
	void *entry;
	int ret = 0;

	*figure = 0;
	/* A flag in the tree's head saves the walk on most inodes. */
	if (!mapping_tagged(mapping, tag))
		return 0;

	rcu_read_lock();
	xas_for_each_marked(&xas, entry, ULONG_MAX, tag) {
		if (!xas_retry(&xas, entry))
			*figure += compat_xas_pages(&xas);
		if (is_long_enough(++entries))
			ret = bufstat_breathe(&xas);
		if (ret)
			break;
	}
	rcu_read_unlock();
	return ret;
}

int bufstat_count_tagged(struct address_space *mapping, s64 *dirty,
			 s64 *writeback)
{
	int ret = count_tagged(mapping, PAGECACHE_TAG_DIRTY, dirty);

	if (ret)
		return ret;
	return count_tagged(mapping, PAGECACHE_TAG_WRITEBACK, writeback);
}

/* What a walk of a mapping has seen. */
struct seen {
	unsigned long pages;
	u64 mlocked; /* pages */
	bool is_whole; /* every entry could be told to be mlocked or not */
	bool skipped; /* some nodes were not looked into */
};

/*
 * Moves @xas to the last slot of its node if that holds nothing but values.
 * They stand for pages that were evicted or swapped out, and there may be far
 * more of them than pages.
 */
static void skip_values(struct xa_state *xas, struct seen *seen)
{
	const struct xa_node *node = xas->xa_node;

	if (xas_not_node(xas->xa_node) ||
	    READ_ONCE(node->count) != READ_ONCE(node->nr_values))
		return;
	xas->xa_offset = XA_CHUNK_MASK;
	xas->xa_index |= (unsigned long)XA_CHUNK_MASK << node->shift;
	xas->xa_index &= ~0UL << node->shift;
	seen->skipped = true;
}

/*
 * A large folio that is mapped in part when it is mlocked gets the flag only
 * when reclaim meets it (mlock_vma_folio()). So a large folio without the flag
 * may be mlocked or not.
 */
static void look_at(struct xa_state *xas, const void *entry, struct seen *seen)
{
	unsigned long pages;

	if (xa_is_value(entry)) {
		skip_values(xas, seen);
		return;
	}
	pages = compat_xas_pages(xas);
	seen->pages += pages;
	if (compat_is_mlocked(entry))
		seen->mlocked += pages;
	else if (pages > 1)
		seen->is_whole = false;
}

/*
 * Behind the last page there may still be many values, so the walk ends when it
 * has seen as many pages as the mapping had all the time. A node that changes
 * while it is judged to hold only values may have had pages; then some are
 * missing in the end.
 */
int bufstat_count_mlocked(struct address_space *mapping, u64 *most, u64 *pages)
{
	XA_STATE(xas, &mapping->i_pages, 0);
	unsigned long before = READ_ONCE(mapping->nrpages), now = before;
	struct seen seen = { .is_whole = true };
	unsigned int entries = 0;
	void *entry;
	int ret = 0;

	rcu_read_lock();
	xas_for_each(&xas, entry, ULONG_MAX) {
		if (!*most) {
			ret = -E2BIG;
			break;
		}
		--*most;
		if (!xas_retry(&xas, entry))
			look_at(&xas, entry, &seen);
		if (is_long_enough(++entries))
			ret = bufstat_breathe(&xas);
		now = READ_ONCE(mapping->nrpages);
		if (ret || (seen.pages == before && before == now))
			break;
	}
	rcu_read_unlock();
	*pages += seen.mlocked;
	if (ret)
		return ret;
	if (seen.skipped && seen.pages < min(before, now))
		seen.is_whole = false;
	return seen.is_whole ? 0 : -ENODATA;
}
