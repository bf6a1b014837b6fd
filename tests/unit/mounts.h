/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_TESTS_MOUNTS_H
#define BUFSTAT_TESTS_MOUNTS_H

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mount.h>
#include <unistd.h>

/*
 * From here on nobody else sees what this process mounts: *own is true then. It
 * is false for a user who is not root, and in a chroot that is no mount point:
 * there, mounts stay visible. Returns 0, or -1 with errno.
 */
static inline int separate_mounts(bool *own)
{
	*own = false;
	if (geteuid() != 0)
		return 0;
	if (unshare(CLONE_NEWNS) < 0)
		return -1;
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return errno == EINVAL ? 0 : -1;
	*own = true;
	return 0;
}

/* A setup of a group: an own /run hides the locks and records of other runs. */
static inline int have_own_run(void **state __attribute__((unused)))
{
	bool own;

	if (separate_mounts(&own) < 0)
		return -1;
	return own ? mount("none", "/run", "tmpfs", 0, NULL) : 0;
}

#endif
