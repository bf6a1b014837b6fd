/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which container or virtual machine a cgroup is of, by its name alone. */
#ifndef BUFSTAT_CONTAINER_H
#define BUFSTAT_CONTAINER_H

/*
 * Sets *@text to what the cgroup called @name at @path is, such as
 * "docker:0123456789ab" (the runtime and the first 12 digits of the id, as the
 * runtimes show it), "pod:UID", "machine:NAME" or "lxc:NAME", which the caller
 * frees; or to NULL if the name does not say. Returns 0 or -ENOMEM.
 */
int container_name(const char *name, const char *path, char **text);

#endif
