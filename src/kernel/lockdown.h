/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lockdown, what a kernel forbids root too; see kernel_lockdown(7). */
#ifndef BUFSTAT_LOCKDOWN_H
#define BUFSTAT_LOCKDOWN_H

struct sysroot;

/* "integrity", "confidentiality", or NULL for none. */
const char *lockdown_level(const struct sysroot *root);

#endif
