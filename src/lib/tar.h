/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tar files (POSIX ustar) with files, directories and symbolic links: what a
 * captured tree consists of.
 */
#ifndef BUFSTAT_TAR_H
#define BUFSTAT_TAR_H

#include <stddef.h>
#include <stdio.h>

struct error;

/*
 * Each writes one entry; @path is absolute and loses its slash. Returns 0, or
 * -ENAMETOOLONG, with nothing written, for a path or target that the format has
 * no room for. What could not be written shows in ferror().
 */
int tar_write_file(FILE *out, const char *path, const void *data, size_t size);
int tar_write_link(FILE *out, const char *path, const char *target);
int tar_write_directory(FILE *out, const char *path);

/* Without this it counts as cut short. */
void tar_write_end(FILE *out);

/*
 * Unpacks the tar file @path into the empty directory @dir. Nothing outside of
 * it is touched, whatever the file says. Returns 0, or a negative errno:
 * -EBADMSG for what is no such file, is damaged, cut short or far too large.
 */
int tar_extract(const char *path, int dir, struct error *err);

#endif
