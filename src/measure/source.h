/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the figures come from. A source is a file source_X.c and one row in
 * source.c's table; it knows nothing of printing.
 */
#ifndef BUFSTAT_SOURCE_H
#define BUFSTAT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "frame/option.h"
#include "measure/snapshot.h"

struct error;
struct snapshot;
struct sysroot;

/*
 * Fills an empty @snapshot. Returns 0 or a negative errno. The error's class is
 * ERROR_UNUSABLE if the source cannot be used on this host, by this user or on
 * a captured tree, and ERROR_FAILED if it is there and failed. It does not say
 * the source's name; source_collect() puts it before.
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

/* Is there a source of this name? Returns 0, or -EINVAL and names those. */
int source_check(const char *name, struct error *err);

/* The sources by their names, best first. */
size_t source_count(void);
const char *source_name(size_t which);

/* Does it open every block device? On a sick host that may take long. */
bool source_opens_devices(size_t which);

/* source_collect() from one source, whose name is then not in the error. */
int source_try(const struct sysroot *root, size_t which,
	       struct snapshot *snapshot, struct error *err);

/*
 * The same for what concerns one device; others may or may not be in
 * @snapshot. If @device is not and the snapshot lists all pages, it has none.
 */
int source_collect_device(const struct sysroot *root, const char *name,
			  dev_t device, struct snapshot *snapshot,
			  struct error *err);

/* --source, for every command that lets the user choose one. */

/* Rows, of struct common_options. The name is that of a source there is. */
extern const struct option_row source_option[];

/* The options that every command has which measures: also -J, --sysroot, ... */
extern const struct option_row measuring_options[];

/* One device as a source measured it. */
struct device_figures {
	struct sample sample; /* its strings are NULL */
	const char *source; /* static; NULL: not measured */
	uint64_t page_size; /* bytes */
};

/*
 * Measures one device, and opens no other. @source as for source_collect(),
 * which it returns like; -EIO if the device refused. What is not known is
 * absent from @figures, all of it after an error.
 */
int device_figures_take(const struct sysroot *root, const char *source,
			dev_t device, struct device_figures *figures,
			struct error *err);

/*
 * Whether a write to the device has failed, from whichever source knows: sets
 * FIGURE_WRITE_ERROR in @sample, or leaves it absent where none does. A device
 * without pages may be unknown to all of them.
 */
void device_write_error_take(const struct sysroot *root, dev_t device,
			     struct sample *sample);

#endif
