/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc/PID/fdinfo, which describes a process's descriptors, in lines
 * for number_of_line(). */
#ifndef BUFSTAT_FDINFO_H
#define BUFSTAT_FDINFO_H

struct sysroot;

/* Returns 0 or a negative errno. The caller frees *@info. */
int fdinfo_read(const struct sysroot *root, const char *pid, const char *fd,
		char **info);

#endif
