/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files with most pages, as a kernel's memory has them. */
#ifndef BUFSTAT_KERNEL_FILES_H
#define BUFSTAT_KERNEL_FILES_H

struct cached_files;
struct error;
struct files_question;
struct kernel;
struct sysroot;

/*
 * Fills @files, whose mounts were read before: the @question->limit files with
 * most pages, named after all filesystems were walked. What could not be walked
 * is counted and says why. A path is looked up without waiting for it
 * (lookup.h). Returns 0 or a negative errno as kernel_filesystems_init().
 */
int kernel_files_find(struct cached_files *files, const struct sysroot *root,
		      const struct kernel *kernel,
		      const struct files_question *question, struct error *err);

#endif
