/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways to one answer, a source each: the first that can be used has it. If
 * none can, all their reasons are said, each a kind (lack.h) or an errno.
 */
#ifndef BUFSTAT_WAYS_H
#define BUFSTAT_WAYS_H

#include <stddef.h>

struct error;
struct sysroot;

struct ways {
	const char *(*name)(
		size_t which); /* of a source, best first; or NULL */
	/*
	 * Empties @answer, and fills it from source @which. Returns 0 or a
	 * negative errno. The error's class is ERROR_UNUSABLE if the source
	 * cannot be used on this host, by this user or on a captured tree; the
	 * source's name is not in it.
	 */
	int (*take)(void *answer, size_t which, const struct sysroot *root,
		    struct error *err);
};

/*
 * Takes @answer, which is all zero, from the source called @name, one of the
 * ways', or, if that is NULL, from the first that can be used. One that could
 * be, but failed, ends the search, unless @failed is given: what it said is
 * added to that, and the next is tried. Returns 0; or the negative errno of the
 * last that failed, or -EOPNOTSUPP, with all reasons in @err, which may be
 * NULL. The caller deinits @answer in any case.
 */
int ways_take(const struct ways *ways, const char *name, void *answer,
	      const struct sysroot *root, struct error *failed,
	      struct error *err);

#endif
