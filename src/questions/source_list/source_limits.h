/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a source cannot tell: which figures are absent from what it has just
 * measured, and what it never knows.
 */
#ifndef BUFSTAT_SOURCE_LIMITS_H
#define BUFSTAT_SOURCE_LIMITS_H

struct cached_files;
struct filesystems;
struct devices;

/*
 * These set *@text to a list in words, or to NULL if there is nothing that it
 * cannot tell. The caller frees it. They return 0 or -ENOMEM.
 */

/* An empty answer is that of a source that was not tried. */
int device_limits(const struct devices *devices, char **text);
int filesystem_limits(const struct filesystems *filesystems, char **text);
int file_limits(const struct cached_files *files, char **text);

#endif
