// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices/device_rows.h"
#include "devices/device_tree.h"
#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "table/column.h"

#define NONE TABLE_NO_PARENT

struct node {
	size_t parent; /* index of its row, or NONE */
	bool kept;
};

struct tree {
	struct device_rows *rows;
	struct node *nodes; /* one for each row */
	struct device_row *ordered;
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

static size_t find_kname(const struct tree *tree, const char *kname)
{
	for (size_t i = 0; i < tree->rows->count; i++) {
		const char *other = tree->rows->rows[i].names.kname;

		if (other && strcmp(other, kname) == 0)
			return i;
	}
	return NONE;
}

/*
 * The directory of a partition in sysfs is in that of its disk:
 * ../../devices/.../block/vda/vda1.
 */
static int find_disk(struct tree *tree, const struct sysroot *root,
		     size_t index)
{
	const struct device_row *row = &tree->rows->rows[index];
	_cleanup_(freep) char *target = NULL;
	char path[64];
	char *name, *disk;
	size_t parent;
	int ret;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", row->sample->major,
		 row->sample->minor);
	ret = sysroot_link(root, path, &target);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	name = strrchr(target, '/');
	if (!name)
		return 0;
	*name = '\0';
	disk = strrchr(target, '/');
	if (!disk)
		return 0;
	sysfs_name_restore(++disk);
	parent = find_kname(tree, disk);
	if (parent != NONE)
		set_parent(tree, index, parent);
	return 0;
}

/* Holders are known by the names that the rows have. */
static void find_holders(struct tree *tree, size_t index)
{
	const struct string_list *holders =
		&tree->rows->rows[index].names.holders;

	for (size_t i = 0; i < holders->count; i++) {
		for (size_t j = 0; j < tree->rows->count; j++) {
			const char *name = tree->rows->rows[j].names.name;

			if (name && strcmp(name, holders->strings[i]) == 0)
				set_parent(tree, j, index);
		}
	}
}

static int find_parents(struct tree *tree, const struct sysroot *root)
{
	int ret = 0;

	for (size_t i = 0; i < tree->rows->count; i++)
		tree->nodes[i].parent = NONE;
	for (size_t i = 0; !ret && i < tree->rows->count; i++)
		ret = find_disk(tree, root, i);
	for (size_t i = 0; i < tree->rows->count; i++)
		find_holders(tree, i);
	return ret;
}

static void keep_above(struct tree *tree, size_t index)
{
	for (; index != NONE; index = tree->nodes[index].parent)
		tree->nodes[index].kept = true;
}

static void keep_below(struct tree *tree, size_t index)
{
	for (size_t i = 0; i < tree->rows->count; i++) {
		if (is_above(tree, index, i))
			tree->nodes[i].kept = true;
	}
}

/* What is below something that is not kept is at the top. */
static size_t kept_parent(const struct tree *tree, size_t index)
{
	size_t parent = tree->nodes[index].parent;

	return parent != NONE && tree->nodes[parent].kept ? parent : NONE;
}

/* @above is where @parent stands in the order. */
static void add_below(struct tree *tree, size_t parent, size_t above)
{
	for (size_t i = 0; i < tree->rows->count; i++) {
		if (!tree->nodes[i].kept || kept_parent(tree, i) != parent)
			continue;
		tree->parents[tree->count] = above;
		tree->ordered[tree->count++] = tree->rows->rows[i];
		add_below(tree, i, tree->count - 1);
	}
}

/* Replaces the rows by those in order, and frees the others. */
static void take_ordered(struct tree *tree)
{
	struct device_rows *rows = tree->rows;

	for (size_t i = 0; i < rows->count; i++) {
		if (!tree->nodes[i].kept)
			device_row_deinit(&rows->rows[i]);
	}
	tree->ordered[tree->count] = rows->rows[rows->count];
	tree->parents[tree->count] = NONE;
	free(rows->rows);
	rows->rows = tree->ordered;
	rows->parents = tree->parents;
	rows->count = tree->count;
}

int device_rows_make_tree(struct device_rows *rows, const struct sysroot *root,
			  bool (*is_wanted)(void *data,
					    const struct device_row *row),
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
		if (!is_wanted(data, &rows->rows[i]))
			continue;
		if (below)
			keep_below(&tree, i);
		else
			keep_above(&tree, i);
	}
	add_below(&tree, NONE, NONE);
	rows->is_selected = below;
	take_ordered(&tree);
	return 0;
}
