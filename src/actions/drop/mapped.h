/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds which pages of files are mapped by processes, and by which. Such pages
 * stay in the page cache whatever is advised. /proc/PID/maps tells what is
 * mapped, /proc/PID/pagemap which pages of it are in a page table, and
 * /proc/kpageflags the folios: one mapped page keeps its whole folio.
 */
#ifndef BUFSTAT_MAPPED_H
#define BUFSTAT_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/string_list.h"

struct error;
struct sysroot;

/* Pages of a file, from @first up to but not including @end. */
struct page_range {
	uint64_t first;
	uint64_t end;
	bool is_mlocked;
};

struct mapped_file {
	/* Set by the caller: of the filesystem, as in mountinfo. */
	unsigned int major;
	unsigned int minor;
	uint64_t ino;
	size_t index; /* for the caller, since the files are sorted */
	/* The results. */
	uint64_t pages; /* mapped by any process */
	uint64_t mlocked_pages; /* of these */
	struct string_list users; /* "comm(pid)" of those that map the file */
	/* Not all was seen: more pages may be mapped, by more processes. */
	bool is_partly_known;
	struct page_range *ranges; /* not yet added up */
	size_t range_count;
	size_t range_capacity;
};

/*
 * Sorts @files and fills in the results. Reading a process's mappings takes its
 * mmap_lock, which may be held forever, so workers do it (ask.h). @unknown gets
 * "comm(pid)" of each process of which not all was seen; then all files are
 * only partly known. Returns 0 or a negative errno; the caller deinits each
 * file in either case.
 */
int mapped_files_find(struct mapped_file *files, size_t count,
		      const struct sysroot *root, struct string_list *unknown,
		      struct error *err);
void mapped_file_deinit(struct mapped_file *file);

/*
 * Adds up the ranges, which may overlap, and frees them. For
 * mapped_files_find() and tests.
 */
void mapped_file_add_up(struct mapped_file *file);

#endif
