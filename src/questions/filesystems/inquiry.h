/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts one question about every filesystem to the module. The first round asks
 * about those that can be looked up without waiting, the second about the
 * others, in workers that can be left behind (ask.h).
 */
#ifndef BUFSTAT_INQUIRY_H
#define BUFSTAT_INQUIRY_H

#include <stddef.h>

#include "lib/lack.h"
#include "worker/ask.h"

struct all_mounts;
struct error;
struct inquired;
struct sysroot;

/* The beginning of every answer. */
struct inquiry_answer {
	int error; /* an errno, or 0 if there is an answer */
	unsigned int major; /* of the filesystem that the answer is about */
	unsigned int minor;
};

struct inquiry {
	const struct sysroot *root;
	/*
	 * The filesystems to ask about, besides the kernel's own tmpfs, which
	 * comes after them.
	 */
	const struct all_mounts *mounts;
	/* If not NULL: ask about the filesystems of these paths instead. */
	char *const *paths;
	size_t path_count;
	size_t answer_size; /* bytes */
	/*
	 * Called in a worker. Asks the module, whose device is @control, about
	 * the filesystem of @fd. Fills in the answer, with its error, and
	 * returns its size in bytes.
	 */
	size_t (*put)(const struct inquiry *inquiry, int control, int fd,
		      void *answer);
	size_t limit; /* for put(): most rows in an answer */
};

/*
 * @control is an open /dev/bufstat. Returns 0, or a negative errno if memory or
 * processes ran out. The caller destroys *@inquired, which may be NULL, in
 * either case.
 */
int inquire(const struct inquiry *inquiry, int control,
	    struct inquired **inquired, struct error *err);
void inquired_destroy(struct inquired *inquired);

/*
 * The number of questions: one per path, or one per mount and one for the
 * kernel's own tmpfs.
 */
size_t inquiry_count(const struct inquiry *inquiry);

/* Returns the answer, owned by @inquired, or NULL with the reason in @why. */
const void *inquired_answer(const struct inquired *inquired, size_t index,
			    char why[ASK_WHY]);

/* Why /dev/bufstat cannot be opened, which failed with errno @number. */
enum lack control_lack(const struct sysroot *root, int number);

/* /dev/bufstat is described in <bufstat/filesystems.h>. */

/*
 * Opens the module's device. Returns a descriptor or a negative errno. It is
 * -EOPNOTSUPP, and @err says what to do about it, if the device cannot be used
 * on this host, by this user, or on a captured tree (ways.h).
 */
int control_open(const struct sysroot *root, struct error *err);

#endif
