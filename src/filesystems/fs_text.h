/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was measured of the filesystems as text, for a captured tree. A line has
 * a key, a space and a value, whose newlines and backslashes are escaped as in
 * mountinfo. After the totals a filesystem begins with its figures; the lines
 * up to the next are about it. The last one counts them:
 *
 *	bufstat-filesystems 1
 *	page_size 4096
 *	Cached 19288
 *	filesystem 254:0 120 0 0 44 20800 0 -
 *	unevictable 0
 *	type ext4
 *	source /dev/vda
 *	at /mnt
 *	filesystem 0:1 5 - - 3 1200 0 shmem,keeps
 *	filesystem 0:40 - - - 0 0 0 -
 *	refused did not answer
 *	end 3
 *
 * The figures: number, pages, dirty and writeback pages, inodes, longest hold
 * in ns, inodes whose dirty pages were not counted, and what it is. "-" is what
 * is not known. One without type is the kernel's own tmpfs. Without
 *"unevictable" those pages were not all counted; "unmounted yes" says that it
 *is in use all the same, and "at" is a descriptor.
 */
#ifndef BUFSTAT_FS_TEXT_H
#define BUFSTAT_FS_TEXT_H

#include <stdio.h>

struct error;
struct filesystems;
struct sysroot;

/* In a captured tree. */
#define FS_TEXT_PATH "/bufstat/filesystems"

void fs_text_write(FILE *out, const struct filesystems *filesystems);

/*
 * Reads it into @filesystems, which is all zero. Returns 0, -EOPNOTSUPP if
 * @root has none, -EBADMSG if it is damaged, or -ENOMEM. The caller deinits in
 * any case.
 */
int fs_text_read(const struct sysroot *root, struct filesystems *filesystems,
		 struct error *err);

#endif
