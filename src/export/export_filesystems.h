/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Cached is made of as metrics. Each writes the samples of one family,
 * none for what is not known; those of filesystems that have pages, at most
 * @limit, and one for the sum of the others.
 */
#ifndef BUFSTAT_EXPORT_FILESYSTEMS_H
#define BUFSTAT_EXPORT_FILESYSTEMS_H

#include <stddef.h>

#include "snapshot.h"

struct exposition;
struct filesystems;

void export_cached(struct exposition *out, const struct filesystems *all);
void export_cached_rest(struct exposition *out, const struct filesystems *all);
void export_filesystem_errors(struct exposition *out,
			      const struct filesystems *all);
void export_filesystem_figure(struct exposition *out,
			      const struct filesystems *all, enum figure figure,
			      size_t limit);
void export_filesystem_names(struct exposition *out,
			     const struct filesystems *all, size_t limit);

#endif
