// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices/device_rows.h"
#include "devices/device_tree.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "names/node_index.h"
#include "table/column.h"

#define NONE TABLE_NO_PARENT

struct node {
	size_t parent; /* index of its row, or NONE */
	size_t first; /* of the kept rows below it */
	size_t next; /* of the kept rows below its parent */
	bool kept;
};

struct tree {
	struct rows *rows;
	struct node *nodes; /* one for each row */
	size_t top; /* the first of the kept rows below none */
	struct device *ordered;
	size_t *parents; /* of those, for struct table_rows */
	size_t count; /* of those */
};

/* Whether @child is @index or above it: then it cannot be below it too. */
static bool is_above(const struct tree *tree, size_t child, size_t index)
{
	while (index != NONE && index != child)
		index = tree->nodes[index].parent;
	return index == child;
}

static void set_parent(struct tree *tree, size_t child, size_t parent)
{
	if (tree->nodes[child].parent == NONE && !is_above(tree, child, parent))
		tree->nodes[child].parent = parent;
}

/*
 * The directory of a partition in sysfs is in that of its disk:
 * ../../devices/.../block/vda/vda1.
 */
static int find_disk(struct tree *tree, const struct sysroot *root,
		     const struct node_index *knames, size_t index)
{
	const struct device *device = device_row(tree->rows, index);
	_cleanup_(freep) char *target = NULL;
	char path[64];
	char *name, *disk;
	size_t first, end;
	int ret;

	snprintf(path, sizeof(path), "/sys/dev/block/%s", device->number);
	ret = sysroot_link(root, path, &target);
	if (ret < 0)
		return only_enomem(ret);
	name = strrchr(target, '/');
	if (!name)
		return 0;
	*name = '\0';
	disk = strrchr(target, '/');
	if (!disk)
		return 0;
	sysfs_name_restore(++disk);
	first = node_index_first(knames, "", disk, &end);
	if (first < end)
		set_parent(tree, index, knames->lines[first].line);
	return 0;
}

/* Holders are known by the names that the rows have. */
static void find_holders(struct tree *tree, const struct node_index *names,
			 size_t index)
{
	const struct string_list *holders =
		&device_row(tree->rows, index)->names.holders;

	for (size_t i = 0; i < holders->count; i++) {
		size_t end, place = node_index_first(names, "",
						     holders->strings[i], &end);

		for (; place < end; place++)
			set_parent(tree, names->lines[place].line, index);
	}
}

static int find_parents(struct tree *tree, const struct sysroot *root)
{
	_cleanup_(node_index_deinit) struct node_index knames = { 0 },
						       names = { 0 };
	const struct rows *rows = tree->rows;
	int ret = node_index_init(&knames, rows->count);

	if (!ret)
		ret = node_index_init(&names, rows->count);
	for (size_t i = 0; !ret && i < rows->count; i++) {
		tree->nodes[i].parent = NONE;
		node_index_add_name(&knames, device_row(rows, i)->names.kname,
				    i);
		node_index_add_name(&names, device_row(rows, i)->names.name, i);
	}
	node_index_sort(&knames);
	node_index_sort(&names);
	for (size_t i = 0; !ret && i < rows->count; i++)
		ret = find_disk(tree, root, &knames, i);
	for (size_t i = 0; !ret && i < rows->count; i++)
		find_holders(tree, &names, i);
	return ret;
}

/* The nearest row that is kept: @index or one above it, or NONE. */
static size_t nearest_kept(const struct tree *tree, size_t index)
{
	while (index != NONE && !tree->nodes[index].kept)
		index = tree->nodes[index].parent;
	return index;
}

/* Keeps @index and what is above it, up to @end. */
static void keep(struct tree *tree, size_t index, size_t end)
{
	for (; index != end; index = tree->nodes[index].parent)
		tree->nodes[index].kept = true;
}

static void keep_below(struct tree *tree)
{
	for (size_t i = 0; i < tree->rows->count; i++) {
		size_t kept = nearest_kept(tree, i);

		if (kept != NONE)
			keep(tree, i, kept);
	}
}

/* Gives each kept row the list of those below it, in the order of the rows. */
static void link_below(struct tree *tree)
{
	for (size_t i = 0; i < tree->rows->count; i++)
		tree->nodes[i].first = NONE;
	tree->top = NONE;
	for (size_t i = tree->rows->count; i-- > 0;) {
		struct node *node = &tree->nodes[i];
		size_t parent = node->parent;
		size_t *first = &tree->top;

		if (!node->kept)
			continue;
		/* What is below something that is not kept is at the top. */
		if (parent != NONE && tree->nodes[parent].kept)
			first = &tree->nodes[parent].first;
		node->next = *first;
		*first = i;
	}
}

/* @above is where the parent of @first stands in the order. */
static void add_below(struct tree *tree, size_t first, size_t above)
{
	for (size_t i = first; i != NONE; i = tree->nodes[i].next) {
		tree->parents[tree->count] = above;
		tree->ordered[tree->count++] = *device_row(tree->rows, i);
		add_below(tree, tree->nodes[i].first, tree->count - 1);
	}
}

int device_rows_make_tree(struct rows *rows, const struct sysroot *root,
			  bool (*is_wanted)(void *data, const void *row),
			  void *data, bool below)
{
	_cleanup_(freep) struct node *nodes =
		calloc(rows->count + 1, sizeof(*nodes));
	struct tree tree = {
		.rows = rows,
		.nodes = nodes,
		.ordered = calloc(rows->count + 1, sizeof(*tree.ordered)),
		.parents = calloc(rows->count + 1, sizeof(*tree.parents)),
	};

	if (!nodes || !tree.ordered || !tree.parents ||
	    find_parents(&tree, root) < 0) {
		free(tree.ordered);
		free(tree.parents);
		return -ENOMEM;
	}
	for (size_t i = 0; i < rows->count; i++) {
		if (is_wanted(data, device_row(rows, i)))
			keep(&tree, i, below ? tree.nodes[i].parent : NONE);
	}
	if (below)
		keep_below(&tree);
	link_below(&tree);
	add_below(&tree, tree.top, NONE);
	tree.ordered[tree.count] = *device_row(rows, rows->count);
	tree.parents[tree.count] = NONE;
	free(rows->rows);
	rows->rows = tree.ordered;
	rows->parents = tree.parents;
	rows->count = tree.count;
	rows->is_selected = below;
	rows->has_rest = !below;
	return 0;
}
