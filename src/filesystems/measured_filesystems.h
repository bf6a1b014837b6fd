/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Cached is made of: the filesystems with their pages, and what of Cached
 * is on none of them.
 */
#ifndef BUFSTAT_MEASURED_FILESYSTEMS_H
#define BUFSTAT_MEASURED_FILESYSTEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filesystems/all_mounts.h"
#include "measure/meminfo.h"
#include "measure/snapshot.h"

struct error;
struct sysroot;

struct filesystem {
	/* Pages, dirty and under writeback; refused says why there are none. */
	struct sample *sample;
	const struct mounted *mounted; /* NULL: the kernel's own tmpfs */
	uint64_t inodes; /* this and what follows: only if it was measured */
	uint64_t longest_hold_ns;
	bool is_shmem; /* its pages are in Shmem too */
	bool keeps_pages; /* they can only be swapped out, or not even that */
	/* Inodes whose dirty pages could not be counted. */
	uint64_t uncounted;
	/* Pages that reclaim leaves alone; there may be more of them if not all
	 * were counted. */
	uint64_t unevictable;
	bool has_unevictable;
	/* Its mount point is a descriptor that leads to it; kcore knows none. */
	bool is_unmounted;
};

struct filesystems {
	struct all_mounts mounts;
	struct all_mounts unmounted; /* found by descriptors (unmounted.h) */
	struct snapshot snapshot; /* of them all, by most pages */
	struct filesystem *filesystems;
	size_t count;
	struct meminfo meminfo; /* read right after they were measured */
	uint64_t attributed_pages;
	bool lacks_mounts; /* where they are mounted is not known: a dump */
	size_t silent; /* filesystems that did not answer */
	size_t refused; /* and those that could not be measured otherwise */
};

/*
 * Asks @source, "module" or "kcore" (NULL: the best), or reads what a captured
 * tree has of the answers. What does not answer (ask.h) is left out, and says
 * so. Asks again if Cached moved meanwhile, at most twice and not after a
 * second. Returns 0, -EOPNOTSUPP if the source cannot be used, or another
 * negative errno. The caller deinits in any case.
 */
int filesystems_init(struct filesystems *filesystems,
		     const struct sysroot *root, const char *source,
		     struct error *err);
void filesystems_deinit(struct filesystems *filesystems);

/*
 * Reads them from the dump at @path: where they are mounted is not known, and
 * Cached is what the dumped kernel counted, if it counts the swap cache (Linux
 * 5.12). Returns as filesystems_init(); -EBADMSG if the dump is damaged.
 */
int filesystems_init_dump(struct filesystems *filesystems, const char *path,
			  struct error *err);

/*
 * A place where it is mounted; else what it is called, "shared memory" for the
 * kernel's own tmpfs. Owned by @filesystem.
 */
const char *filesystem_place(const struct filesystem *filesystem);

/* The pages of Cached that are on no filesystem. False if not known. */
bool filesystems_rest(const struct filesystems *filesystems, int64_t *pages);

/*
 * What the rest may be, if every filesystem answered and it is too large for
 * what moves between two readings; else NULL.
 */
const char *filesystems_rest_note(const struct filesystems *filesystems);

/*
 * Did every filesystem answer, were all mounts seen, is Cached known, and did
 * it stand still meanwhile? If it never did the snapshot is unsettled.
 */
bool filesystems_are_whole(const struct filesystems *filesystems);

#endif
