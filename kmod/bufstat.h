/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the module's files share: block devices here, filesystems in walk.h.
 *
 * A snapshot is collected by snapshot_create() and belongs to one open file
 * until snapshot_destroy(). Between the two nobody writes to it.
 */
#ifndef BUFSTAT_BUFSTAT_H
#define BUFSTAT_BUFSTAT_H

#include <linux/types.h>

struct address_space;
struct inode;

#define BUFSTAT_NAME_SIZE 64

/* In place of a figure that could not be had. */
#define BUFSTAT_NO_FIGURE (-1)

/* One block device with pages. All counts in pages. */
struct bufstat_row {
	struct inode *inode; /* pinned while collecting, then NULL */
	dev_t dev;
	unsigned long pages;
	s64 dirty; /* or BUFSTAT_NO_FIGURE, as the next three */
	s64 writeback;
	s64 openers;
	s64 write_error; /* errno of the newest one recorded, 0: none */
	char name[BUFSTAT_NAME_SIZE]; /* "" if it could not be had */
};

struct bufstat_snapshot {
	/* Taken under one hold of the list lock. */
	unsigned long devices;
	unsigned long pages;
	size_t count; /* devices with pages; rows[] has at least as many */
	/* Taken right after it. */
	unsigned long bufferram_pages;
	unsigned long file_pages;

	size_t capacity; /* of rows[] */
	struct bufstat_row *rows;
};

/*
 * collect.c: takes a snapshot. Process context, no locks held. Returns it or
 * ERR_PTR: -ENOMEM, or -EINTR if a fatal signal is pending.
 */
struct bufstat_snapshot *bufstat_snapshot_create(void);
void bufstat_snapshot_destroy(struct bufstat_snapshot *snapshot);

/*
 * device.c: fills in what needs no list lock: name, openers, dirty, writeback.
 * @row's inode must be pinned. May reschedule. Returns 0 or -EINTR.
 */
int bufstat_device_inspect(struct bufstat_row *row);

/*
 * mapping.c, where the page cache is an XArray. The inode of @mapping must be
 * pinned. Both may reschedule, and return 0, or -EINTR if a fatal signal came.
 */
#ifdef BUFSTAT_HAS_XARRAY_PAGES
/* Pages that are dirty, and pages under writeback. */
int bufstat_count_tagged(struct address_space *mapping, s64 *dirty,
			 s64 *writeback);
/*
 * Adds the pages that are mlocked to @pages. Looks at @most entries, which it
 * counts down, at most: -E2BIG if there are more. -ENODATA if there are folios
 * of which it cannot be told.
 */
int bufstat_count_mlocked(struct address_space *mapping, u64 *most, u64 *pages);
#endif

/*
 * debugfs.c. Without debugfs there is no file, and that is all: a kernel may
 * have none, or have been booted with debugfs=off.
 */
void bufstat_debugfs_init(void);
void bufstat_debugfs_exit(void);

/* control.c: returns 0 or what misc_register() answered. */
int bufstat_control_init(void);
void bufstat_control_exit(void);

#endif
