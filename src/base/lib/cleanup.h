/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope-bound release for userspace: `_cleanup_(freep) char *text = NULL;`
 * Ownership leaves such a variable through steal_ptr() or steal_fd().
 */
#ifndef BUFSTAT_CLEANUP_H
#define BUFSTAT_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(function) __attribute__((cleanup(function)))

static inline void freep(void *pointer)
{
	free(*(void **)pointer);
}

static inline void closep(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static inline void closefp(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline int steal_fd(int *fd)
{
	int kept = *fd;

	*fd = -1;
	return kept;
}

#define steal_ptr(pointer)                                                     \
	({                                                                     \
		__typeof__(pointer) *place_ = &(pointer);                      \
		__typeof__(pointer) kept_ = *place_;                           \
		*place_ = NULL;                                                \
		kept_;                                                         \
	})

#endif
