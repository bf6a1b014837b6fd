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
	s64 dirty; /* or BUFSTAT_NO_FIGURE, as the next two */
	s64 writeback;
	s64 openers;
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
 * tagged.c: dirty pages and pages under writeback of @mapping, whose inode must
 * be pinned; BUFSTAT_NO_FIGURE where this kernel's cannot be counted. May
 * reschedule. Returns 0, or -EINTR if a fatal signal is pending.
 */
int bufstat_count_tagged(struct address_space *mapping, s64 *dirty,
			 s64 *writeback);
/* Are there any? Looks at two flags. */
bool bufstat_is_tagged(struct address_space *mapping);

/* debugfs.c: returns 0 or what debugfs answered. */
int bufstat_debugfs_init(void);
void bufstat_debugfs_exit(void);

/* control.c: returns 0 or what misc_register() answered. */
int bufstat_control_init(void);
void bufstat_control_exit(void);

#endif
