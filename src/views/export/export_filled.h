/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who filled caches, as the recorder has added it up, for metrics. */
#ifndef BUFSTAT_EXPORT_FILLED_H
#define BUFSTAT_EXPORT_FILLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exposition;
struct sysroot;

/* All zero bytes: nobody is traced. */
struct export_filled {
	struct export_fill {
		char device[32]; /* the kernel's name, or "major:minor" */
		bool is_bdev; /* its own cache, else that of files on it */
		char command[64]; /* "other": those without a row */
		int64_t bytes;
	} * rows;
	size_t count;
	bool is_known;
	int64_t elsewhere_bytes;
	int64_t lost_events;
};

/*
 * Reads the answer of the recorder (record/filled_totals.h) in @text, with
 * names of devices from @root. Returns 0, -EBADMSG with nothing known, or
 * -ENOMEM; the caller deinits in any case.
 */
int export_filled_init(struct export_filled *filled, const char *text,
		       const struct sysroot *root);
void export_filled_deinit(struct export_filled *filled);

/* Writes the samples of a family. */
void export_filled_bytes(struct exposition *out,
			 const struct export_filled *filled);

#endif
