/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of the sources, as --source, messages and saved readings use them. */
#ifndef BUFSTAT_SOURCE_NAME_H
#define BUFSTAT_SOURCE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * First those that know of filesystems and files, best first; then a dump,
 * which counts as a source, and knows of filesystems, too.
 */
#define SOURCES_OF_FILES 2
#define SOURCES_OF_FILESYSTEMS 3
#define SOURCE_NAMES 4
extern const char *const source_names[SOURCE_NAMES];

static inline const char *source_of_files_name(size_t which)
{
	return which < SOURCES_OF_FILES ? source_names[which] : NULL;
}

/* Whether the source called @name is one of them. False if @name is NULL. */
bool source_knows_files(const char *name);

#endif
