/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a file by the device node that each is about, to be found by a
 * device's names: a host may have thousands of both.
 */
#ifndef BUFSTAT_NODE_INDEX_H
#define BUFSTAT_NODE_INDEX_H

#include <stddef.h>

struct device_names;

/* One line: the node's path, which is the caller's, and which line it is. */
struct node_line {
	const char *path;
	size_t line;
};

struct node_index {
	struct node_line *lines;
	size_t count;
};

/* Room for @most of them. Returns 0 or -ENOMEM. */
int node_index_init(struct node_index *index, size_t most);
void node_index_deinit(struct node_index *index);

/* @path may be NULL, or that of no node: nobody finds it. */
void node_index_add(struct node_index *index, const char *path, size_t line);

/* After the last was added. */
void node_index_sort(struct node_index *index);

/*
 * Calls @take for each line that is about the device's usual nodes, /dev/kname
 * and /dev/mapper/name, in order of the lines and once each, until it returns
 * other than 0; returns that, or 0.
 */
int node_index_find(const struct node_index *index,
		    const struct device_names *device,
		    int (*take)(void *data, size_t line), void *data);

#endif
