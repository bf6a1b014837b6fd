/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_LIMITS_CHECK_H
#define BUFSTAT_LIMITS_CHECK_H

#include <stdint.h>

struct error;
struct sysroot;

/*
 * May an experiment fill @memory_bytes of the page cache: a quarter of what is
 * available on the host, or to our cgroup, at most? The cache it displaces
 * otherwise is somebody's. Returns 0,
 * or -ENOMEM with the figures.
 */
int memory_check(const struct sysroot *root, uint64_t memory_bytes,
		 struct error *err);

/*
 * What of that an experiment takes that fills so much @times over and whose size
 * nobody named: @usual_bytes, or as many mebibytes as fit, but 16 at least.
 */
uint64_t memory_size(const struct sysroot *root, uint64_t usual_bytes,
		     unsigned int times);

/* May it take @disk_bytes in @dir: half of what is free at most? */
int disk_check(const char *dir, uint64_t disk_bytes, struct error *err);

#endif
