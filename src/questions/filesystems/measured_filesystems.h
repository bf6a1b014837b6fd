/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Cached is made of: the pages of each filesystem, and the rest that is on
 * none of them.
 */
#ifndef BUFSTAT_MEASURED_FILESYSTEMS_H
#define BUFSTAT_MEASURED_FILESYSTEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/lack.h"
#include "lib/string_list.h"
#include "measure/history.h"
#include "measure/meminfo.h"
#include "measure/snapshot.h"

struct error;
struct kernel;
struct mounted;
struct sysroot;

struct filesystem {
	/*
	 * Has pages, dirty and writeback, or refused: why there are none, or,
	 * if there are pages, why there may be more.
	 */
	struct sample sample;
	char *source; /* as in mountinfo; NULL: the kernel's own tmpfs */
	char *type; /* NULL with the source */
	/*
	 * As in struct mounted; or a descriptor's path; or none, if it is not
	 * mounted or in a dump.
	 */
	struct string_list mountpoints;
	uint64_t inodes; /* this and all below: only if it was measured */
	uint64_t longest_hold_ns;
	bool is_shmem; /* its pages are in Shmem too */
	/*
	 * tmpfs or ramfs: its pages can be swapped out at best, never dropped.
	 */
	bool keeps_pages;
	bool hides_write_errors; /* an older module cannot tell of them */
	/* Inodes whose dirty pages could not be counted. */
	uint64_t uncounted;
	/*
	 * Pages that reclaim leaves alone. There may be more of them if
	 * has_unevictable is false.
	 */
	uint64_t unevictable;
	bool has_unevictable;
	/* Its mount point is a descriptor's path, or unknown with kcore. */
	bool is_unmounted;
	size_t found; /* for filesystems_check(): how many were found before */
};

struct filesystems {
	const char *source; /* static: the source's name */
	char *kernel; /* release of the kernel in a dump; NULL: the running one */
	uint64_t page_size; /* bytes */
	/* Cached moved while they were measured, and no reading was proven. */
	bool unsettled;
	struct filesystem *filesystems; /* most pages first */
	size_t count;
	size_t capacity;
	struct meminfo meminfo; /* read right after the filesystems */
	struct sample rest; /* for filesystems_samples(); it owns nothing */
	/* Why some mounts may be missing: all_mounts.h; or 0. */
	int mounts_failed;
	/* What follows from these: filesystems_check(). */
	uint64_t attributed_pages;
	bool lacks_mounts; /* a dump, which does not tell the mount points */
	size_t silent; /* filesystems that did not answer */
	size_t refused; /* filesystems that answered with an error */
	bool lists_all_pages; /* what is not listed has none */
	bool exceeds; /* they have more than Cached, by more than it may lag */
};

/*
 * Asks @source, "module" or "kcore", or reads its answers from a captured tree.
 * NULL is the module and, without it or where a filesystem does not answer it,
 * kcore. A filesystem that does not answer (ask.h) has only
 * sample->refused. If Cached moved meanwhile, asks again, at most twice and not
 * after more than a second. Returns 0, -EOPNOTSUPP if the source cannot be
 * used, or another negative errno. The caller deinits in any case.
 */
int filesystems_init(struct filesystems *filesystems,
		     const struct sysroot *root, const char *source,
		     struct error *err);
void filesystems_deinit(struct filesystems *filesystems);

/* For the sources and for readers of saved answers. */

/*
 * Adds a row, which is that of the kernel's own tmpfs until it has names. It is
 * valid until the next one is added. NULL when out of memory.
 */
struct filesystem *filesystems_add(struct filesystems *filesystems,
				   unsigned int major, unsigned int minor);
/* The same with the names of what is mounted. */
struct filesystem *filesystems_add_mounted(struct filesystems *filesystems,
					   const struct mounted *mounted);
/* Copies the names. Returns 0 or -ENOMEM. */
int filesystem_name(struct filesystem *filesystem, const char *source,
		    const char *type);
/* @is_silent: it did not answer. Returns 0 or -ENOMEM. */
int filesystem_refuse(struct filesystem *filesystem, const char *why,
		      bool is_silent);

/*
 * Sorts the filesystems and sets what follows from them. Returns 0, or -EBADMSG
 * if they have more pages than there can be.
 */
int filesystems_check(struct filesystems *filesystems);

/*
 * Reads the filesystems of the kernel in the dump at @path. Their mount points
 * are not known. Cached is what that kernel counted. Returns as kernel_open().
 */
int filesystems_init_dump(struct filesystems *filesystems,
			  const struct sysroot *root, const char *path,
			  struct error *err);

/*
 * The same for a dump that is open. The error does not say that it is about a
 * dump (kernel_close()).
 */
int filesystems_init_kernel(struct filesystems *filesystems,
			    struct kernel *kernel, struct error *err);

/* What may be on the kernel's own tmpfs. */
#define FILESYSTEM_SHMEM_NOTE "memfd, System V, anonymous, DRM driver objects"

/*
 * Returns a mount point, else the name of what is mounted, or "shared memory"
 * for the kernel's own tmpfs. Owned by @filesystem.
 */
const char *filesystem_place(const struct filesystem *filesystem);

/*
 * Sets *@pages to the pages of Cached that are on no filesystem; they may be
 * negative. Returns false if Cached is not known.
 */
bool filesystems_rest(const struct filesystems *filesystems, int64_t *pages);

/* Sets the rest, and returns all for what compares (history.h). */
struct samples filesystems_samples(struct filesystems *filesystems);

/*
 * Says what the rest may be, or that it cannot be. Returns NULL if
 * filesystems_lack() anything else, or if the rest may have moved between two
 * readings.
 */
const char *filesystems_rest_note(const struct filesystems *filesystems);

/*
 * LACKS_NOTHING if every filesystem answered, all mounts were seen, and Cached
 * is known, no less than they have, and stood still meanwhile.
 */
enum lack filesystems_lack(const struct filesystems *filesystems);

#endif
