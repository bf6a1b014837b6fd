// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "names/device_names.h"
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

void node_index_add_name(struct node_index *index, const char *name,
			 size_t line)
{
	if (name)
		index->lines[index->count++] = (struct node_line){ name, line };
}

void node_index_add(struct node_index *index, const char *path, size_t line)
{
	if (path && strncmp(path, nodes, sizeof(nodes) - 1) == 0)
		node_index_add_name(index, path, line);
}

static int by_path(const void *left, const void *right)
{
	const struct node_line *a = left, *b = right;
	int order = strcmp(a->path, b->path);

	return order ? order : (a->line > b->line) - (a->line < b->line);
}

void node_index_sort(struct node_index *index)
{
	if (index->count)
		qsort(index->lines, index->count, sizeof(*index->lines),
		      by_path);
}

/* Compares @path with the path that is @directory and then @name. */
static int compare(const char *path, const char *directory, const char *name)
{
	size_t length = strlen(directory);
	int order = strncmp(path, directory, length);

	return order ? order : strcmp(path + length, name);
}

size_t node_index_first(const struct node_index *index, const char *directory,
			const char *name, size_t *end)
{
	size_t first = 0, after = index->count;

	while (name && first < after) {
		size_t middle = first + (after - first) / 2;

		if (compare(index->lines[middle].path, directory, name) < 0)
			first = middle + 1;
		else
			after = middle;
	}
	*end = first;
	while (name && *end < index->count &&
	       compare(index->lines[*end].path, directory, name) == 0)
		++*end;
	return first;
}

int node_index_find(const struct node_index *index,
		    const struct device_names *device,
		    int (*take)(void *data, size_t line), void *data)
{
	const struct node_line *lines = index->lines;
	size_t end_a, end_b;
	size_t a = node_index_first(index, nodes, device->kname, &end_a);
	size_t b = node_index_first(index, mapper_nodes, device->name, &end_b);
	int ret = 0;

	while (!ret && (a < end_a || b < end_b)) {
		/* It may be about both, or both may be the same path. */
		if (a < end_a && b < end_b && lines[a].line == lines[b].line)
			b++;
		else if (b == end_b ||
			 (a < end_a && lines[a].line < lines[b].line))
			ret = take(data, lines[a++].line);
		else
			ret = take(data, lines[b++].line);
	}
	return ret;
}
