/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory made for one test, for what no committed fixture should hold. */
#ifndef BUFSTAT_TESTS_TREE_H
#define BUFSTAT_TESTS_TREE_H

#include <stddef.h>

struct tree {
	char path[256];
};

void tree_create(struct tree *tree);
void tree_destroy(struct tree *tree);

/* @path is relative; directories on the way are made. */
void tree_add_file(const struct tree *tree, const char *path, const char *data,
		   size_t size);
void tree_add_text(const struct tree *tree, const char *path, const char *text);
void tree_add_link(const struct tree *tree, const char *path,
		   const char *target);

#endif
