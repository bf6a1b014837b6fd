/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lab is a directory bufstat-repro.XXXXXX that its owner has locked and that
 * says who that is:
 *
 *	pid 4711
 *	start 123456	(clock ticks after boot, as in /proc/PID/stat)
 *	boot 5a0c...	(/proc/sys/kernel/random/boot_id)
 *	kept		(only if it is to stay)
 *
 * The lock goes with the process, however that ends; pid and start time also
 * tell where the filesystem has no locks.
 */
#ifndef BUFSTAT_LAB_OWNER_H
#define BUFSTAT_LAB_OWNER_H

#include <stdbool.h>

struct error;
struct sysroot;

#define LAB_PREFIX "bufstat-repro."
#define LAB_OWNER_FILE "owner"

/*
 * Makes a lab's directory in @where, locked and with its owner's file. *@fd is
 * the directory, which the caller closes, *@path its path, which he frees.
 * Returns 0 or a negative errno with nothing left.
 */
int lab_owner_create(const struct sysroot *root, const char *where, int *fd,
		     char **path, struct error *err);

/* Marks the lab as one that nobody removes. Returns 0 or a negative errno. */
int lab_owner_keep(int lab);

/*
 * Locks the directory @lab and reads its file: has its owner died? Not if it
 * is kept. A directory in which there is no such file has no owner.
 */
bool lab_owner_is_dead(const struct sysroot *root, int lab);

#endif
