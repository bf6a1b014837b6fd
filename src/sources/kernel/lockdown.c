// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "kernel/lockdown.h"
#include "lib/cleanup.h"
#include "lib/sysroot.h"

const char *lockdown_level(const struct sysroot *root)
{
	static const char *const levels[] = { "none", "integrity",
					      "confidentiality" };
	_cleanup_(freep) char *text = NULL;
	const char *level;

	/* The file has all levels, with brackets around the one in force. */
	if (sysroot_read(root, "/sys/kernel/security/lockdown", 4096, &text,
			 NULL) < 0)
		return NULL;
	level = strchr(text, '[');
	for (size_t i = 0; level && i < sizeof(levels) / sizeof(*levels); i++) {
		size_t length = strlen(levels[i]);

		if (strncmp(level + 1, levels[i], length) == 0 &&
		    level[1 + length] == ']')
			return levels[i];
	}
	return NULL;
}
