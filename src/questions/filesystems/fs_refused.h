/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_FS_REFUSED_H
#define BUFSTAT_FS_REFUSED_H

struct filesystems;
struct told;

/*
 * For each command whose answer is made of the filesystems: says on stderr what
 * they lack, and why. @told is as for refused_print().
 */
void fs_refused_print(const struct filesystems *filesystems, struct told *told);

#endif
