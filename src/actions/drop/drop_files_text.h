/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result for files and filesystems, as text and fields. Looks nothing up. */
#ifndef BUFSTAT_DROP_FILES_TEXT_H
#define BUFSTAT_DROP_FILES_TEXT_H

#include <stddef.h>
#include <stdio.h>

struct drop_set;
struct drop_style;
struct fields;

/*
 * Prints one line, and more for pages that stayed, or would stay: those of a
 * filesystem for the files with the most of them. Returns 0 or -ENOMEM.
 */
int drop_set_text_put(FILE *out, const struct drop_set *set,
		      const struct drop_style *style);

/* Of struct drop_set: of one file, and of a filesystem. */
extern const struct fields drop_file_fields;
extern const struct fields drop_filesystem_fields;

#endif
