/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the figures come from. A source is a file source_X.c and one row in
 * source.c's table; it knows nothing of printing.
 */
#ifndef BUFSTAT_SOURCE_H
#define BUFSTAT_SOURCE_H

#include <sys/types.h>

struct error;
struct snapshot;
struct sysroot;

/*
 * Fills an empty @snapshot. Returns 0, -EOPNOTSUPP with the reason if the
 * source cannot be used on this host, by this user or on a captured tree, or
 * another negative errno if it is there and failed. The text does not begin
 * with the source's name; source_collect() puts it before.
 */
typedef int source_collect_fn(const struct sysroot *root,
			      struct snapshot *snapshot, struct error *err);

source_collect_fn source_module_collect;
source_collect_fn source_cachestat_collect;
source_collect_fn source_kcore_collect;

/*
 * The same for one device, in a source where that spares the others: no device
 * is opened but @device.
 */
typedef int source_collect_device_fn(const struct sysroot *root, dev_t device,
				     struct snapshot *snapshot,
				     struct error *err);

source_collect_device_fn source_cachestat_collect_device;

/*
 * The version of the format that the loaded module writes. Returns as a source
 * does.
 */
int source_module_version(const struct sysroot *root, unsigned int *major,
			  unsigned int *minor, struct error *err);

/*
 * Takes a snapshot from the source called @name, or, if that is NULL, from the
 * first that works. Returns as a source does, and -EINVAL for an unknown name.
 * The caller deinits @snapshot also after an error.
 */
int source_collect(const struct sysroot *root, const char *name,
		   struct snapshot *snapshot, struct error *err);

/* The sources by their names, best first. */
size_t source_count(void);
const char *source_name(size_t which);

/*
 * source_collect() from one source, whose name is then not in the text. A
 * reason may end with what to do about it, in parentheses.
 */
int source_try(const struct sysroot *root, size_t which,
	       struct snapshot *snapshot, struct error *err);

/*
 * The same for what concerns one device; others may or may not be in
 * @snapshot. If @device is not and the snapshot lists all pages, it has none.
 */
int source_collect_device(const struct sysroot *root, const char *name,
			  dev_t device, struct snapshot *snapshot,
			  struct error *err);

#endif
