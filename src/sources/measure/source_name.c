// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "measure/source_name.h"

const char *const source_names[SOURCE_NAMES] = { "module", "kcore", "vmcore",
						 "cachestat" };

bool source_knows_files(const char *name)
{
	for (size_t i = 0; name && i < SOURCES_OF_FILES; i++) {
		if (strcmp(source_names[i], name) == 0)
			return true;
	}
	return false;
}
