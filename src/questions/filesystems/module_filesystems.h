/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the filesystems of this host by asking the module, in a worker that
 * may wait.
 */
#ifndef BUFSTAT_MODULE_FILESYSTEMS_H
#define BUFSTAT_MODULE_FILESYSTEMS_H

struct all_mounts;
struct error;
struct filesystems;
struct sysroot;

/*
 * Adds a row for each mounted filesystem and for the kernel's own tmpfs.
 * @control is the module's device, open. Returns 0 or a negative errno.
 */
int module_filesystems_ask(struct filesystems *all, const struct sysroot *root,
			   const struct all_mounts *mounts, int control,
			   struct error *err);

/*
 * Adds a row for each filesystem that is not mounted, and for each file of the
 * kernel's own filesystems, that the descriptor of a process leads to. If there
 * are any, reads all->meminfo again. What could not be read is noted in
 * @mounts. Returns 0 or a negative errno.
 */
int module_filesystems_ask_unmounted(struct filesystems *all,
				     const struct sysroot *root,
				     struct all_mounts *mounts, int control,
				     struct error *err);

#endif
