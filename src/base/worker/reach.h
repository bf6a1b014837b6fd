/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a path that the user named leads to something that answers. */
#ifndef BUFSTAT_REACH_H
#define BUFSTAT_REACH_H

struct error;

/*
 * A worker looks @path up and reads the beginning of the file, or the first
 * name in the directory, so that this process does not wait for a server that
 * is silent. Returns 0, or -EBUSY if there is no answer. It is also 0 if
 * nothing is there, if @path is relative to a directory that was unmounted, or
 * if no worker could be started: whoever opens it then finds out.
 */
int reach(const char *doing, const char *path, struct error *err);

#endif
