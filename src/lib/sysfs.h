/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sysfs writes its own way: attributes that end in a newline, and names. */
#ifndef BUFSTAT_SYSFS_H
#define BUFSTAT_SYSFS_H

struct sysroot;

/*
 * The attribute @name, which may be a path, of directory @dir, without its
 * newline. The caller frees *@value, which stays as it was on failure. Returns
 * 0 or a negative errno.
 */
int sysfs_attribute(const struct sysroot *root, const char *dir,
		    const char *name, char **value);

/*
 * The same where the device may well be without it: what cannot be read is not
 * known, and only -ENOMEM is an error.
 */
int sysfs_attribute_if_any(const struct sysroot *root, const char *dir,
			   const char *name, char **value);

/* sysfs cannot have '/' in a name and shows '!' for it: cciss!c0d0. */
void sysfs_name_restore(char *name);

#endif
