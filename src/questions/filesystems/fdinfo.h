/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc/PID/fdinfo, which describes a process's descriptors. */
#ifndef BUFSTAT_FDINFO_H
#define BUFSTAT_FDINFO_H

#include <stdbool.h>
#include <stdint.h>

struct sysroot;

/* Returns 0 or a negative errno. The caller frees *@info. */
int fdinfo_read(const struct sysroot *root, const char *pid, const char *fd,
		char **info);

/* Parses the number after @key, such as "mnt_id:", which must begin a line. */
bool fdinfo_number(const char *info, const char *key, uint64_t *number);

#endif
