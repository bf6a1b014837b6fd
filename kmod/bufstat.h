/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the module's files share for block devices; walk.h is for filesystems.
 *
 * bufstat_snapshot_create() collects a snapshot, which belongs to one open file
 * until bufstat_snapshot_destroy(). Between the two nobody writes to it.
 */
#ifndef BUFSTAT_BUFSTAT_H
#define BUFSTAT_BUFSTAT_H

#include <linux/types.h>

struct address_space;
struct inode;

#define BUFSTAT_NAME_SIZE 64

/* An unknown figure. */
#define BUFSTAT_NO_FIGURE (-1)

/* One block device with pages. All counts in pages. */
struct bufstat_row {
	struct inode *inode; /* pinned while collecting, then NULL */
	dev_t dev;
	unsigned long pages;
	s64 dirty; /* this and the next three may be BUFSTAT_NO_FIGURE */
	s64 writeback;
	s64 openers;
	s64 write_error; /* errno of the newest error recorded, 0: none */
	char name[BUFSTAT_NAME_SIZE]; /* "" if unknown */
};

struct bufstat_snapshot {
	/* Taken under one hold of the list lock. */
	unsigned long devices;
	unsigned long pages;
	size_t count; /* devices with pages; rows[] has at least as many */
	/* Read right after that hold. */
	unsigned long bufferram_pages;
	unsigned long file_pages;

	size_t capacity; /* of rows[] */
	struct bufstat_row *rows;
};

/*
 * collect.c: takes a snapshot, which the caller destroys. Process context, no
 * locks held. Returns it or ERR_PTR: -ENOMEM, or -EINTR if a fatal signal is
 * pending.
 */
struct bufstat_snapshot *bufstat_snapshot_create(void);
void bufstat_snapshot_destroy(struct bufstat_snapshot *snapshot);

/*
 * device.c: fills in what needs no list lock: name, openers, dirty, writeback,
 * write_error. @row's inode must be pinned. May reschedule. Returns 0 or
 * -EINTR.
 */
int bufstat_device_inspect(struct bufstat_row *row);

/*
 * mapping.c, built only where the page cache is an XArray. The inode of
 * @mapping must be pinned. Both may reschedule. They return 0, or -EINTR if a
 * fatal signal came.
 */
#ifdef BUFSTAT_HAS_XARRAY_PAGES
/* Sets @dirty and @writeback to the pages tagged so. */
int bufstat_count_tagged(struct address_space *mapping, s64 *dirty,
			 s64 *writeback);
/*
 * Adds the mlocked pages to @pages. Looks at no more than *@most entries, be
 * they pages, values or retries, and counts *@most down: -E2BIG if there are
 * more. A node that holds only values is one. -ENODATA if for some folios it
 * cannot be told.
 */
int bufstat_count_mlocked(struct address_space *mapping, u64 *most, u64 *pages);
#endif

/*
 * debugfs.c. A kernel may have no debugfs or be booted with debugfs=off. Then
 * the file is missing, and that is no error.
 */
void bufstat_debugfs_init(void);
void bufstat_debugfs_exit(void);

/* control.c: returns 0 or the error of misc_register(). */
int bufstat_control_init(void);
void bufstat_control_exit(void);

#endif
