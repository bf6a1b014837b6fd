/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts one question to the module about every filesystem. First those are
 * asked about that can be looked up without waiting; then, each in a worker
 * that may be left, the others.
 */
#ifndef BUFSTAT_INQUIRY_H
#define BUFSTAT_INQUIRY_H

#include <stdbool.h>
#include <stddef.h>

#include "ask/ask.h"

struct all_mounts;
struct error;
struct inquired;
struct sysroot;

/* What every answer begins with. */
struct inquiry_answer {
	int error; /* an errno; 0: there is an answer */
	unsigned int major; /* of the filesystem that it is about */
	unsigned int minor;
};

struct inquiry {
	const struct sysroot *root;
	/* Of these and, after them, of the kernel's own tmpfs. */
	const struct all_mounts *mounts;
	/* Rather of the filesystems on which these are; NULL: of @mounts. */
	char *const *paths;
	size_t path_count;
	size_t answer_size; /* bytes */
	/*
	 * In a worker: asks the module, whose device is @control, about the
	 * filesystem of @fd. Fills in the answer, @error included, and returns
	 * its bytes.
	 */
	size_t (*put)(const struct inquiry *inquiry, int control, int fd,
		      void *answer);
	size_t limit; /* for put */
};

/*
 * @control is /dev/bufstat. Returns 0 or a negative errno: there could be no
 * process. The caller destroys *@inquired, which may be NULL, in either case.
 */
int inquire(const struct inquiry *inquiry, int control,
	    struct inquired **inquired, struct error *err);
void inquired_destroy(struct inquired *inquired);

/* One for each path, or for each mount and one more. */
size_t inquiry_count(const struct inquiry *inquiry);

/* The answer, owned by @inquired, or NULL with @why. */
const void *inquired_answer(const struct inquired *inquired, size_t index,
			    char why[ASK_WHY]);

/* /dev/bufstat, as <bufstat/filesystems.h> describes it. */

/*
 * Opens the module's device. Returns a descriptor; -EOPNOTSUPP with what to do
 * about it if it cannot be used on this host, by this user, or on a captured
 * tree; or another negative errno.
 */
int control_open(const struct sysroot *root, struct error *err);

#endif
