/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes dirty pages before they are released. A failed write is reported only
 * once, by fsync(2), fdatasync(2), syncfs(2) or sync_file_range(2) with a flag
 * to wait, and a program that opens the file later has to get that report. So
 * none of these is used here: the write-out is only started, then counted until
 * it is over, and the caller reads in the kernel whether it failed.
 */
#ifndef BUFSTAT_WRITE_OUT_H
#define BUFSTAT_WRITE_OUT_H

#include <stdbool.h>
#include <sys/types.h>

struct drop_pages;
struct error;

struct write_out {
	/*
	 * Both return 0 or a negative errno with @err. What count() cannot tell
	 * stays unknown.
	 */
	int (*start)(void *data, struct error *err);
	int (*count)(void *data, struct drop_pages *left, struct error *err);
	void *data;
	dev_t disk; /* that is written to, if it is known */
	const char *object; /* for messages */
};

/*
 * Starts writing and waits until nothing is dirty or under writeback. What is
 * dirty again after two rounds stays so. Returns at once if it cannot be
 * counted. Returns 0; -EBUSY if nothing was written for DROP_SILENCE_MS; or
 * what start() or count() returned.
 */
int write_out(const struct write_out *how, struct error *err);

/*
 * Refuses to drop @object if a write to it has failed or nobody knows, because
 * its pages may be the only copy. Returns 0, -EIO or -EOPNOTSUPP.
 */
int write_out_check(bool is_known, unsigned int write_error, const char *object,
		    struct error *err);

/* Starts writing the dirty pages of @fd. May wait for its disk. 0 or -errno. */
int write_out_start(int fd);

#endif
