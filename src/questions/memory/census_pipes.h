/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many pages of a census pipes have (fs/pipe.c), and of these what is in
 * pipes that no process has open: on their way to another process (SCM_RIGHTS),
 * or held by the kernel alone. No list has the inodes of pipes, so all slabs
 * that may have some are walked, without a lock. FIFOs are in other slabs.
 */
#ifndef BUFSTAT_CENSUS_PIPES_H
#define BUFSTAT_CENSUS_PIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct census_look;
struct census_pipes;
struct sysroot;

/*
 * Begins to look for pipes beside @look, which must outlive it; @flags_fd is
 * /proc/kpageflags. The caller ends it. NULL: nothing is looked for, and
 * @look's pages say why.
 */
struct census_pipes *census_pipes_begin(struct census_look *look, int flags_fd);

/* Looks for slabs in the @count frames from @first on, unless @pipes is NULL. */
void census_pipes_look(struct census_pipes *pipes, uint64_t first,
		       const uint64_t *flags, size_t count);

/*
 * Takes what is in pipes out of CENSUS_IN_USE, with what processes have open by
 * /proc of @root; or says in @look's pages why it is not known, as when the
 * frames are not complete. Frees @pipes, which may be NULL.
 */
void census_pipes_end(struct census_pipes *pipes, const struct sysroot *root,
		      bool is_complete);

#endif
