/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_NAMES_BLKID_H
#define BUFSTAT_NAMES_BLKID_H

struct blkid_file;
struct device_names;
struct sysroot;

/*
 * Reads libblkid's cache file. NULL if it cannot be read. The caller closes it.
 */
struct blkid_file *names_blkid_open(const struct sysroot *root);
void names_blkid_close(struct blkid_file *file);

/*
 * Fills in fstype, label and uuid, where they are not yet known, from the
 * file's lines about /dev/kname and /dev/mapper/name. Returns 0 or -ENOMEM.
 */
int names_blkid_lookup(const struct blkid_file *file,
		       struct device_names *device);

#endif
