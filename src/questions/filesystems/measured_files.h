/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files with the most pages in the page cache. */
#ifndef BUFSTAT_MEASURED_FILES_H
#define BUFSTAT_MEASURED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filesystems/all_mounts.h"
#include "filesystems/found_paths.h"
#include "lib/string_list.h"

struct error;
struct sysroot;

struct cached_file {
	bool is_own; /* on the kernel's own tmpfs, which has no names */
	/* Of its filesystem. Where all files were asked for, kcore sets none. */
	char *source; /* as in mountinfo */
	char *type;
	char *place; /* a mount point; NULL also if it has none */
	unsigned int major;
	unsigned int minor;
	uint64_t ino;
	uint64_t pages;
	uint64_t size_bytes;
	unsigned int mode;
	bool is_deleted;
	bool is_named; /* the user asked for exactly this file */
	char *path; /* or only a name; NULL if it has neither */
	/* Only if details were asked for; from kcore and dumps. */
	bool has_details;
	bool is_mapped; /* by some process */
	/* Likewise, and always from a module that counts them. */
	bool has_write_error;
	unsigned int write_error; /* errno of the newest failed write, or 0 */
	bool has_tags; /* the next two are known */
	uint64_t dirty; /* pages */
	uint64_t writeback; /* pages */
	struct string_list users; /* "comm(pid)" that have it open or mapped */
};

struct cached_files {
	const char *source; /* static: the source's name */
	struct all_mounts mounts; /* to find the users */
	struct string_list below; /* directories, if not all is listed */
	struct string_list paths; /* those named, and the mounts below them */
	struct cached_file *files; /* most pages first */
	size_t count;
	uint64_t page_size;
	/* Of all files of the filesystems that were asked about, if any were. */
	uint64_t pages;
	bool has_pages;
	uint64_t unlisted; /* files with pages that the module did not list */
	size_t silent; /* filesystems that did not answer */
	size_t refused;
	struct string_list why; /* "where: reason" for each of these */
	size_t lost_names; /* files whose names a dump lacks */
	/*
	 * "comm(pid)" of each process of which not all open files or mappings
	 * are known; and PROCESSES_OUTSIDE.
	 */
	struct string_list unknown_users;
	bool is_dump; /* the files' users are not known */
	/* Of a capture: the most files that it could have. Else 0. */
	size_t captured;
	bool lacks_files; /* it has so many, and more were asked for */
	bool lacks_paths; /* they were left out of the capture */
	char *kernel; /* release of the kernel in a dump, or NULL */
};

struct files_question {
	const char *source; /* "module" or "kcore"; NULL: the best */
	const char *vmcore; /* asks about the kernel in this dump, or NULL */
	/*
	 * Asks about the files, and about the filesystems that directories are
	 * on; none: about all filesystems.
	 */
	char *const *paths;
	size_t path_count;
	size_t more_count; /* of the paths: the last, which nobody named */
	bool below; /* only about what is below the directories, instead */
	/*
	 * List at most this many files that were not named. 0: all of them, for
	 * which the module has no room: it lists BUFSTAT_FILES_MAX at most.
	 * They may be millions, so each has no names of its filesystem then.
	 */
	size_t limit;
	bool details; /* fills them in, if the source can; not with @below */
};

/*
 * Asks the source, or reads the answer, with the users, from a captured tree.
 * Returns 0, -EOPNOTSUPP if the source cannot be used or has not answered in
 * the capture, or another negative errno. The caller deinits in any case.
 */
int cached_files_init(struct cached_files *files, const struct sysroot *root,
		      const struct files_question *question, struct error *err);
void cached_files_deinit(struct cached_files *files);

/* Keeps the first @limit files. */
void cached_files_cut(struct cached_files *files, size_t limit);

/* Whether the files' users are known or can be looked for. */
static inline bool cached_files_have_users(const struct cached_files *files)
{
	return !files->is_dump;
}

/*
 * For the sources. Sorts the files, and removes duplicates and all but the
 * named ones and the @limit largest others.
 */
void cached_files_keep(struct cached_files *files, size_t limit);

/* Whether it was named, or is below the directories if there are any. */
bool cached_files_want(const struct cached_files *files,
		       const struct cached_file *file);

/*
 * Copies the names of its filesystem; NULL: it is on the kernel's own tmpfs.
 * Returns 0 or -ENOMEM.
 */
int cached_file_name(struct cached_file *file, const struct mounted *mounted);

/* Why a file that the user named has no figures of its own; NULL: it has. */
const char *cached_file_why_not(const struct found_path *path,
				const struct mounted *mounted);

/*
 * Counts a filesystem that did not answer (@is_silent) or refused to, and notes
 * @why. Returns 0 or -ENOMEM.
 */
int cached_files_refuse(struct cached_files *files, const char *where,
			const char *why, bool is_silent);

/*
 * Whether every filesystem answered, all mounts were seen, and all users are
 * known. Of a capture, also whether it has all files that were asked for and
 * their paths.
 */
bool cached_files_are_whole(const struct cached_files *files);

/*
 * Finds the users of all files in /proc and touches none of the files. Does
 * nothing if they are known already, or cannot be. Returns 0 or a negative
 * errno.
 */
int cached_files_find_users(struct cached_files *files,
			    const struct sysroot *root, struct error *err);

#endif
