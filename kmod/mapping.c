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

/* Entries visited in one RCU read-side section. */
#define ENTRIES_PER_SECTION 1024

/* Leaves the RCU section for a moment: entries are stale. 0 or -EINTR. */
static int breathe(struct xa_state *xas)
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
		if (xas_retry(&xas, entry))
			continue;
		*figure += compat_xas_pages(&xas);
		if (++entries % ENTRIES_PER_SECTION == 0)
			ret = breathe(&xas);
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

/*
 * A large folio that is mapped in part when it is mlocked gets the flag only
 * when reclaim meets it (mlock_vma_folio()). So a large folio without the flag
 * may be mlocked or not.
 */
int bufstat_count_mlocked(struct address_space *mapping, u64 *most, u64 *pages)
{
	XA_STATE(xas, &mapping->i_pages, 0);
	bool is_whole = true;
	void *entry;
	int ret = 0;

	rcu_read_lock();
	xas_for_each(&xas, entry, ULONG_MAX) {
		/* Values stand for pages that were evicted or swapped out. */
		if (xas_retry(&xas, entry) || xa_is_value(entry))
			continue;
		if (!*most)
			ret = -E2BIG;
		else if (compat_is_mlocked(entry))
			*pages += compat_xas_pages(&xas);
		else if (compat_xas_pages(&xas) > 1)
			is_whole = false;
		if (!ret && --*most % ENTRIES_PER_SECTION == 0)
			ret = breathe(&xas);
		if (ret)
			break;
	}
	rcu_read_unlock();
	return ret || is_whole ? ret : -ENODATA;
}
