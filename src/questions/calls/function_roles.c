// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "calls/function_roles.h"

struct role {
	const char *name;
	unsigned int roles;
};

/*
 * Of Linux 5.10 to 7.3; each kernel has some of them. Sorted. Helpers that only
 * make the tree deeper are left out.
 */
static const struct role role_names[] = {
	{ "__blkdev_direct_IO", ROLE_DIRECT },
	{ "__blkdev_direct_IO_async", ROLE_DIRECT },
	{ "__blkdev_direct_IO_simple", ROLE_DIRECT },
	{ "__blockdev_direct_IO", ROLE_DIRECT },
	{ "__bread_gfp", 0 },
	{ "__do_fault", 0 },
	{ "__filemap_fdatawait_range", 0 },
	{ "__filemap_fdatawrite_range", 0 },
	{ "__filemap_get_folio", 0 },
	{ "__folio_lock", 0 },
	{ "__folio_lock_async", 0 },
	{ "__folio_lock_killable", 0 },
	{ "__generic_file_write_iter", ROLE_REQUEST },
	{ "__getblk_gfp", 0 },
	{ "__iomap_dio_rw", ROLE_DIRECT },
	{ "__lock_page", 0 },
	{ "__lock_page_async", 0 },
	{ "__lock_page_killable", 0 },
	{ "__skb_recv_udp", 0 },
	{ "__sock_sendmsg", ROLE_SOCKET },
	{ "__udp4_lib_rcv", 0 },
	{ "__wait_on_buffer", 0 },
	{ "__writeback_single_inode", 0 },
	{ "add_to_page_cache_lru", 0 },
	{ "aio_read", 0 },
	{ "aio_write", 0 },
	{ "balance_dirty_pages", 0 },
	{ "balance_dirty_pages_ratelimited", 0 },
	{ "balance_dirty_pages_ratelimited_flags", 0 },
	{ "bdev_getblk", 0 },
	{ "blkdev_buffered_write", ROLE_CACHE },
	{ "blkdev_direct_IO", ROLE_DIRECT },
	{ "blkdev_direct_write", ROLE_DIRECT },
	{ "blkdev_fsync", ROLE_DEVICE },
	{ "blkdev_issue_flush", ROLE_SYNC },
	{ "blkdev_read_folio", 0 },
	{ "blkdev_read_iter", ROLE_DEVICE },
	{ "blkdev_readahead", 0 },
	{ "blkdev_readpage", 0 },
	{ "blkdev_write_begin", 0 },
	{ "blkdev_write_iter", ROLE_DEVICE },
	{ "blkdev_writepages", 0 },
	{ "block_read_full_folio", 0 },
	{ "block_read_full_page", 0 },
	{ "block_write_begin", 0 },
	{ "btrfs_buffered_write", ROLE_CACHE },
	{ "btrfs_commit_transaction", ROLE_SYNC | ROLE_COMMIT },
	{ "btrfs_dio_read", ROLE_DIRECT },
	{ "btrfs_dio_write", ROLE_DIRECT },
	{ "btrfs_direct_read", ROLE_DIRECT },
	{ "btrfs_direct_write", ROLE_DIRECT },
	{ "btrfs_submit_bbio", 0 },
	{ "btrfs_submit_bio", 0 },
	{ "btrfs_sync_log", ROLE_SYNC | ROLE_COMMIT },
	{ "copy_splice_read", 0 },
	{ "do_iter_read", 0 },
	{ "do_iter_readv_writev", 0 },
	{ "do_iter_write", 0 },
	{ "do_page_cache_ra", 0 },
	{ "do_sendfile", 0 },
	{ "do_splice", 0 },
	{ "do_splice_direct", 0 },
	{ "do_writepages", 0 },
	{ "ext4_fc_commit", ROLE_SYNC | ROLE_COMMIT },
	{ "file_write_and_wait_range", ROLE_SYNC },
	{ "filemap_add_folio", 0 },
	{ "filemap_create_folio", 0 },
	{ "filemap_fault", ROLE_CACHE },
	{ "filemap_fdatawrite_wbc", 0 },
	{ "filemap_flush", 0 },
	{ "filemap_get_pages", 0 },
	{ "filemap_map_pages", ROLE_CACHE },
	{ "filemap_read", ROLE_CACHE },
	{ "filemap_read_folio", 0 },
	{ "filemap_splice_read", ROLE_CACHE },
	{ "filemap_write_and_wait_range", 0 },
	{ "folio_put_wait_locked", 0 },
	{ "folio_wait_bit", 0 },
	{ "folio_wait_bit_common", 0 },
	{ "folio_wait_bit_killable", 0 },
	{ "folio_wait_writeback", 0 },
	{ "force_page_cache_ra", 0 },
	{ "force_page_cache_readahead", 0 },
	{ "generic_copy_file_range", 0 },
	{ "generic_fadvise", 0 },
	{ "generic_file_buffered_read", ROLE_CACHE },
	{ "generic_file_direct_write", ROLE_DIRECT },
	{ "generic_file_read_iter", ROLE_REQUEST },
	{ "generic_file_splice_read", ROLE_CACHE },
	{ "generic_file_write_iter", ROLE_REQUEST },
	{ "generic_perform_write", ROLE_CACHE },
	{ "generic_splice_sendpage", 0 },
	{ "generic_write_sync", ROLE_SYNC },
	{ "grab_cache_page_write_begin", 0 },
	{ "handle_mm_fault", ROLE_FAULT },
	{ "invalidate_inode_pages2_range", 0 },
	{ "io_cqring_wait", 0 },
	{ "io_issue_sqe", 0 },
	{ "io_queue_async_work", ROLE_HANDOVER },
	{ "io_queue_iowq", ROLE_HANDOVER },
	{ "io_read", 0 },
	{ "io_read_fixed", 0 },
	{ "io_schedule", ROLE_WAIT },
	{ "io_schedule_timeout", ROLE_WAIT },
	{ "io_submit_one", 0 },
	{ "io_submit_sqe", 0 },
	{ "io_submit_sqes", 0 },
	{ "io_wq_enqueue", ROLE_HANDOVER },
	{ "io_write", 0 },
	{ "io_write_fixed", 0 },
	{ "iomap_dio_rw", ROLE_DIRECT },
	{ "iomap_file_buffered_write", ROLE_CACHE },
	{ "iomap_read_folio", 0 },
	{ "iomap_readahead", 0 },
	{ "iomap_readpage", 0 },
	{ "iomap_writepages", 0 },
	{ "ip_local_deliver", 0 },
	{ "ip_output", 0 },
	{ "ip_send_skb", 0 },
	{ "iter_file_splice_write", 0 },
	{ "iterate_dir", 0 },
	{ "jbd2_complete_transaction", ROLE_SYNC | ROLE_COMMIT },
	{ "jbd2_log_wait_commit", ROLE_SYNC | ROLE_COMMIT },
	{ "kiocb_invalidate_pages", 0 },
	{ "kiocb_invalidate_post_direct_write", 0 },
	{ "loopback_xmit", 0 },
	{ "mpage_read_folio", 0 },
	{ "mpage_readahead", 0 },
	{ "mpage_writepages", 0 },
	{ "ondemand_readahead", 0 },
	{ "page_cache_async_ra", 0 },
	{ "page_cache_async_readahead", 0 },
	{ "page_cache_ra_order", 0 },
	{ "page_cache_ra_unbounded", 0 },
	{ "page_cache_sync_ra", 0 },
	{ "page_cache_sync_readahead", 0 },
	{ "pagecache_get_page", 0 },
	{ "pipe_read", 0 },
	{ "pipe_wait_readable", 0 },
	{ "pipe_write", 0 },
	{ "put_and_wait_on_page_locked", 0 },
	{ "read_cache_folio", 0 },
	{ "read_cache_page", 0 },
	{ "read_events", 0 },
	{ "read_pages", 0 },
	{ "schedule", ROLE_WAIT },
	{ "schedule_hrtimeout_range", ROLE_WAIT },
	{ "schedule_timeout", ROLE_WAIT },
	{ "shmem_fault", ROLE_CACHE },
	{ "shmem_file_read_iter", ROLE_CACHE | ROLE_SPARSE },
	{ "shmem_file_splice_read", ROLE_CACHE | ROLE_SPARSE },
	{ "shmem_file_write_iter", ROLE_CACHE },
	{ "sock_alloc_send_pskb", 0 },
	{ "sock_read_iter", ROLE_SOCKET },
	{ "sock_recvmsg", ROLE_SOCKET },
	{ "sock_sendmsg", ROLE_SOCKET },
	{ "sock_write_iter", ROLE_SOCKET },
	{ "splice_direct_to_actor", 0 },
	{ "splice_file_to_pipe", 0 },
	{ "splice_to_socket", 0 },
	{ "submit_bh", 0 },
	{ "submit_bio", 0 },
	{ "submit_bio_wait", 0 },
	{ "tcp_recvmsg", ROLE_SOCKET },
	{ "tcp_sendmsg", ROLE_SOCKET },
	{ "udp_queue_rcv_skb", 0 },
	{ "udp_recvmsg", ROLE_SOCKET },
	{ "udp_sendmsg", ROLE_SOCKET },
	{ "udp_unicast_rcv_skb", 0 },
	{ "udpv6_recvmsg", ROLE_SOCKET },
	{ "udpv6_sendmsg", ROLE_SOCKET },
	{ "vfs_copy_file_range", 0 },
	{ "vfs_fadvise", 0 },
	{ "vfs_fallocate", 0 },
	{ "vfs_fsync_range", ROLE_SYNC },
	{ "vfs_iocb_iter_read", 0 },
	{ "vfs_iocb_iter_write", 0 },
	{ "vfs_iter_read", 0 },
	{ "vfs_iter_write", 0 },
	{ "vfs_read", 0 },
	{ "vfs_readv", 0 },
	{ "vfs_splice_read", 0 },
	{ "vfs_write", 0 },
	{ "vfs_writev", 0 },
	{ "wait_for_completion", 0 },
	{ "wait_for_completion_io", 0 },
	{ "wait_on_page_bit", 0 },
	{ "wait_on_page_bit_common", 0 },
	{ "wait_on_page_bit_killable", 0 },
	{ "wait_on_page_writeback", 0 },
	{ "wp_page_copy", 0 },
	{ "xfs_log_force_inode", ROLE_SYNC | ROLE_COMMIT },
	{ "xfs_log_force_lsn", ROLE_SYNC | ROLE_COMMIT },
	{ "xfs_log_force_seq", ROLE_SYNC | ROLE_COMMIT },
};

/*
 * Filesystems call the functions that they lend to the kernel alike, with their
 * own name in front.
 */
static const struct role role_ends[] = {
	{ "_file_read_iter", ROLE_FILE },
	{ "_file_write_iter", ROLE_FILE },
	{ "_file_splice_read", ROLE_FILE },
	{ "_file_fsync", ROLE_FILE | ROLE_SYNC },
	{ "_sync_file", ROLE_FILE | ROLE_SYNC },
	{ "_file_dio_read", ROLE_FILE | ROLE_DIRECT },
	{ "_file_dio_write", ROLE_FILE | ROLE_DIRECT },
	{ "_dio_read_iter", ROLE_FILE | ROLE_DIRECT },
	{ "_dio_write_iter", ROLE_FILE | ROLE_DIRECT },
	{ "_file_direct_read", ROLE_FILE | ROLE_DIRECT },
	{ "_file_direct_write", ROLE_FILE | ROLE_DIRECT },
	{ "_file_buffered_read", ROLE_FILE | ROLE_CACHE },
	{ "_file_buffered_write", ROLE_FILE | ROLE_CACHE },
	{ "_buffered_write_iter", ROLE_FILE | ROLE_CACHE },
	{ "_readahead", 0 },
	{ "_read_folio", 0 },
	{ "_mpage_readpages", 0 },
	{ "_writepages", 0 },
	{ "_write_begin", 0 },
	{ "_readdir", ROLE_FILE },
};

/* System calls that move data or names. Sorted. */
static const struct role syscalls[] = {
	{ "close", ROLE_SYSCALL },
	{ "copy_file_range", ROLE_SYSCALL | ROLE_BYTES },
	{ "execve", ROLE_SYSCALL | ROLE_EXEC },
	{ "execveat", ROLE_SYSCALL | ROLE_EXEC },
	{ "fadvise64", ROLE_SYSCALL },
	{ "fallocate", ROLE_SYSCALL },
	{ "fdatasync", ROLE_SYSCALL | ROLE_FD },
	{ "fsync", ROLE_SYSCALL | ROLE_FD },
	{ "ftruncate", ROLE_SYSCALL },
	{ "getdents", ROLE_SYSCALL },
	{ "getdents64", ROLE_SYSCALL },
	{ "io_getevents", ROLE_SYSCALL },
	{ "io_pgetevents", ROLE_SYSCALL },
	{ "io_setup", ROLE_SYSCALL },
	{ "io_submit", ROLE_SYSCALL | ROLE_QUEUE },
	{ "io_uring_enter", ROLE_SYSCALL | ROLE_QUEUE },
	{ "lstat", ROLE_SYSCALL },
	{ "madvise", ROLE_SYSCALL },
	{ "mkdir", ROLE_SYSCALL },
	{ "mkdirat", ROLE_SYSCALL },
	{ "mmap", ROLE_SYSCALL },
	{ "mmap_pgoff", ROLE_SYSCALL },
	{ "msync", ROLE_SYSCALL },
	{ "newfstatat", ROLE_SYSCALL },
	{ "newlstat", ROLE_SYSCALL },
	{ "newstat", ROLE_SYSCALL },
	{ "open", ROLE_SYSCALL },
	{ "openat", ROLE_SYSCALL },
	{ "openat2", ROLE_SYSCALL },
	{ "pread64", ROLE_SYSCALL | ROLE_BYTES | ROLE_FD },
	{ "preadv", ROLE_SYSCALL | ROLE_BYTES | ROLE_FD },
	{ "preadv2", ROLE_SYSCALL | ROLE_BYTES | ROLE_FD },
	{ "pwrite64", ROLE_SYSCALL | ROLE_BYTES | ROLE_FD },
	{ "pwritev", ROLE_SYSCALL | ROLE_BYTES | ROLE_FD },
	{ "pwritev2", ROLE_SYSCALL | ROLE_BYTES | ROLE_FD },
	{ "read", ROLE_SYSCALL | ROLE_BYTES | ROLE_FD },
	{ "readahead", ROLE_SYSCALL },
	{ "readv", ROLE_SYSCALL | ROLE_BYTES | ROLE_FD },
	{ "recvfrom", ROLE_SYSCALL | ROLE_BYTES },
	{ "recvmmsg", ROLE_SYSCALL },
	{ "recvmsg", ROLE_SYSCALL | ROLE_BYTES },
	{ "rename", ROLE_SYSCALL },
	{ "renameat2", ROLE_SYSCALL },
	{ "sendfile", ROLE_SYSCALL | ROLE_BYTES },
	{ "sendfile64", ROLE_SYSCALL | ROLE_BYTES },
	{ "sendmmsg", ROLE_SYSCALL },
	{ "sendmsg", ROLE_SYSCALL | ROLE_BYTES },
	{ "sendto", ROLE_SYSCALL | ROLE_BYTES },
	{ "splice", ROLE_SYSCALL | ROLE_BYTES },
	{ "stat", ROLE_SYSCALL },
	{ "statx", ROLE_SYSCALL },
	{ "sync", ROLE_SYSCALL },
	{ "sync_file_range", ROLE_SYSCALL },
	{ "syncfs", ROLE_SYSCALL },
	{ "tee", ROLE_SYSCALL | ROLE_BYTES },
	{ "truncate", ROLE_SYSCALL },
	{ "unlink", ROLE_SYSCALL },
	{ "unlinkat", ROLE_SYSCALL },
	{ "vmsplice", ROLE_SYSCALL | ROLE_BYTES },
	{ "write", ROLE_SYSCALL | ROLE_BYTES | ROLE_FD },
	{ "writev", ROLE_SYSCALL | ROLE_BYTES | ROLE_FD },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static int compare_role(const void *name, const void *role)
{
	return strcmp(name, ((const struct role *)role)->name);
}

/* Returns the system call whose function is @name, or NULL. */
static const struct role *find_syscall(const char *name)
{
	static const char *const starts[] = {
		"__x64_sys_",	"__arm64_sys_",	      "__s390x_sys_",
		"__riscv_sys_", "__ia32_compat_sys_", "__ia32_sys_",
		"sys_",
	};

	for (size_t i = 0; i < COUNT(starts); i++) {
		const size_t length = strlen(starts[i]);
		const struct role *found = NULL;

		if (strncmp(name, starts[i], length) == 0)
			found = bsearch(name + length, syscalls,
					COUNT(syscalls), sizeof(*syscalls),
					compare_role);
		if (found)
			return found;
	}
	return NULL;
}

const char *function_syscall(const char *name)
{
	const struct role *found = find_syscall(name);

	return found ? found->name : NULL;
}

static bool ends_in(const char *name, size_t length, const char *end)
{
	const size_t size = strlen(end);

	return length > size && strcmp(name + length - size, end) == 0;
}

int function_roles(const char *name)
{
	const struct role *role = find_syscall(name);
	size_t length;

	if (!role)
		role = bsearch(name, role_names, COUNT(role_names),
			       sizeof(*role_names), compare_role);
	if (role)
		return (int)role->roles;
	length = strlen(name);
	for (size_t i = 0; i < COUNT(role_ends); i++) {
		if (ends_in(name, length, role_ends[i].name))
			return (int)role_ends[i].roles;
	}
	return -1;
}
