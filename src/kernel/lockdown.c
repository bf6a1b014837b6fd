// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cleanup.h"
#include "lockdown.h"
#include "sysroot.h"

const char *lockdown_level(const struct sysroot *root)
{
	_cleanup_(freep) char *text = NULL;

	/* All levels, with brackets around the one in force. */
	if (sysroot_read(root, "/sys/kernel/security/lockdown", 4096, &text,
			 NULL) < 0)
		return NULL;
	if (strstr(text, "[integrity]"))
		return "integrity";
	return strstr(text, "[confidentiality]") ? "confidentiality" : NULL;
}
