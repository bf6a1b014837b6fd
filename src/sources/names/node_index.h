/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Indexes the lines of a file by the device node that each is about, or devices
 * by their names: a host may have thousands of both.
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

/* Adds any name, which the caller owns. Ignores NULL. */
void node_index_add_name(struct node_index *index, const char *name,
			 size_t line);

/* Call this after the last line is added, before looking one up. */
void node_index_sort(struct node_index *index);

/*
 * The place in lines of the first whose path is @directory and then @name; *@end
 * is one past the last. Both are the same if there is none or @name is NULL.
 */
size_t node_index_first(const struct node_index *index, const char *directory,
			const char *name, size_t *end);

/*
 * Calls @take for each line about the device's usual nodes, /dev/kname and
 * /dev/mapper/name, in order of the lines and once each. Stops when @take
 * returns other than 0 and returns that, else 0.
 */
int node_index_find(const struct node_index *index,
		    const struct device_names *device,
		    int (*take)(void *data, size_t line), void *data);

#endif
