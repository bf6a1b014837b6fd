/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /dev/bufstat, as <bufstat/filesystems.h> describes it. */
#ifndef BUFSTAT_CONTROL_H
#define BUFSTAT_CONTROL_H

struct error;
struct sysroot;

/*
 * Opens the module's device. Returns a descriptor; -EOPNOTSUPP with what to do
 * about it if it cannot be used on this host, by this user, or on a captured
 * tree; or another negative errno.
 */
int control_open(const struct sysroot *root, struct error *err);

#endif
