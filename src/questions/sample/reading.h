/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One reading of a host: measurements and names. It is complete before any of
 * it is printed, and printing looks at nothing else.
 */
#ifndef BUFSTAT_READING_H
#define BUFSTAT_READING_H

#include <stdbool.h>

#include "cgroups/cgroups.h"
#include "devices/device_rows.h"
#include "filesystems/fs_json.h"
#include "filesystems/measured_files.h"
#include "filesystems/measured_filesystems.h"
#include "measure/provenance.h"
#include "memory/memory_owners.h"
#include "memory/memory_reading.h"
#include "question/question.h"

struct command_line;
struct sysroot;

/* All zero bytes is empty. Do not move it. */
struct reading {
	struct answer head; /* its rows are devices, to be shown; or none */
	struct devices devices;
	struct provenance provenance;
	struct error unasked; /* why nothing tells what is on a device */
	struct filesystems filesystems;
	bool asked_filesystems;
	bool has_filesystems; /* they could be measured */
	struct error no_filesystems; /* else why not */
	struct fs_part cached; /* of these, once they were asked for */
	struct cached_files files; /* the largest, with their users */
	size_t files_limit; /* most of them; 0: they were not asked for */
	bool has_files; /* they could be measured */
	struct error no_files; /* else why not */
	struct memory_reading memory; /* for a capture; or empty */
	bool has_memory;
	struct memory_owners owners; /* for a capture; or empty */
	bool has_owners;
	struct cgroups cgroups; /* for a capture; or empty */
	bool has_cgroups;
	/* Why memory, its owners or cgroups could not be read, if they are
	 * there. */
	struct error no_memory, no_owners, no_cgroups;
};

/*
 * Adds names from @root to the devices that were measured, and makes rows of
 * them; @all is as for device_rows_init(). Returns 0, or -ENOMEM and then
 * leaves no rows; the caller deinits @reading in either case.
 */
int reading_complete(struct reading *reading, const struct sysroot *root,
		     bool all);

/*
 * Add the filesystems of Cached, and the @limit files with most pages. @source
 * and the result are as for filesystems_init() and cached_files_init(); the
 * error is in the reading.
 */
int reading_ask_filesystems(struct reading *reading, const struct sysroot *root,
			    const char *source);
int reading_ask_files(struct reading *reading, const struct sysroot *root,
		      const char *source, size_t limit);

/*
 * Tells what is missing of all that was asked for. @is_live: on the running
 * host.
 */
void reading_missing(const struct reading *reading, bool is_live,
		     error_tell_fn *tell, void *data);

void reading_deinit(struct reading *reading);

/* What Buffers is made of. Its answer is a struct reading. */
extern const struct question device_question;
extern const struct command_line command_devices;

#endif
