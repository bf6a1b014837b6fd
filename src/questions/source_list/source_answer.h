/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks one source one question, and fills in its row. */
#ifndef BUFSTAT_SOURCE_ANSWER_H
#define BUFSTAT_SOURCE_ANSWER_H

#include <stddef.h>

struct source_row;
struct sysroot;

/*
 * These measure with the source of @row, which has its name, and fill in all
 * but its time. They return 0, even if the source is not usable, or -ENOMEM.
 */
int source_answer_devices(struct source_row *row, size_t which,
			  const struct sysroot *root);
int source_answer_filesystems(struct source_row *row,
			      const struct sysroot *root);
int source_answer_files(struct source_row *row, const struct sysroot *root);

/* Fills in the row of a source that there was no time for. */
void source_answer_late(struct source_row *row);

/* Begins to trace and ends it, in a process of its own. */
int source_answer_who(struct source_row *row, const struct sysroot *root);

/*
 * @devices is what the same source could say about devices: that the kernel's
 * memory can be read is not tried again.
 */
int source_answer_blocks(struct source_row *row,
			 const struct source_row *devices,
			 const struct sysroot *root);

/* Looks whether functions could be traced, and traces none. */
int source_answer_path(struct source_row *row, const struct sysroot *root);

#endif
