/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lockdown: what a kernel forbids even root; see kernel_lockdown(7). */
#ifndef BUFSTAT_LOCKDOWN_H
#define BUFSTAT_LOCKDOWN_H

#include <stdbool.h>
#include <string.h>

struct sysroot;

/*
 * Returns "none", "integrity" or "confidentiality", which are static, or NULL
 * if the kernel does not say.
 */
const char *lockdown_level(const struct sysroot *root);

static inline bool lockdown_restricts(const char *level)
{
	return level && strcmp(level, "none") != 0;
}

/* Whether not even root may read the kernel's memory. */
static inline bool lockdown_hides(const char *level)
{
	return level && strcmp(level, "confidentiality") == 0;
}

#endif
