// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "tree.h"

void tree_create(struct tree *tree)
{
	const char *dir = getenv("TMPDIR");

	assert_true(snprintf(tree->path, sizeof(tree->path),
			     "%s/bufstat-unit-XXXXXX",
			     dir ? dir : "/tmp") < (int)sizeof(tree->path));
	assert_non_null(mkdtemp(tree->path));
}

static int remove_item(const char *path,
		       const struct stat *status __attribute__((unused)),
		       int type __attribute__((unused)),
		       struct FTW *place __attribute__((unused)))
{
	return remove(path);
}

void tree_destroy(struct tree *tree)
{
	assert_int_equal(
		nftw(tree->path, remove_item, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* Sets @whole to the full path and makes its directories. */
static void prepare(const struct tree *tree, const char *path, char whole[512])
{
	size_t root = strlen(tree->path) + 1;

	assert_true(snprintf(whole, 512, "%s/%s", tree->path, path) < 512);
	for (char *slash = strchr(whole + root, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(whole, 0755) < 0)
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
}

void tree_add_file(const struct tree *tree, const char *path, const char *data,
		   size_t size)
{
	char whole[512];
	FILE *file;

	prepare(tree, path, whole);
	file = fopen(whole, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

void tree_add_text(const struct tree *tree, const char *path, const char *text)
{
	tree_add_file(tree, path, text, strlen(text));
}

void tree_add_link(const struct tree *tree, const char *path,
		   const char *target)
{
	char whole[512];

	prepare(tree, path, whole);
	assert_int_equal(symlink(target, whole), 0);
}

int tree_fixture_tear_down(void **state)
{
	struct tree_fixture *fixture = *state;

	sysroot_deinit(&fixture->root);
	tree_destroy(&fixture->tree);
	return 0;
}

void tree_expect_text(const struct sysroot *root, const char *path,
		      const char *expected)
{
	char *text = NULL;
	size_t size;
	int ret = sysroot_read(root, path, 4096, &text, &size);

	if (ret < 0)
		fail_msg("%s: %s", path, strerror(-ret));
	assert_string_equal(text, expected);
	assert_int_equal(size, strlen(expected));
	free(text);
}

void tree_expect_error(const struct sysroot *root, const char *path, int error)
{
	char *text = NULL;

	assert_int_equal(sysroot_read(root, path, 4096, &text, NULL), -error);
	assert_null(text);
}
