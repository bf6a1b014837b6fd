/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files with the most pages in the page cache. */
#ifndef BUFSTAT_MEASURED_FILES_H
#define BUFSTAT_MEASURED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filesystems/all_mounts.h"
#include "lib/string_list.h"

struct error;
struct sysroot;

struct cached_file {
	const struct mounted *mounted; /* NULL: the kernel's own tmpfs */
	unsigned int major;
	unsigned int minor;
	uint64_t ino;
	uint64_t pages;
	uint64_t size_bytes;
	unsigned int mode;
	bool is_deleted;
	char *path; /* or only a name; NULL if it has neither */
	/* Only from kcore and dumps, and only if details were asked for. */
	bool has_details;
	bool is_mapped; /* by some process */
	unsigned int write_error; /* errno of the newest failed write, or 0 */
	bool has_tags; /* the next two are known */
	uint64_t dirty; /* pages */
	uint64_t writeback; /* pages */
	struct string_list users; /* "comm(pid)" that have it open or mapped */
};

struct cached_files {
	const char *source; /* static: the source's name */
	struct all_mounts mounts;
	struct all_mounts unmounted; /* filesystems that only kcore knows of */
	struct cached_file *files; /* most pages first */
	size_t count;
	uint64_t page_size;
	uint64_t pages; /* of all files of the filesystems that were asked */
	uint64_t unlisted; /* files with pages that the module did not list */
	size_t silent; /* filesystems that did not answer */
	size_t refused;
	struct string_list why; /* "where: reason" for each of these */
	/*
	 * "comm(pid)" of each process of which not all open files or mappings
	 * are known.
	 */
	struct string_list unknown_users;
	bool is_dump; /* the files' users are not known */
	char *kernel; /* release of the kernel in a dump, or NULL */
};

struct files_question {
	const char *source; /* "module" or "kcore"; NULL: the best */
	const char *vmcore; /* asks about the kernel in this dump, or NULL */
	char *const *paths; /* asks about their filesystems; none: all */
	size_t path_count;
	/*
	 * List at most this many files. 0: all of them, for which the module
	 * has no room: it lists BUFSTAT_FILES_MAX at most.
	 */
	size_t limit;
	const uint64_t *ino; /* lists only the file of this number, or NULL */
	bool details; /* fills them in, if the source can */
};

/*
 * Asks the source. Returns 0, -EOPNOTSUPP if it cannot be used, or another
 * negative errno. The caller deinits in any case.
 */
int cached_files_init(struct cached_files *files, const struct sysroot *root,
		      const struct files_question *question, struct error *err);
void cached_files_deinit(struct cached_files *files);

/*
 * Finds the users of all files in /proc and touches none of the files. Returns
 * 0 or a negative errno.
 */
int cached_files_find_users(struct cached_files *files,
			    const struct sysroot *root, struct error *err);

#endif
