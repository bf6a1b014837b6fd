/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the filesystems of this host by asking the module, in a worker that
 * may wait.
 */
#ifndef BUFSTAT_MODULE_FILESYSTEMS_H
#define BUFSTAT_MODULE_FILESYSTEMS_H

struct error;
struct filesystems;
struct sysroot;

/*
 * Adds a row for each mounted filesystem of all->mounts and for the kernel's
 * own tmpfs. @control is the module's device, open. A filesystem that does not
 * answer is all->silent, and one that answers with an error all->refused.
 * Returns 0 or a negative errno.
 */
int module_filesystems_ask(struct filesystems *all, const struct sysroot *root,
			   int control, struct error *err);

/*
 * Adds a row for each filesystem that is not mounted, and for each file of the
 * kernel's own filesystems, that the descriptor of a process leads to. If there
 * are any, reads all->meminfo again. Returns 0 or a negative errno.
 */
int module_filesystems_ask_unmounted(struct filesystems *all,
				     const struct sysroot *root, int control,
				     struct error *err);

#endif
