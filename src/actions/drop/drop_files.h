/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Releases the pages of one file, or of all files of one filesystem. */
#ifndef BUFSTAT_DROP_FILES_H
#define BUFSTAT_DROP_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drop/drop_result.h"
#include "drop/mapped.h"
#include "filesystems/all_mounts.h"
#include "filesystems/measured_files.h"
#include "lib/string_list.h"

struct sysroot;

/* Why pages of a file stay. The first that applies. */
enum drop_stay {
	STAY_NOT, /* nothing is known to keep them */
	STAY_DELETED, /* no path leads to it */
	STAY_NAMELESS, /* nor has it ever had a name: metadata */
	STAY_NO_FILE, /* a symbolic link or such, which cannot be opened */
	STAY_HIDDEN, /* its path leads elsewhere, or nowhere */
	STAY_WRITE_ERROR,
	STAY_UNKNOWN, /* whether a write to it has failed is not known */
	STAY_FAILED, /* releasing them failed */
	STAY_MAPPED,
};

struct drop_file {
	char *path; /* or a name, or NULL */
	uint64_t ino;
	enum drop_stay stay;
	int error; /* an errno, for STAY_FAILED */
	struct drop_pages before;
	struct drop_pages after; /* only if released; while writing, the last */
	uint64_t stayed; /* pages, or that would stay, as far as is known */
	bool knows_write_error;
	unsigned int write_error; /* errno, or 0 */
	bool knows_mapped; /* @is_mapped is known */
	bool is_mapped;
	struct mapped_file mapped;
	struct string_list users; /* of a deleted file: who has it open */
};

/* What is to be released, and what came of it. */
struct drop_set {
	struct drop_result result;
	const char *path; /* what the user named; owned by the caller */
	bool is_mount; /* a whole filesystem, not one file */
	unsigned int major; /* of the filesystem, as in mountinfo */
	unsigned int minor;
	const char *type; /* of the filesystem */
	const char *mountpoint; /* for is_mount: to open */
	bool uses_cachestat; /* for one file; set by drop_set_run() */
	/* All below: results. One file is set by the caller: path and ino. */
	struct drop_file *files; /* with pages; most pages first */
	size_t count;
	uint64_t unlisted; /* files with pages that are not in the list */
	uint64_t least; /* pages that will be released, at least */
	uint64_t most; /* and at most */
	struct string_list unknown_users; /* processes not all seen of */
};

/*
 * Measures the set, finds out what will stay and why, and, unless
 * @dry_run, writes what is dirty and releases the pages, file by file.
 * Reads no directory: it opens only files that have pages, each only after its
 * number shows that the path still leads to it. @mounts are those of this
 * host. @source is "kcore", "module" or NULL for the best.
 *
 * A worker (ask.h) does what may wait for the disk. If it makes no progress,
 * the error names the step that it goes on with. Returns 0, or a negative errno
 * with the error in the result; the caller deinits @set in either case.
 */
int drop_set_run(struct drop_set *set, const struct sysroot *root,
		 const struct all_mounts *mounts, const char *source);
void drop_set_deinit(struct drop_set *set);

/*
 * Sets each file's @stay, and @least and @most, from what was measured. Part of
 * drop_set_run(), for tests.
 */
void drop_set_forecast(struct drop_set *set);

/* Whether pages of @file are to be released, but for mapped ones. */
static inline bool drop_file_goes(const struct drop_file *file)
{
	return file->stay == STAY_NOT || file->stay == STAY_MAPPED;
}

/* Whether @file->after tells of pages to be written, or does not tell. */
bool drop_file_is_unwritten(const struct drop_file *file);

/* Sets each file's @stayed, of what was released or would be; the same. */
void drop_set_count_stayed(struct drop_set *set);

/*
 * Whether pages stayed that nobody uses: dirty ones, those of a file that could
 * not or must not be released, or of files that were not listed.
 */
bool drop_set_is_partial(const struct drop_set *set);

#endif
