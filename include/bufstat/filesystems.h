/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/bufstat: what Cached is made of, filesystem by filesystem and file by
 * file. A character device for root, with three ioctls; there is nothing to
 * read or write. Opening it takes CAP_SYS_ADMIN; the module is in use while it
 * is open.
 *
 * BUFSTAT_IOC_VERSION tells what module that is. The other two take a
 * descriptor of any file of a filesystem, also one from open(2) with O_PATH,
 * which asks nothing of a server on the network; a memfd stands for the
 * internal tmpfs in which memfds, System V shared memory and shared anonymous
 * memory have their pages. The descriptor keeps the filesystem from being
 * unmounted while the ioctl runs, and so does the kernel if it is closed
 * meanwhile.
 *
 * Each adds up address_space.nrpages of the filesystem's own inodes. A device
 * node counts as itself, so without the pages of the device behind it.
 *
 * Layout: no pointers, no implicit padding, the same for 32-bit callers. The
 * caller sets "version" to BUFSTAT_FILESYSTEMS_VERSION, the fields marked "in",
 * and everything else to zero: a newer version may read it. The module writes
 * the whole structure.
 *
 * The inodes are walked some at a time, so the sum is not of one instant: what
 * moves during the walk is counted as the walk passes it, and inodes made since
 * it began are not seen. One walk of a filesystem runs at a time; a second
 * caller waits. A signal ends both the wait and the walk.
 *
 * Errors of the two:
 *	EBADF		the descriptor is not open
 *	EFAULT		a structure or the rows cannot be read or written
 *	EINVAL		wrong version, unknown flag, a field that must be zero
 *			is not, capacity out of range
 *	EOPNOTSUPP	not a filesystem whose pages are in Cached: sockets,
 *			pipes and the like, block devices' own, hugetlbfs
 *	EINTR		a signal came
 *	EUSERS		the walk could not stop for a breath: thousands of
 *			deleted files in a row (see kmod/walk.c)
 *	ENOMEM
 * ENOTTY: a command that the module does not have.
 */
#ifndef BUFSTAT_FILESYSTEMS_H
#define BUFSTAT_FILESYSTEMS_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define BUFSTAT_DEVICE "bufstat" /* below /dev */

/* Grows when the meaning of a field changes; then the numbers change too. */
#define BUFSTAT_FILESYSTEMS_VERSION 1

struct bufstat_version {
	__u32 version; /* out: the one the module has */
	__u32 page_size; /* out: bytes */
	__u8 module_version[24]; /* out: BUFSTAT_VERSION, ends in 0 */
};

/* Bits of "about". */
#define BUFSTAT_FS_SHMEM 0x1 /* tmpfs: the pages are in Shmem too */
#define BUFSTAT_FS_INTERNAL 0x2 /* the kernel's own, mounted nowhere */
#define BUFSTAT_FS_HAS_DIRTY 0x4 /* dirty and writeback were counted */

struct bufstat_filesystem {
	__u32 version; /* in */
	__s32 fd; /* in */
	__u32 flags; /* in: none so far */
	__u32 about; /* BUFSTAT_FS_* */
	__u32 major; /* super_block.s_dev, the third field of mountinfo */
	__u32 minor;
	__u64 magic; /* super_block.s_magic */
	__u64 inodes; /* walked */
	__u64 pages; /* their address_space.nrpages */
	__u64 with_pages; /* inodes that have any */
	__u64 dirty_pages; /* tagged dirty, if BUFSTAT_FS_HAS_DIRTY */
	__u64 writeback_pages; /* under writeback, likewise */
	/* Inodes whose dirty pages could not be counted: deleted files. */
	__u64 uncounted_inodes;
	/* What it cost: holds of the lock over the list of inodes. */
	__u64 holds;
	__u64 longest_hold_ns;
	__u64 walk_ns; /* from the first hold to the last, pauses included */
	__u8 type[32]; /* super_block.s_type->name, ends in 0 */
	__u8 id[32]; /* super_block.s_id, mostly the device's name, ends in 0 */
	__u64 reserved[4]; /* in: zero */
};

/* Bits of bufstat_file.about. */
#define BUFSTAT_FILE_DELETED 0x1 /* no link left: i_nlink is 0 */
/* "path" is a path from the root of the filesystem, begins with a slash. */
#define BUFSTAT_FILE_HAS_PATH 0x2
/* "path" is only a name: of a deleted file, "memfd:NAME", "SYSVxxxxxxxx". */
#define BUFSTAT_FILE_HAS_NAME 0x4

#define BUFSTAT_FILE_PATH_SIZE 4040

/* With neither bit, "path" is empty: an inode that no name leads to. */
struct bufstat_file {
	__u64 ino;
	__u64 pages;
	__u64 size_bytes;
	__u32 mode; /* as in stat(2) */
	__u32 about; /* BUFSTAT_FILE_* */
	__u32 links;
	__u32 reserved[5];
	__u8 path[BUFSTAT_FILE_PATH_SIZE]; /* ends in 0 */
};

#define BUFSTAT_FILES_MAX 1024

struct bufstat_files {
	__u32 version; /* in */
	__s32 fd; /* in */
	__u32 flags; /* in: none so far */
	__u32 capacity; /* in: rows there is room for, 1..BUFSTAT_FILES_MAX */
	__u64 rows; /* in: address of capacity struct bufstat_file */
	__u32 count; /* rows written, most pages first */
	__u32 major;
	__u32 minor;
	__u32 about; /* BUFSTAT_FS_* but not HAS_DIRTY */
	__u64 inodes;
	__u64 pages; /* of all inodes, also those without a row */
	__u64 with_pages;
	__u64 missed; /* deleted files that should have had a row; mostly 0 */
	__u64 reserved[4]; /* in: zero */
};

#define BUFSTAT_IOC_VERSION _IOR(0xBF, 0x00, struct bufstat_version)
#define BUFSTAT_IOC_FILESYSTEM _IOWR(0xBF, 0x01, struct bufstat_filesystem)
#define BUFSTAT_IOC_FILES _IOWR(0xBF, 0x02, struct bufstat_files)

#endif
