/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory made for one test, for files that should be in no fixture. */
#ifndef BUFSTAT_TESTS_TREE_H
#define BUFSTAT_TESTS_TREE_H

#include <stddef.h>

#include "lib/sysroot.h"

struct tree {
	char path[256];
};

void tree_create(struct tree *tree);
void tree_destroy(struct tree *tree);

/* @path is relative. Makes missing directories. */
void tree_add_file(const struct tree *tree, const char *path, const char *data,
		   size_t size);
void tree_add_text(const struct tree *tree, const char *path, const char *text);
void tree_add_link(const struct tree *tree, const char *path,
		   const char *target);

/* A tree and its sysroot, as the state of a test. */
struct tree_fixture {
	struct tree tree;
	struct sysroot root;
};

int tree_fixture_tear_down(void **state);

/* Expects that @root reads @expected at @path, or fails with @error. */
void tree_expect_text(const struct sysroot *root, const char *path,
		      const char *expected);
void tree_expect_error(const struct sysroot *root, const char *path, int error);

#endif
