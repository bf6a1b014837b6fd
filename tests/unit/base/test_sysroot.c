// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "test.h"
#include "tree.h"

static int set_up(void **state)
{
	static struct tree_fixture fixture;
	const struct tree *tree = &fixture.tree;

	tree_create(&fixture.tree);
	tree_add_text(tree, "proc/meminfo", "inside\n");
	tree_add_text(tree, "etc/passwd", "inside\n");
	tree_add_text(tree, "sys/devices/vda/size", "8\n");
	tree_add_file(tree, "nul", "a\0b", 3);
	tree_add_text(tree, "empty", "");
	assert_int_equal(sysroot_init(&fixture.root, tree->path, NULL), 0);
	*state = &fixture;
	return 0;
}

static void empty_prefixes_are_the_host(void **state __attribute__((unused)))
{
	static const char *const prefixes[] = { NULL, "", "/" };
	struct sysroot root;

	for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
		char *path;

		assert_int_equal(sysroot_init(&root, prefixes[i], NULL), 0);
		assert_true(sysroot_is_live(&root));
		path = sysroot_path(&root, "/proc/meminfo");
		assert_string_equal(path, "/proc/meminfo");
		free(path);
		sysroot_deinit(&root);
	}
}

static void missing_trees_are_refused(void **state)
{
	const struct tree_fixture *fixture = *state;
	struct sysroot root;
	struct error err;
	char path[512];

	assert_int_equal(sysroot_init(&root, "/nonexistent/tree", &err),
			 -ENOENT);
	assert_string_equal(text_of(&err),
			    "using a captured tree: /nonexistent/tree: "
			    "No such file or directory");
	snprintf(path, sizeof(path), "%s/empty", fixture->tree.path);
	/* A regular file is read as a packed tree. */
	assert_int_equal(sysroot_init(&root, path, &err), -EBADMSG);
}

static void reads_inside_the_tree(void **state)
{
	struct tree_fixture *fixture = *state;
	size_t size = 99;
	char *text;

	assert_false(sysroot_is_live(&fixture->root));
	tree_expect_text(&fixture->root, "/proc/meminfo", "inside\n");
	tree_expect_text(&fixture->root, "///proc//meminfo", "inside\n");
	tree_expect_text(&fixture->root, "/empty", "");
	assert_int_equal(sysroot_read(&fixture->root, "/nul", 3, &text, &size),
			 0);
	assert_int_equal(size, 3);
	assert_memory_equal(text, "a\0b", 4);
	free(text);
}

static void links_stay_inside(void **state)
{
	struct tree_fixture *fixture = *state;
	const struct tree *tree = &fixture->tree;
	const struct sysroot *root = &fixture->root;

	tree_add_link(tree, "absolute", "/etc/passwd");
	tree_add_link(tree, "a/b/climb", "../../../../../../../etc/passwd");
	tree_add_link(tree, "a/parent", "../..");
	tree_add_link(tree, "whole", "/");
	tree_add_link(tree, "twice", "/absolute");
	tree_expect_text(root, "/absolute", "inside\n");
	tree_expect_text(root, "/a/b/climb", "inside\n");
	tree_expect_text(root, "/a/parent/etc/passwd", "inside\n");
	tree_expect_text(root, "/whole/etc/passwd", "inside\n");
	tree_expect_text(root, "/twice", "inside\n");
	tree_expect_text(root, "/../../../../../etc/passwd", "inside\n");
}

static void rename_until_killed(const struct tree *tree)
{
	char one[512], two[512];

	snprintf(one, sizeof(one), "%s/one", tree->path);
	snprintf(two, sizeof(two), "%s/two", tree->path);
	for (;;) {
		rename(one, two);
		rename(two, one);
	}
}

/*
 * While anything on the host is renamed or mounted, the kernel cannot resolve a
 * ".." safely and returns EAGAIN.
 */
static void renames_do_not_disturb(void **state)
{
	struct tree_fixture *fixture = *state;
	const struct tree *tree = &fixture->tree;
	int failures = 0;
	pid_t child;

	tree_add_text(tree, "one", "");
	tree_add_link(tree, "a/b/climb", "../../etc/passwd");
	child = fork();
	assert_true(child >= 0);
	if (!child)
		rename_until_killed(tree);
	for (int i = 0; i < 20000; i++) {
		int fd = sysroot_open(&fixture->root, "/a/b/climb", O_RDONLY);

		if (fd >= 0)
			close(fd);
		failures += fd < 0;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(failures, 0);
}

/* Files that every host has, but not the tree. */
static void links_do_not_reach_the_host(void **state)
{
	struct tree_fixture *fixture = *state;
	const struct tree *tree = &fixture->tree;
	const struct sysroot *root = &fixture->root;

	assert_int_equal(access("/proc/version", R_OK), 0);
	tree_add_link(tree, "host", "/proc/version");
	tree_add_link(tree, "d/host", "../../../../../../proc/version");
	tree_expect_error(root, "/host", ENOENT);
	tree_expect_error(root, "/d/host", ENOENT);
	tree_expect_error(root, "/../../../proc/version", ENOENT);
	tree_add_link(tree, "loop", "loop");
	tree_expect_error(root, "/loop", ELOOP);
}

static void other_errors(void **state)
{
	const struct sysroot *root = &((struct tree_fixture *)*state)->root;

	tree_expect_error(root, "/none", ENOENT);
	tree_expect_error(root, "/none/none", ENOENT);
	tree_expect_error(root, "/proc/meminfo/none", ENOTDIR);
	tree_expect_error(root, "/proc", EISDIR);
}

/* Sizes around the reader's buffer steps, each in a block of its exact size. */
static void limit_is_the_largest_size(void **state)
{
	static const size_t sizes[] = { 1, 8190, 8191, 8192, 16384, 100000 };
	struct tree_fixture *fixture = *state;
	char *data = malloc(100000), *text;
	size_t size;

	memset(data, 'x', 100000);
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		tree_add_file(&fixture->tree, "large", data, sizes[i]);
		assert_int_equal(sysroot_read(&fixture->root, "/large",
					      sizes[i], &text, &size),
				 0);
		assert_int_equal(size, sizes[i]);
		assert_memory_equal(text, data, size);
		assert_int_equal(text[size], '\0');
		free(text);
		assert_int_equal(sysroot_read(&fixture->root, "/large",
					      sizes[i] - 1, &text, &size),
				 -EFBIG);
	}
	free(data);
}

static void name_of_a_link(void **state)
{
	struct tree_fixture *fixture = *state;
	const struct tree *tree = &fixture->tree;
	const struct sysroot *root = &fixture->root;
	char *name;

	tree_add_link(tree, "sys/dev/block/8:0", "../../devices/pci/block/sda");
	tree_add_link(tree, "plain", "word");
	assert_int_equal(sysroot_link_name(root, "/sys/dev/block/8:0", &name),
			 0);
	assert_string_equal(name, "sda");
	free(name);
	assert_int_equal(sysroot_link_name(root, "/plain", &name), 0);
	assert_string_equal(name, "word");
	free(name);
	assert_int_equal(sysroot_link_name(root, "/none", &name), -ENOENT);
	assert_int_equal(sysroot_link_name(root, "/proc/meminfo", &name),
			 -EINVAL);
}

static void directories(void **state)
{
	struct tree_fixture *fixture = *state;
	const struct sysroot *root = &fixture->root;
	DIR *dir;

	tree_add_link(&fixture->tree, "sys/class", "/sys/devices");
	dir = sysroot_opendir(root, "/sys/class");
	assert_non_null(dir);
	closedir(dir);
	assert_null(sysroot_opendir(root, "/none"));
	assert_int_equal(errno, ENOENT);
	assert_null(sysroot_opendir(root, "/proc/meminfo"));
	assert_int_equal(errno, ENOTDIR);
}

static void descriptors_are_not_inherited(void **state)
{
	const struct sysroot *root = &((struct tree_fixture *)*state)->root;
	int fd = sysroot_open(root, "/proc/meminfo", O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(root->fd, F_GETFD), FD_CLOEXEC);
	close(fd);
}

/* The root is named after the user's dump, which must not be removed. */
static void nothing_named_is_removed(void **state)
{
	const struct tree_fixture *fixture = *state;
	struct sysroot empty;
	struct error err;

	/* Like uninitialised memory on the caller's stack. */
	memset(&empty, 0xff, sizeof(empty));
	assert_int_equal(sysroot_init_empty(&empty, fixture->tree.path, &err),
			 0);
	sysroot_deinit(&empty);
	assert_int_equal(access(fixture->tree.path, F_OK), 0);
}

int main(void)
{
#define TEST(test)                                                             \
	cmocka_unit_test_setup_teardown(test, set_up, tree_fixture_tear_down)
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_prefixes_are_the_host),
		TEST(missing_trees_are_refused),
		TEST(reads_inside_the_tree),
		TEST(links_stay_inside),
		TEST(renames_do_not_disturb),
		TEST(links_do_not_reach_the_host),
		TEST(other_errors),
		TEST(limit_is_the_largest_size),
		TEST(name_of_a_link),
		TEST(directories),
		TEST(descriptors_are_not_inherited),
		TEST(nothing_named_is_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
