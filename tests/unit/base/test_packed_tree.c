// SPDX-License-Identifier: GPL-2.0-or-later
/* A tree in a tar file has the same contents as the tree in a directory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/packed_tree.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "lib/tar.h"
#include "test.h"
#include "tree.h"

struct fixture {
	struct tree_fixture base;
	char path[512];
	FILE *out;
};

static int set_up(void **state)
{
	static struct fixture fixture;

	tree_create(&fixture.base.tree);
	snprintf(fixture.path, sizeof(fixture.path), "%s/packed",
		 fixture.base.tree.path);
	fixture.out = fopen(fixture.path, "w");
	assert_non_null(fixture.out);
	fixture.base.root = (struct sysroot){ .fd = -1 };
	*state = &fixture;
	return 0;
}

static void add(const struct fixture *fixture, const char *path,
		const char *text)
{
	assert_int_equal(tar_write_file(fixture->out, path, text, strlen(text)),
			 0);
}

static void add_link(const struct fixture *fixture, const char *path,
		     const char *target)
{
	assert_int_equal(tar_write_link(fixture->out, path, target), 0);
}

static int close_and_open(struct fixture *fixture, struct error *err)
{
	tar_write_end(fixture->out);
	assert_int_equal(fclose(fixture->out), 0);
	return sysroot_init(&fixture->base.root, fixture->path, err);
}

static void expect_list(const struct sysroot *root, const char *path,
			const char *expected)
{
	struct string_list names = { 0 };
	char *joined;

	assert_int_equal(sysroot_list(root, path, &names), 0);
	joined = string_list_join(&names, "|");
	assert_string_equal(joined, expected);
	free(joined);
	string_list_deinit(&names);
}

static void reads_and_lists(void **state)
{
	struct fixture *fixture = *state;
	struct sysroot *root = &fixture->base.root;
	struct string_list names = { 0 };
	char *target;
	int fd;

	add(fixture, "/sys/b!/x", "x");
	add(fixture, "/sys/b", "");
	add(fixture, "/sys/a/c/d", "text");
	add(fixture, "/sys/a-/e", "other");
	add(fixture, "/sys/a/c/.hidden", "");
	add(fixture, "./proc//meminfo", "inside");
	add(fixture, "/etc/passwd", "read by nobody");
	tar_write_directory(fixture->out, "/proc/7/fd");
	tar_write_directory(fixture->out, "/proc/7/fd");
	add_link(fixture, "/sys/link", "a/c");
	assert_int_equal(close_and_open(fixture, NULL), 0);
	assert_false(sysroot_is_live(root));

	tree_expect_text(root, "/sys/a/c/d", "text");
	tree_expect_text(root, "//sys/./link//d", "text");
	tree_expect_text(root, "/sys/b", "");
	tree_expect_text(root, "/proc/meminfo", "inside");
	tree_expect_error(root, "/etc/passwd", ENOENT);
	tree_expect_error(root, "/sys/a/c/none", ENOENT);
	tree_expect_error(root, "/sys/a/c", EISDIR);
	tree_expect_error(root, "/", EISDIR);
	tree_expect_error(root, "/sys/b/x", ENOTDIR);
	tree_expect_error(root, "/sys/b/..", ENOTDIR);
	expect_list(root, "/", "proc|sys");
	expect_list(root, "/sys", "a|a-|b|b!|link");
	expect_list(root, "/sys/link", "d");
	expect_list(root, "/proc/7/fd", "");
	assert_int_equal(sysroot_list(root, "/sys/b", &names), -ENOTDIR);
	assert_int_equal(sysroot_list(root, "/sys/c", &names), -ENOENT);
	assert_int_equal(sysroot_link(root, "/sys/link", &target), 0);
	assert_string_equal(target, "a/c");
	free(target);
	assert_int_equal(sysroot_link(root, "/sys/a", &target), -EINVAL);
	assert_int_equal(sysroot_read(root, "/proc/meminfo", 5, &target, NULL),
			 -EFBIG);
	fd = sysroot_open(root, "/proc/7", O_PATH);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(sysroot_open(root, "/proc/8", O_PATH), -ENOENT);
}

static void links_stay_inside(void **state)
{
	struct fixture *fixture = *state;
	const struct sysroot *root = &fixture->base.root;

	assert_int_equal(access("/proc/version", R_OK), 0);
	add(fixture, "/run/file", "inside");
	add_link(fixture, "/sys/absolute", "/run/file");
	add_link(fixture, "/sys/a/b/climb", "../../../../../../../run/file");
	add_link(fixture, "/sys/a/parent", "../..");
	add_link(fixture, "/sys/whole", "/");
	add_link(fixture, "/sys/twice", "/sys/absolute");
	add_link(fixture, "/sys/host", "/proc/version");
	add_link(fixture, "/sys/loop", "loop");
	add_link(fixture, "/sys/grows", "grows/grows");
	assert_int_equal(close_and_open(fixture, NULL), 0);

	tree_expect_text(root, "/sys/absolute", "inside");
	tree_expect_text(root, "/sys/a/b/climb", "inside");
	tree_expect_text(root, "/sys/a/parent/run/file", "inside");
	tree_expect_text(root, "/sys/whole/run/file", "inside");
	tree_expect_text(root, "/sys/twice", "inside");
	tree_expect_text(root, "/../../run/file", "inside");
	tree_expect_error(root, "/sys/host", ENOENT);
	tree_expect_error(root, "/sys/loop", ELOOP);
	tree_expect_error(root, "/sys/grows", ELOOP);
	tree_expect_error(root, "/sys/absolute/..", ENOTDIR);
}

static void refused(void **state, const char *reason)
{
	struct fixture *fixture = *state;
	char expected[700];
	struct error err;

	assert_int_equal(close_and_open(fixture, &err), -EBADMSG);
	snprintf(expected, sizeof(expected), "reading a capture: %s: %s",
		 fixture->path, reason);
	assert_string_equal(text_of(&err), expected);
}

static void nothing_is_below_a_file(void **state)
{
	add(*state, "/sys/a/b", "");
	add(*state, "/sys/a!", "");
	add_link(*state, "/sys/a", "/run");
	refused(state, "Not a directory: sys/a/b");
}

static void no_name_is_there_twice(void **state)
{
	add(*state, "/sys/a", "");
	add(*state, "/sys/b", "");
	add(*state, "/sys/./a", "");
	refused(state, "File exists: sys/a");
}

static void nothing_leads_outside(void **state)
{
	add(*state, "/sys/a", "");
	add(*state, "/sys/../../a", "");
	refused(state, "it is cut short or leads outside at entry 2");
}

int main(void)
{
#define TEST(test)                                                             \
	cmocka_unit_test_setup_teardown(test, set_up, tree_fixture_tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(reads_and_lists),	       TEST(links_stay_inside),
		TEST(nothing_is_below_a_file), TEST(no_name_is_there_twice),
		TEST(nothing_leads_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
