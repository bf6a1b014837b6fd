/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_LIMITS_CHECK_H
#define BUFSTAT_LIMITS_CHECK_H

#include <stdint.h>

struct error;
struct sysroot;

/*
 * Checks that an experiment may fill @memory_bytes of the page cache: at most a
 * quarter of the memory that is available on the host or to our cgroup. More
 * would displace cache that somebody needs. Returns 0, -ENOMEM with the
 * figures, or another negative errno.
 */
int memory_check(const struct sysroot *root, uint64_t memory_bytes,
		 struct error *err);

/*
 * The default size in bytes of an experiment that fills it @times over:
 * @usual_bytes, or as many whole mebibytes as memory_check() allows, but at
 * least 16 MiB.
 */
uint64_t memory_size(const struct sysroot *root, uint64_t usual_bytes,
		     unsigned int times);

/*
 * Checks that an experiment may write @disk_bytes in @dir: at most half of the
 * free space. Returns 0, -ENOSPC with the figures, or another negative errno.
 */
int disk_check(const char *dir, uint64_t disk_bytes, struct error *err);

#endif
