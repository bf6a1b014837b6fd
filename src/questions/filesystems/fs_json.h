/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_FS_JSON_H
#define BUFSTAT_FS_JSON_H

#include "filesystems/fs_rows.h"

struct fields;

/* Of a document whose answer is struct fs_answer. */
extern const struct fields fs_document;

/* The same in a document about other things: totals and rows of its own. */
struct fs_part {
	const struct fs_answer *answer; /* NULL: not known, and null */
};

extern const struct fields fs_part_fields;

#endif
