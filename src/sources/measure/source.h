/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the figures come from. A source is a file source_X.c and a row of the
 * table in source.c. It knows nothing about printing.
 */
#ifndef BUFSTAT_SOURCE_H
#define BUFSTAT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/option.h"
#include "lib/lack.h"
#include "measure/snapshot.h"

struct error;
struct sysroot;

/*
 * Fills an empty @snapshot. Returns 0 or a negative errno. The error's class is
 * ERROR_UNUSABLE if the source cannot be used on this host, by this user or on
 * a captured tree, and ERROR_FAILED if it can be used but failed. The error
 * lacks the source's name; source_collect() puts it in front.
 */
typedef int source_collect_fn(const struct sysroot *root,
			      struct snapshot *snapshot, struct error *err);

source_collect_fn source_module_collect;
source_collect_fn source_cachestat_collect;
source_collect_fn source_kcore_collect;

/* Why cachestat(2) cannot be used, which returned @error for no file. */
enum lack cachestat_lack(int error);
/* The same where it may not open any device. */
enum lack devices_lack(bool are_denied);

/* Why the module's file cannot be opened, which failed with errno @number. */
enum lack source_module_lack(const struct sysroot *root, int number);

/*
 * Collects for one device, in a source that can leave out the others: it opens
 * no device but @device.
 */
typedef int source_collect_device_fn(const struct sysroot *root, dev_t device,
				     struct snapshot *snapshot,
				     struct error *err);

source_collect_device_fn source_cachestat_collect_device;

/*
 * Reads the version of the format that the loaded module writes. Returns as a
 * source does.
 */
int source_module_version(const struct sysroot *root, unsigned int *major,
			  unsigned int *minor, struct error *err);

/*
 * Takes a snapshot from the source called @name or, if that is NULL, from the
 * first that works. Returns as a source does, or -EINVAL for an unknown name.
 * The caller deinits @snapshot even after an error.
 */
int source_collect(const struct sysroot *root, const char *name,
		   struct snapshot *snapshot, struct error *err);

/* The names of the sources, best first; NULL after the last. */
size_t source_count(void);
const char *source_name(size_t which);

/* Whether it opens every block device, which may take long on a sick host. */
bool source_opens_devices(size_t which);

/*
 * Like source_collect() from one source, whose name is then not in the error.
 */
int source_try(const struct sysroot *root, size_t which,
	       struct snapshot *snapshot, struct error *err);

/*
 * Like source_collect(), but only for @device; others may or may not be in
 * @snapshot. If @device is not there and the snapshot lists all pages, it has
 * none.
 */
int source_collect_device(const struct sysroot *root, const char *name,
			  dev_t device, struct snapshot *snapshot,
			  struct error *err);

/* --source, for every command that lets the user choose one. */

/* Rows for struct common_options. The name must be that of a source. */
extern const struct option_row source_option[];

/* The options of every command that measures: also -J, --sysroot, ... */
extern const struct option_row measuring_options[];

#endif
