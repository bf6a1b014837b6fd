/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the files with most pages in a kernel's memory. */
#ifndef BUFSTAT_KERNEL_FILES_H
#define BUFSTAT_KERNEL_FILES_H

struct cached_files;
struct error;
struct files_question;
struct kernel;
struct sysroot;

/*
 * Fills @files with the @question->limit files that have most pages. The caller
 * has read @files->mounts, unless the kernel is in a dump. Reads the names only
 * after it has walked all filesystems. Counts and explains in @files what could
 * not be walked. Workers (ask.h) look the paths up; a path without an answer
 * counts as silent. Returns 0 or a negative errno as kernel_filesystems_init().
 */
int kernel_files_find(struct cached_files *files, const struct sysroot *root,
		      const struct kernel *kernel,
		      const struct files_question *question, struct error *err);

#endif
