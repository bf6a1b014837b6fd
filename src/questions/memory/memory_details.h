/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What hardly moves: read once, after the counts (memory_reading.h). */
#ifndef BUFSTAT_MEMORY_DETAILS_H
#define BUFSTAT_MEMORY_DETAILS_H

#include <stdbool.h>
#include <stdint.h>

struct memory_fields;
struct memory_reading;
struct sysroot;

/* How many processors there may be, online or not; 0 if not known. */
unsigned int memory_read_processors(const struct sysroot *root);

/*
 * Adds to @reading, whose counts and processors are set: pools of huge pages,
 * the balloon's driver, the reserve's settings, and what zram, ZFS, per-CPU
 * memory, vmalloc() and the dentry cache say of themselves. What is not there
 * or may not be read stays absent. Returns 0 or -ENOMEM.
 */
int memory_read_details(struct memory_reading *reading,
			const struct sysroot *root);

struct memory_zram {
	int64_t bytes; /* what it has in zsmalloc */
	int64_t stored_bytes; /* the same before it was compressed */
};

/*
 * Sets *@zram to what the block device @name says in its mm_stat (Linux 4.1).
 * Returns 1, 0 if it is no zram device or has no such file, or a negative
 * errno, which is -ETIMEDOUT if it does not answer.
 */
int memory_read_zram(const struct sysroot *root, const char *name,
		     struct memory_zram *zram);

/*
 * Sets MEMORY_FIRST_CHUNK: the first chunk of per-CPU memory is in Percpu, but
 * not in MemTotal, because it was taken before the page allocator was there.
 * The boot log has its size, and so have two symbols. Only root may see either;
 * otherwise it is an estimate. Returns 0.
 */
int memory_read_first_chunk(struct memory_reading *reading,
			    const struct sysroot *root);

/*
 * Sets MEMORY_TOP_TABLES: page tables of programs that PageTables leaves out.
 * Known for x86 only. Returns 0 or -ENOMEM.
 */
int memory_read_top_tables(struct memory_reading *reading,
			   const struct sysroot *root);

/*
 * The page tables of one process that the kernel with these counts does not
 * count, in pages. For x86.
 */
int64_t memory_uncounted_tables(const struct memory_fields *fields,
				bool has_5_levels);

/*
 * Adds what is known of memory that no count has: rings of packet sockets in
 * this network namespace, pools for DMA and of graphics drivers, buffers of
 * XFS. Loads no module.
 * Returns 0 or -ENOMEM.
 */
int memory_read_uncounted(struct memory_reading *reading,
			  const struct sysroot *root);

/*
 * Sets *@pages to what TTM keeps for the next objects of graphics drivers, as
 * debugfs says from Linux 5.11 on (d099fc8f540a). Returns 1, 0 if there is no
 * TTM or the kernel counts these pages (NR_GPU_RECLAIM), or a negative errno.
 */
int memory_read_ttm_pool(const struct sysroot *root, int64_t *pages);

/*
 * Sets *@mounts to how many filesystems of XFS are mounted anywhere: each has a
 * directory in /sys/fs/xfs. Returns 1, 0 if that is not known and they count as
 * none, or -ENOMEM.
 */
int memory_read_xfs_mounts(const struct sysroot *root, int64_t *mounts);

#endif
