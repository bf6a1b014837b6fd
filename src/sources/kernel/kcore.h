/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/kcore: the running kernel's memory as an ELF core file. */
#ifndef BUFSTAT_KCORE_H
#define BUFSTAT_KCORE_H

#include "kernel/elf_core.h"
#include "kernel/kmem.h"
#include "lib/lack.h"

struct error;
struct patience;
struct sysroot;

struct kcore {
	int fd;
	struct elf_core core;
	struct patience *patience; /* reading ends when its time is over */
	const char *about; /* what that was about before */
	struct kmem kmem; /* reads this struct, which must not move */
};

/* Why /proc/kcore cannot be opened, which failed with errno @number. */
enum lack kcore_lack(const struct sysroot *root, int number);

/*
 * Opens /proc/kcore below @root and reads its headers. Returns 0, -EOPNOTSUPP
 * with the obstacle and what to do about it, or another negative errno. The
 * caller closes @kcore in any case.
 */
int kcore_open(struct kcore *kcore, const struct sysroot *root,
	       struct error *err);
void kcore_close(struct kcore *kcore);

#endif
