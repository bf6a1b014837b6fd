/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All differences between kernels are here and in no other file. BUFSTAT_HAS_*
 * come from kmod/features.mk.
 */
#ifndef BUFSTAT_COMPAT_H
#define BUFSTAT_COMPAT_H

#include <linux/blkdev.h>
#include <linux/compat.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/page-flags.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>

#include "bufstat.h"

/*
 * The page cache is an XArray since 4.20, and in RHEL 8.1 to 8.9 too, under the
 * old name struct radix_tree_root. RHEL 8.0 has a radix tree: there the module
 * only counts pages, and mapping.c is not built.
 */
#ifdef BUFSTAT_HAS_XARRAY_PAGES
#include <linux/xarray.h>

#define COMPAT_HAS_XARRAY 1

/*
 * Pages of the entry at @xas. Mappings of block devices may have large folios,
 * whatever the block size, since 3c20917120ce ("block/bdev: enable large folio
 * support for large logical block sizes", 6.15). On kernels with neither
 * function, every entry is one page.
 */
static inline unsigned long compat_xas_pages(struct xa_state *xas)
{
#if defined(BUFSTAT_HAS_XAS_GET_ORDER)
	return 1UL << xas_get_order(xas);
#elif defined(BUFSTAT_HAS_XA_GET_ORDER)
	return 1UL << xa_get_order(xas->xa, xas->xa_index);
#else
	return 1;
#endif
}

static inline bool compat_is_tagged(struct address_space *mapping)
{
	return mapping_tagged(mapping, PAGECACHE_TAG_DIRTY) ||
	       mapping_tagged(mapping, PAGECACHE_TAG_WRITEBACK);
}
#else
#define COMPAT_HAS_XARRAY 0

static inline bool compat_is_tagged(struct address_space *mapping)
{
	return false;
}

static inline int bufstat_count_tagged(struct address_space *mapping,
				       s64 *dirty, s64 *writeback)
{
	*dirty = BUFSTAT_NO_FIGURE;
	*writeback = BUFSTAT_NO_FIGURE;
	return 0;
}

static inline int bufstat_count_mlocked(struct address_space *mapping,
					u64 *most, u64 *pages)
{
	return -E2BIG;
}
#endif

/* mapping_mapped() for a caller without i_mmap_rwsem. */
static inline bool compat_is_mapped(struct address_space *mapping)
{
	return READ_ONCE(mapping->i_mmap.rb_root.rb_node);
}

/*
 * @entry is a page or folio that may be freed meanwhile, because the caller has
 * no reference to it. Its flags, the first word, stay readable. The kernel's
 * own functions for flags cannot be used: with CONFIG_DEBUG_VM they assert
 * conditions that only hold with a reference.
 */
static inline bool compat_is_mlocked(const void *entry)
{
	BUILD_BUG_ON(offsetof(struct page, flags) != 0);
#ifdef BUFSTAT_HAS_FOLIO
	BUILD_BUG_ON(offsetof(struct folio, flags) != 0);
	BUILD_BUG_ON(offsetof(struct folio, mapping) !=
		     offsetof(struct page, mapping));
#endif
	return test_bit(PG_mlocked, (const unsigned long *)entry);
}

/*
 * Drops a reference unless it is the last. Before iput_if_not_last() (7.3 and
 * stable kernels) iput() has always begun with the same.
 */
static inline bool compat_put_if_not_last(struct inode *inode)
{
#ifdef BUFSTAT_HAS_IPUT_IF_NOT_LAST
	return iput_if_not_last(inode);
#else
	return atomic_add_unless(&inode->i_count, -1, 1);
#endif
}

/*
 * bd_openers was an int under a mutex and is an atomic_t since 9acf381f3e8f
 * ("block: turn bdev->bd_openers into an atomic_t", 5.19). Both have the size
 * of an int.
 */
static inline int compat_openers(const struct block_device *bdev)
{
	BUILD_BUG_ON(sizeof(bdev->bd_openers) != sizeof(int));
	return READ_ONCE(*(const int *)&bdev->bd_openers);
}

/*
 * Writes the name of a device whose inode is pinned. Returns false and writes
 * nothing if its gendisk cannot be reached safely.
 */
#ifdef BUFSTAT_HAS_BD_PART
static inline bool compat_name(struct inode *inode, char *name, size_t size)
{
	struct block_device *bdev = I_BDEV(inode);
	bool open;

	if (!mutex_trylock(&bdev->bd_mutex))
		return false;
	open = bdev->bd_openers && bdev->bd_disk && bdev->bd_part;
	if (open)
		snprintf(name, size, "%pg", bdev);
	mutex_unlock(&bdev->bd_mutex);
	return open;
}
#else
/*
 * Since 5.11 bd_disk is set for the device's whole life, but a partition's
 * inode can outlive the gendisk for a moment. Deleting a device first takes its
 * inode out of the hash. An RCU grace period passes before the gendisk is
 * freed: in bdi_unregister() up to 5.13, and because the gendisk is freed with
 * the inode of the whole disk since 340e84573878 ("block: delay freeing the
 * gendisk", 5.14 and 5.13.8). So a device found hashed inside an RCU read-side
 * section has its gendisk until the section ends.
 */
static inline bool compat_name(struct inode *inode, char *name, size_t size)
{
	bool alive;

	rcu_read_lock();
	alive = !inode_unhashed(inode);
	if (alive)
		snprintf(name, size, "%pg", I_BDEV(inode));
	rcu_read_unlock();
	return alive;
}
#endif

/* The I_* bits. They may change at once unless i_lock is held. */
static inline unsigned long compat_inode_state(struct inode *inode)
{
#ifdef BUFSTAT_HAS_INODE_STATE_READ
	return inode_state_read_once(inode);
#else
	return READ_ONCE(inode->i_state);
#endif
}

/* The kernel has this macro since 7.1. */
#ifndef for_each_alias
#define for_each_alias(dentry, inode)                                          \
	hlist_for_each_entry(dentry, &(inode)->i_dentry, d_u.d_alias)
#endif

/* Writeback records errors in an errseq_t since 4.13. */
static inline int compat_write_error(const struct address_space *mapping)
{
	return READ_ONCE(mapping->wb_err) & MAX_ERRNO;
}

/* For ioctls of 32-bit callers whose argument is a pointer. */
#ifndef BUFSTAT_HAS_COMPAT_PTR_IOCTL
#ifdef CONFIG_COMPAT
static inline long compat_ptr_ioctl(struct file *file, unsigned int command,
				    unsigned long argument)
{
	return file->f_op->unlocked_ioctl(file, command,
					  (unsigned long)compat_ptr(argument));
}
#else
#define compat_ptr_ioctl NULL
#endif
#endif

#endif
