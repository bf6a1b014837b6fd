/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of the sources, as --source, messages and saved readings use them. */
#ifndef BUFSTAT_SOURCE_NAME_H
#define BUFSTAT_SOURCE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Sources that know of filesystems and files, best first. */
#define SOURCES_OF_FILES 2
extern const char *const sources_of_files[SOURCES_OF_FILES];

static inline const char *source_of_files_name(size_t which)
{
	return which < SOURCES_OF_FILES ? sources_of_files[which] : NULL;
}

/* Whether the source called @name is one of them. False if @name is NULL. */
bool source_knows_files(const char *name);

/*
 * Returns the static string that is equal to @name, or NULL if no source has
 * that name. A dump counts as a source, "vmcore".
 */
const char *source_name_find(const char *name);

#endif
