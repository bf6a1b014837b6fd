/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/bufstat: what Cached is made of, filesystem by filesystem and file by
 * file. It is a character device for root with four ioctls and no read or
 * write. Opening it requires CAP_SYS_ADMIN; the module is in use while it is
 * open.
 *
 * BUFSTAT_IOC_VERSION identifies the module. BUFSTAT_IOC_FILESYSTEM and
 * BUFSTAT_IOC_FILES take a descriptor of any file of a filesystem. It may be
 * opened with O_PATH, which asks no server on the network. A memfd stands for
 * the internal tmpfs that holds the pages of memfds, System V shared memory and
 * shared anonymous memory. A file whose inode is on no superblock's list, as
 * from memfd_secret(2) or a virtual machine's guest_memfd, stands for itself
 * (BUFSTAT_FS_ONE_FILE), and so does any file with BUFSTAT_FILES_ONE. The
 * filesystem cannot be unmounted while the ioctl
 * runs, even if the caller closes the descriptor meanwhile.
 *
 * Security: whoever has the device open and passes it a descriptor learns the
 * names, sizes and page counts of all files of that filesystem, in any
 * directory, mount, container or user namespace and whatever their permissions,
 * but none of their contents. For names, the device is as powerful as
 * CAP_DAC_READ_SEARCH: pass it to nobody who may not have that.
 *
 * Both ioctls add up address_space.nrpages of the filesystem's own inodes. A
 * device node counts without the pages of its block device. A DAX file has no
 * page cache.
 *
 * Layout: no pointers, no implicit padding, the same for 32-bit callers. The
 * caller sets "version" to BUFSTAT_FILESYSTEMS_VERSION, sets the fields marked
 * "in", and zeroes everything else, because a newer version may read it. The
 * module writes the whole structure.
 *
 * The inodes are walked some at a time, so the sum is not of one instant. Pages
 * that come or go during the walk count as they are when the walk passes them;
 * inodes created since it began are not seen. One walk of a filesystem runs at
 * a time; a second caller waits. A signal ends both the wait and the walk.
 *
 * An overlay has no pages: its inodes are not walked.
 *
 * A walk pins an inode while it looks at it. If the last user lets go of the
 * inode in that moment and the filesystem is frozen, the module keeps the
 * inode, the mount and itself until the thaw: umount(8) and rmmod(8) are
 * refused until then. The same goes for a disk or server that does not answer,
 * and then a kernel thread waits for it. BUFSTAT_IOC_HELD lists the filesystems
 * concerned. No other filesystem is.
 *
 * Errors of BUFSTAT_IOC_FILESYSTEM and BUFSTAT_IOC_FILES:
 *	EBADF		the descriptor is not open
 *	EFAULT		a structure or the rows cannot be read or written
 *	EINVAL		wrong version, unknown flag, a field that must be zero
 *			is not, capacity out of range
 *	EOPNOTSUPP	the filesystem's pages are not in Cached: sockets,
 *			pipes and the like, block devices' own, hugetlbfs
 *	EINTR		a signal came whose handler was installed without
 *			SA_RESTART; after any other the call is restarted
 *	ENOMEM
 * ENOTTY: the module does not have this command.
 */
#ifndef BUFSTAT_FILESYSTEMS_H
#define BUFSTAT_FILESYSTEMS_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define BUFSTAT_DEVICE "bufstat" /* below /dev */

/* Grows when a field changes its meaning; the ioctl numbers then change too. */
#define BUFSTAT_FILESYSTEMS_VERSION 1

struct bufstat_version {
	__u32 version; /* out: the module's */
	__u32 page_size; /* out: bytes */
	__u8 module_version[24]; /* out: BUFSTAT_VERSION, NUL-terminated */
};

/* Bits of "about". */
#define BUFSTAT_FS_SHMEM 0x1 /* tmpfs: the pages are in Shmem too */
#define BUFSTAT_FS_INTERNAL 0x2 /* the kernel's own, mounted nowhere */
#define BUFSTAT_FS_HAS_DIRTY 0x4 /* dirty and writeback were counted */
#define BUFSTAT_FS_HAS_UNEVICTABLE 0x8 /* unevictable_pages is complete */
#define BUFSTAT_FS_ONE_FILE 0x10 /* the descriptor's file alone */
#define BUFSTAT_FS_TELLS_ERRORS 0x20 /* BUFSTAT_IOC_FILES has wb_err */

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
	/* Inodes whose dirty pages are uncounted: mostly being evicted. */
	__u64 uncounted_inodes;
	/* The walk's cost: how often it took the lock of the inode list. */
	__u64 holds;
	__u64 longest_hold_ns;
	__u64 walk_ns; /* from the first hold to the last, pauses included */
	__u8 type[32]; /* super_block.s_type->name; both are NUL-terminated */
	__u8 id[32]; /* super_block.s_id, mostly a device's name */
	/*
	 * Pages that reclaim leaves alone: mlocked ones (a folio counts whole),
	 * and those of a mapping with AS_UNEVICTABLE, as in ramfs. Without
	 * BUFSTAT_FS_HAS_UNEVICTABLE there may be more of them.
	 */
	__u64 unevictable_pages;
	__u64 reserved[3]; /* in: zero */
};

/* Bits of bufstat_file.about. */
#define BUFSTAT_FILE_DELETED 0x1 /* no link left: i_nlink is 0 */
/* "path" is a path from the root of the filesystem and begins with a slash. */
#define BUFSTAT_FILE_HAS_PATH 0x2
/*
 * "path" is only a name and cannot be looked up: that of a deleted file, of a
 * removed link to a file that has others, "memfd:NAME", "SYSVxxxxxxxx". Of a
 * file with hundreds of removed links that are still open, others may go
 * unfound.
 */
#define BUFSTAT_FILE_HAS_NAME 0x4
#define BUFSTAT_FILE_HAS_WB_ERR 0x8 /* wb_err was read */
#define BUFSTAT_FILE_HAS_DIRTY 0x10 /* dirty and writeback were counted */

#define BUFSTAT_FILE_PATH_SIZE 4040

/* With neither bit, "path" is empty: no name of the inode is known. */
struct bufstat_file {
	__u64 ino;
	__u64 pages;
	__u64 size_bytes;
	__u32 mode; /* as in stat(2) */
	__u32 about; /* BUFSTAT_FILE_* */
	__u32 links;
	/*
	 * errno of the newest write error recorded in address_space.wb_err, 0:
	 * none. It is the same whether fsync(2) has reported it or not.
	 */
	__u32 wb_err;
	__u32 dirty_pages; /* tagged dirty */
	__u32 writeback_pages; /* under writeback */
	__u32 reserved[2];
	__u8 path[BUFSTAT_FILE_PATH_SIZE]; /* NUL-terminated */
};

#define BUFSTAT_FILES_MAX 1024

/*
 * Bit of bufstat_files.flags: list the descriptor's file alone, if it has
 * pages. A module that does not know the bit answers EINVAL.
 */
#define BUFSTAT_FILES_ONE 0x1

struct bufstat_files {
	__u32 version; /* in */
	__s32 fd; /* in */
	__u32 flags; /* in: BUFSTAT_FILES_ONE */
	__u32 capacity; /* in: room in rows, 1..BUFSTAT_FILES_MAX */
	__u64 rows; /* in: address of an array of struct bufstat_file */
	__u32 count; /* rows written, most pages first */
	__u32 major;
	__u32 minor;
	__u32 about; /* BUFSTAT_FS_SHMEM, _INTERNAL and _ONE_FILE */
	__u64 inodes;
	__u64 pages; /* of all inodes, including those without a row */
	__u64 with_pages;
	__u64 missed; /* files left out for lack of room; usually 0 */
	__u64 reserved[4]; /* in: zero */
};

/* Bits of bufstat_held_filesystem.about. */
#define BUFSTAT_HELD_FROZEN 0x1 /* the filesystem is frozen (fsfreeze(8)) */
/*
 * In the upper 24 bits: the kernel thread that lets go of its inodes now, 0:
 * none. It may wait for the disk or server, or for a filesystem below, as with
 * a loop device on one that is frozen: /proc/THREAD/stack in the initial PID
 * namespace.
 */
#define BUFSTAT_HELD_THREAD(about) ((about) >> 8)
#define BUFSTAT_HELD_ABOUT_THREAD(thread) ((__u32)(thread) << 8)

#define BUFSTAT_HELD_ROWS 8

/* A filesystem with inodes that the module still has to let go of. */
struct bufstat_held_filesystem {
	__u32 major; /* super_block.s_dev; all block devices share one */
	__u32 minor;
	__u32 about; /* BUFSTAT_HELD_* */
	__u32 seconds; /* since the first of these inodes was queued */
	__u64 inodes;
	__u8 type[32]; /* as in struct bufstat_filesystem */
	__u8 id[32];
};

/* For BUFSTAT_IOC_HELD. Errors: EFAULT, EINVAL. */
struct bufstat_held {
	__u32 version; /* in */
	__u32 count; /* filesystems; the first BUFSTAT_HELD_ROWS have a row */
	struct bufstat_held_filesystem rows[BUFSTAT_HELD_ROWS];
	__u64 reserved; /* in: zero */
};

#define BUFSTAT_IOC_VERSION _IOR(0xBF, 0x00, struct bufstat_version)
#define BUFSTAT_IOC_FILESYSTEM _IOWR(0xBF, 0x01, struct bufstat_filesystem)
#define BUFSTAT_IOC_FILES _IOWR(0xBF, 0x02, struct bufstat_files)
#define BUFSTAT_IOC_HELD _IOWR(0xBF, 0x03, struct bufstat_held)

#endif
