/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Indexes the lines of a file by the device node that each is about: a host may
 * have thousands of lines and of devices.
 */
#ifndef BUFSTAT_NODE_INDEX_H
#define BUFSTAT_NODE_INDEX_H

#include <stddef.h>

struct device_names;

/* One line: its node's path, owned by the caller, and its number. */
struct node_line {
	const char *path;
	size_t line;
};

struct node_index {
	struct node_line *lines;
	size_t count;
};

/* Makes room for @most lines. Returns 0 or -ENOMEM. */
int node_index_init(struct node_index *index, size_t most);
void node_index_deinit(struct node_index *index);

/* Adds a line. Ignores a @path that is NULL or not below /dev. */
void node_index_add(struct node_index *index, const char *path, size_t line);

/* Call this after the last line is added, before node_index_find(). */
void node_index_sort(struct node_index *index);

/*
 * Calls @take for each line about the device's usual nodes, /dev/kname and
 * /dev/mapper/name, in order of the lines and once each. Stops when @take
 * returns other than 0 and returns that, else 0.
 */
int node_index_find(const struct node_index *index,
		    const struct device_names *device,
		    int (*take)(void *data, size_t line), void *data);

#endif
