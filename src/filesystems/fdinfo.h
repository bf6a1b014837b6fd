/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/fdinfo: what a process's descriptors are. */
#ifndef BUFSTAT_FDINFO_H
#define BUFSTAT_FDINFO_H

#include <stdbool.h>
#include <stdint.h>

struct sysroot;

/* Returns 0 with *@info the caller's to free, or a negative errno. */
int fdinfo_read(const struct sysroot *root, const char *pid, const char *fd,
		char **info);

/* The number after @key, as in "mnt_id:", at the beginning of a line. */
bool fdinfo_number(const char *info, const char *key, uint64_t *number);

#endif
