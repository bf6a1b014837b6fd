// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions are those of Linux 5.10 to 7.3, as act_ways() saw them. Only
 * functions that bufstat path traces can be named. Every way may have faults on
 * pages of the program itself, and with pages of 64 KiB some do.
 */
#include <stddef.h>

#include "repro/actions.h"
#include "repro/ways.h"

#define ADD "filemap_add_folio|add_to_page_cache_lru"
#define CACHED_READ "filemap_read|generic_file_buffered_read"
#define DIRECT_FILE "__iomap_dio_rw|iomap_dio_rw"
#define CACHED_SPLICE "filemap_splice_read|generic_file_splice_read"

const struct way ways_of_device[] = {
	{ "read",
	  act_read_device,
	  true,
	  { "pread64", "blkdev_read_iter", CACHED_READ, ADD, "submit_bio" },
	  { "submit_bio_wait" } },
	{ "O_DIRECT",
	  act_pread_direct,
	  false,
	  { "pread64", "blkdev_read_iter", "submit_bio" },
	  { ADD } },
	/* io_setup() adds the pages of its ring to a cache of its own. */
	{ "libaio",
	  act_read_direct,
	  false,
	  { "io_submit", "blkdev_read_iter", "submit_bio" },
	  { CACHED_READ, "pread64" } },
	{ "unaligned",
	  act_pread_unaligned,
	  false,
	  { "pread64", "blkdev_read_iter" },
	  { ADD, "submit_bio", CACHED_READ } },
	{ "io_uring",
	  act_read_uring,
	  true,
	  { "io_uring_enter", "io_read", "blkdev_read_iter", ADD,
	    "submit_bio" },
	  { "pread64" } },
	{ "mmap",
	  act_touch_device,
	  true,
	  { "handle_mm_fault", "filemap_fault", ADD, "submit_bio" },
	  { "blkdev_read_iter", CACHED_READ } },
	{ "sendfile",
	  act_sendfile,
	  true,
	  { "sendfile64", CACHED_SPLICE, ADD, "submit_bio" },
	  { "pread64" } },
	{ "splice",
	  act_splice,
	  true,
	  { "splice", CACHED_SPLICE, ADD, "submit_bio" },
	  { "pread64" } },
	{ "UDP",
	  act_udp,
	  false,
	  { "udp_sendmsg", "udp_recvmsg" },
	  { ADD, "submit_bio" } },
	{ 0 },
};

/* The write comes first: it makes what the others read. */
const struct way ways_of_ext4[] = {
	{ "O_SYNC",
	  act_write_file_sync,
	  true,
	  { "pwrite64", "ext4_file_write_iter", ADD, "vfs_fsync_range",
	    "submit_bio" },
	  { DIRECT_FILE } },
	{ "read",
	  act_read_file,
	  true,
	  { "ext4_file_read_iter", CACHED_READ, ADD, "submit_bio" },
	  { DIRECT_FILE } },
	{ "O_DIRECT",
	  act_pread_direct,
	  false,
	  { "ext4_file_read_iter", DIRECT_FILE, "submit_bio" },
	  { CACHED_READ } },
	{ "unaligned",
	  act_pread_unaligned,
	  false,
	  { "ext4_file_read_iter", DIRECT_FILE },
	  { CACHED_READ, "submit_bio" } },
	{ 0 },
};

const struct way ways_of_xfs[] = {
	{ "O_SYNC",
	  act_write_file_sync,
	  true,
	  { "pwrite64", "xfs_file_write_iter", ADD, "vfs_fsync_range",
	    "submit_bio" },
	  { DIRECT_FILE } },
	{ "read",
	  act_read_file,
	  true,
	  { "xfs_file_read_iter", CACHED_READ, ADD, "submit_bio" },
	  { DIRECT_FILE } },
	{ "O_DIRECT",
	  act_pread_direct,
	  false,
	  { "xfs_file_read_iter", DIRECT_FILE, "submit_bio" },
	  { CACHED_READ } },
	{ "unaligned",
	  act_pread_unaligned,
	  false,
	  { "xfs_file_read_iter" },
	  { CACHED_READ, "submit_bio" } },
	{ 0 },
};

/*
 * It does not refuse what is unaligned, but reads it through the page cache. On
 * Linux 7.3 it read an eighth of what was aligned so, too, and 6.1 nothing: no
 * claim can be made of that.
 */
const struct way ways_of_btrfs[] = {
	{ "O_SYNC",
	  act_write_file_sync,
	  true,
	  { "pwrite64", "btrfs_file_write_iter", ADD, "btrfs_sync_file" },
	  { DIRECT_FILE } },
	{ "read",
	  act_read_file,
	  true,
	  { "btrfs_file_read_iter|generic_file_read_iter", CACHED_READ, ADD },
	  { DIRECT_FILE } },
	{ "unaligned",
	  act_pread_unaligned,
	  true,
	  { "btrfs_file_read_iter|generic_file_read_iter", CACHED_READ, ADD },
	  { NULL } },
	{ 0 },
};
