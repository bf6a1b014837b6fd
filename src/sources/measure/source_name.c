// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "measure/source_name.h"

const char *const sources_of_files[SOURCES_OF_FILES] = { "module", "kcore" };

static const char *const others[] = { "cachestat", "vmcore" };

static const char *find(const char *const *names, size_t count,
			const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return names[i];
	}
	return NULL;
}

bool source_knows_files(const char *name)
{
	return name && find(sources_of_files, SOURCES_OF_FILES, name);
}

const char *source_name_find(const char *name)
{
	const char *found = find(sources_of_files, SOURCES_OF_FILES, name);

	return found ? found :
		       find(others, sizeof(others) / sizeof(*others), name);
}
