// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "names/names.h"
#include "names/node_index.h"

static const char nodes[] = "/dev/";
static const char mapper_nodes[] = "/dev/mapper/";

int node_index_init(struct node_index *index, size_t most)
{
	*index = (struct node_index){
		.lines = calloc(most + 1, sizeof(*index->lines)),
	};
	return index->lines ? 0 : -ENOMEM;
}

void node_index_deinit(struct node_index *index)
{
	free(index->lines);
	*index = (struct node_index){ 0 };
}

void node_index_add(struct node_index *index, const char *path, size_t line)
{
	if (!path || strncmp(path, nodes, sizeof(nodes) - 1) != 0)
		return;
	index->lines[index->count++] = (struct node_line){ path, line };
}

static int by_path(const void *left, const void *right)
{
	const struct node_line *a = left, *b = right;
	int order = strcmp(a->path, b->path);

	return order ? order : (a->line > b->line) - (a->line < b->line);
}

void node_index_sort(struct node_index *index)
{
	qsort(index->lines, index->count, sizeof(*index->lines), by_path);
}

/* A node's path, in two parts. */
struct node {
	const char *directory;
	const char *name;
};

static int compare(const char *path, const struct node *node)
{
	size_t length = strlen(node->directory);
	int order = strncmp(path, node->directory, length);

	return order ? order : strcmp(path + length, node->name);
}

/* The index of the node's first line; *@end is one past its last. */
static size_t find_first(const struct node_index *index,
			 const struct node *node, size_t *end)
{
	size_t first = 0, after = index->count;

	while (node->name && first < after) {
		size_t middle = first + (after - first) / 2;

		if (compare(index->lines[middle].path, node) < 0)
			first = middle + 1;
		else
			after = middle;
	}
	*end = first;
	while (node->name && *end < index->count &&
	       compare(index->lines[*end].path, node) == 0)
		++*end;
	return first;
}

int node_index_find(const struct node_index *index,
		    const struct device_names *device,
		    int (*take)(void *data, size_t line), void *data)
{
	const struct node by_kname = { nodes, device->kname };
	const struct node by_name = { mapper_nodes, device->name };
	const struct node_line *lines = index->lines;
	size_t end_a, end_b;
	size_t a = find_first(index, &by_kname, &end_a);
	size_t b = find_first(index, &by_name, &end_b);
	int ret = 0;

	/* A kname like mapper/NAME makes both paths the same. */
	if (a == b && a < end_a)
		b = end_b;
	while (!ret && (a < end_a || b < end_b)) {
		if (b == end_b || (a < end_a && lines[a].line < lines[b].line))
			ret = take(data, lines[a++].line);
		else
			ret = take(data, lines[b++].line);
	}
	return ret;
}
