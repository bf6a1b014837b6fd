/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/bufstat: what Cached is made of, filesystem by filesystem and file by
 * file. A character device for root, with four ioctls; there is nothing to
 * read or write. Opening it takes CAP_SYS_ADMIN; the module is in use while it
 * is open.
 *
 * BUFSTAT_IOC_VERSION tells what module that is. BUFSTAT_IOC_FILESYSTEM and
 * BUFSTAT_IOC_FILES take a descriptor of any file of a filesystem, also one
 *from open(2) with O_PATH, which asks nothing of a server on the network; a
 *memfd stands for the internal tmpfs in which memfds, System V shared memory
 *and shared anonymous memory have their pages. A file on no filesystem's list,
 *as of memfd_secret(2) or a virtual machine's guest_memfd, stands for itself
 * (BUFSTAT_FS_ONE_FILE). The descriptor keeps the filesystem from being
 * unmounted while the ioctl runs, and so does the kernel if it is closed
 * meanwhile.
 *
 * What a descriptor allows: who has the device open and passes it a descriptor
 * learns names, sizes and page counts of all files of that filesystem, in
 * whichever directory, mount, container or user namespace they are, whatever
 * their permissions; of what they hold nothing. So the device is as good as
 * CAP_DAC_READ_SEARCH for names: pass it on to nobody who may not have that.
 *
 * Each adds up address_space.nrpages of the filesystem's own inodes. A device
 * node counts as itself, so without the pages of the device behind it; a DAX
 *file has no page cache.
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
 * A walk keeps an inode for the moment in which it looks at it. If its last
 *user lets go of it in that moment and the filesystem is frozen, the module
 *keeps it, and with it the mount and itself, until the thaw: umount(8) and
 *rmmod(8) are refused until then. BUFSTAT_IOC_HELD tells for which filesystems
 *that is so.
 *
 * Errors of the two:
 *	EBADF		the descriptor is not open
 *	EFAULT		a structure or the rows cannot be read or written
 *	EINVAL		wrong version, unknown flag, a field that must be zero
 *			is not, capacity out of range
 *	EOPNOTSUPP	not a filesystem whose pages are in Cached: sockets,
 *			pipes and the like, block devices' own, hugetlbfs
 *	EINTR		a signal came whose handler was installed without
 *			SA_RESTART; after any other the call begins anew
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
#define BUFSTAT_FS_HAS_UNEVICTABLE 0x8 /* unevictable_pages is all there is */
#define BUFSTAT_FS_ONE_FILE 0x10 /* of the descriptor's file alone */

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
	/* Inodes that were being evicted: their dirty pages are not counted. */
	__u64 uncounted_inodes;
	/* What it cost: holds of the lock over the list of inodes. */
	__u64 holds;
	__u64 longest_hold_ns;
	__u64 walk_ns; /* from the first hold to the last, pauses included */
	__u8 type[32]; /* super_block.s_type->name, ends in 0 */
	__u8 id[32]; /* super_block.s_id, mostly the device's name, ends in 0 */
	/*
	 * Pages that reclaim leaves alone: mlocked (a folio counts whole), or
	 * of a mapping with AS_UNEVICTABLE as ramfs has. Without
	 * BUFSTAT_FS_HAS_UNEVICTABLE there may be more of them.
	 */
	__u64 unevictable_pages;
	__u64 reserved[3]; /* in: zero */
};

/* Bits of bufstat_file.about. */
#define BUFSTAT_FILE_DELETED 0x1 /* no link left: i_nlink is 0 */
/* "path" is a path from the root of the filesystem, begins with a slash. */
#define BUFSTAT_FILE_HAS_PATH 0x2
/*
 * "path" is only a name, by which nothing is found: of a deleted file, of the
 * link that was removed if there are others, "memfd:NAME", "SYSVxxxxxxxx".
 */
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
	__u64 missed; /* files that should have had a row; 0 */
	__u64 reserved[4]; /* in: zero */
};

/* Bits of bufstat_held_filesystem.about. */
#define BUFSTAT_HELD_FROZEN 0x1 /* the filesystem is frozen (fsfreeze(8)) */

#define BUFSTAT_HELD_ROWS 8

/* A filesystem of which the module still has to let go. */
struct bufstat_held_filesystem {
	__u32 major; /* super_block.s_dev; block devices have one together */
	__u32 minor;
	__u32 about; /* BUFSTAT_HELD_* */
	__u32 seconds; /* for how long */
	__u64 inodes;
	__u8 type[32]; /* as in struct bufstat_filesystem */
	__u8 id[32];
};

/* For BUFSTAT_IOC_HELD, whose errors are EFAULT and EINVAL. */
struct bufstat_held {
	__u32 version; /* in */
	__u32 count; /* filesystems; only the first have a row */
	struct bufstat_held_filesystem rows[BUFSTAT_HELD_ROWS];
	__u64 reserved; /* in: zero */
};

#define BUFSTAT_IOC_VERSION _IOR(0xBF, 0x00, struct bufstat_version)
#define BUFSTAT_IOC_FILESYSTEM _IOWR(0xBF, 0x01, struct bufstat_filesystem)
#define BUFSTAT_IOC_FILES _IOWR(0xBF, 0x02, struct bufstat_files)
#define BUFSTAT_IOC_HELD _IOWR(0xBF, 0x03, struct bufstat_held)

#endif
