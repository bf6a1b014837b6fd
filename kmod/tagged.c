// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dirty pages and pages under writeback of one mapping.
 */
#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "bufstat.h"
#include "compat.h"

#ifdef BUFSTAT_HAS_XARRAY_PAGES
/* Entries visited in one RCU read-side section. */
#define ENTRIES_PER_SECTION 1024

/*
 * Pages of @mapping that carry @tag. Takes no lock: the page cache is an XArray
 * that readers walk under RCU, and nothing is done to the entries but counting
 * them. Pages come and go during the walk; each is counted if it was tagged
 * when the walk passed it.
 */
static int count_tagged(struct address_space *mapping, xa_mark_t tag,
			s64 *figure)
{
	XA_STATE(xas, &mapping->i_pages, 0);
	unsigned int entries = 0;
	void *entry;

	*figure = 0;
	/* One flag of the tree's head: nothing to walk on most inodes. */
	if (!mapping_tagged(mapping, tag))
		return 0;

	rcu_read_lock();
	xas_for_each_marked(&xas, entry, ULONG_MAX, tag) {
		if (xas_retry(&xas, entry))
			continue;
		*figure += compat_xas_pages(&xas);
		if (++entries % ENTRIES_PER_SECTION)
			continue;

		xas_pause(&xas);
		rcu_read_unlock();
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		rcu_read_lock();
	}
	rcu_read_unlock();
	return 0;
}

bool bufstat_is_tagged(struct address_space *mapping)
{
	return mapping_tagged(mapping, PAGECACHE_TAG_DIRTY) ||
	       mapping_tagged(mapping, PAGECACHE_TAG_WRITEBACK);
}

int bufstat_count_tagged(struct address_space *mapping, s64 *dirty,
			 s64 *writeback)
{
	int ret = count_tagged(mapping, PAGECACHE_TAG_DIRTY, dirty);

	if (ret)
		return ret;
	return count_tagged(mapping, PAGECACHE_TAG_WRITEBACK, writeback);
}
#else
/*
 * Without the XArray (RHEL 8) the figures are absent: a radix tree can be
 * walked by tag under RCU too, but by other functions, which nobody has tried.
 */
bool bufstat_is_tagged(struct address_space *mapping)
{
	return false;
}

int bufstat_count_tagged(struct address_space *mapping, s64 *dirty,
			 s64 *writeback)
{
	*dirty = BUFSTAT_NO_FIGURE;
	*writeback = BUFSTAT_NO_FIGURE;
	return 0;
}
#endif
