// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "filesystems/all_mounts.h"
#include "filesystems/found_paths.h"
#include "names_fixture.h"
#include "tree.h"

static const char here[] =
	"21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
	"22 21 0:20 / /proc rw - proc proc rw\n"
	"23 21 0:40 /@ /data rw shared:1 - btrfs /dev/sdb rw\n"
	"24 21 0:40 /@home /home\\040of rw - btrfs /dev/sdb rw\n"
	"25 21 8:1 /srv/www /var/www rw - ext4 /dev/sda1 rw\n";
static const char container[] =
	"90 80 0:77 / / rw - overlay overlay rw\n"
	"91 90 0:78 / /dev/shm rw - tmpfs shm rw\n"
	"92 90 8:1 /var/lib /data rw - ext4 /dev/sda1 rw\n";

/* Process 7 is in this mount namespace, 8 and 9 are in a container's. */
static void make_host(struct tree *tree)
{
	tree_create(tree);
	tree_add_text(tree, "proc/self/mountinfo", here);
	tree_add_link(tree, "proc/self/ns/mnt", "mnt:[1]");
	tree_add_text(tree, "proc/7/mountinfo", here);
	tree_add_link(tree, "proc/7/ns/mnt", "mnt:[1]");
	tree_add_text(tree, "proc/8/mountinfo", container);
	tree_add_link(tree, "proc/8/ns/mnt", "mnt:[2]");
	tree_add_text(tree, "proc/9/mountinfo", container);
	tree_add_link(tree, "proc/9/ns/mnt", "mnt:[2]");
}

static const struct mounted *find(const struct all_mounts *all,
				  unsigned int major, unsigned int minor)
{
	const struct mounted *found = NULL;

	for (size_t i = 0; i < all->count; i++) {
		if (all->mounts[i].major != major ||
		    all->mounts[i].minor != minor)
			continue;
		assert_null(found);
		found = &all->mounts[i];
	}
	assert_non_null(found);
	return found;
}

static void expect_path(const struct mounted *mounted, const char *inside,
			const char *expected)
{
	const struct string_list below = { 0 };
	char *path;

	assert_int_equal(mounted_path(mounted, inside, &below, &path), 0);
	same_string(path, expected);
	free(path);
}

static void expect_place(const struct all_mounts *all, const char *path,
			 bool in_memory, bool local)
{
	const struct place *place =
		all_mounts_find_place(all, path, strcspn(path, "|"));

	assert_non_null(place);
	assert_int_equal(place->is_in_memory, in_memory);
	assert_int_equal(place->is_local, local);
}

/* After chroot(2) to a directory, others show what is mounted above it. */
static void a_root_that_is_no_mount_hides_mounts(void **state
						 __attribute__((unused)))
{
	const struct mount_id *id;
	struct all_mounts all;
	struct sysroot root;
	struct tree tree;

	tree_create(&tree);
	tree_add_link(&tree, "proc/self/ns/mnt", "mnt:[1]");
	tree_add_text(&tree, "proc/7/mountinfo", here);
	tree_add_link(&tree, "proc/7/ns/mnt", "mnt:[1]");
	tree_add_text(&tree, "proc/self/mountinfo",
		      "22 21 0:20 / /proc rw - proc proc rw\n"
		      "23 21 0:40 /@ /inside rw - btrfs /dev/sdb rw\n");
	open_fixture(&root, tree.path);
	assert_int_equal(all_mounts_init(&all, &root), 0);
	expect_path(find(&all, 8, 1), "/etc/fstab", "/proc/7/root/etc/fstab");
	expect_path(find(&all, 0, 40), "/@/file", "/inside/file");
	id = all_mounts_find_id(&all, 21);
	assert_non_null(id);
	assert_int_equal(id->major, 8);
	all_mounts_deinit(&all);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

static void every_place_is_known(void **state __attribute__((unused)))
{
	struct all_mounts all;
	struct sysroot root;
	struct tree tree;

	make_host(&tree);
	tree_add_text(&tree, "proc/self/mountinfo",
		      "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		      "22 21 0:20 / /proc rw - proc proc rw\n"
		      "23 21 0:50 / /misc rw - autofs systemd-1 rw\n"
		      "24 21 0:51 / /over rw - fuse.sshfs there: rw\n"
		      "25 24 0:52 / /over rw - tmpfs tmpfs rw\n");
	open_fixture(&root, tree.path);
	assert_int_equal(all_mounts_init(&all, &root), 0);
	expect_place(&all, "/", false, true);
	expect_place(&all, "/proc", true, true);
	expect_place(&all, "/proc|/sys", true, true);
	expect_place(&all, "/misc", false, false);
	/* This tmpfs covers an sshfs mount, through which a lookup may pass. */
	expect_place(&all, "/over", false, false);
	assert_null(all_mounts_find_place(&all, "/pro", 4));
	assert_null(all_mounts_find_place(&all, "/process", 8));
	all_mounts_deinit(&all);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

static void each_filesystem_once(void **state __attribute__((unused)))
{
	struct all_mounts all;
	struct sysroot root;
	struct tree tree;

	make_host(&tree);
	open_fixture(&root, tree.path);
	assert_int_equal(all_mounts_init(&all, &root), 0);
	/* Without proc, which has no page cache. */
	assert_int_equal(all.count, 4);
	expect_list(&find(&all, 8, 1)->mountpoints, "/|/var/www");
	expect_list(&find(&all, 0, 40)->mountpoints, "/data|/home of");
	same_string(find(&all, 0, 40)->type, "btrfs");
	same_string(find(&all, 0, 78)->source, "shm");
	all_mounts_deinit(&all);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

/* Either process of the container may be met first. */
static void other_namespaces_by_a_process(void **state __attribute__((unused)))
{
	struct all_mounts all;
	struct sysroot root;
	struct tree tree;
	const char *path;

	make_host(&tree);
	open_fixture(&root, tree.path);
	assert_int_equal(all_mounts_init(&all, &root), 0);
	assert_int_equal(find(&all, 0, 78)->mountpoints.count, 1);
	path = find(&all, 0, 78)->mountpoints.strings[0];
	assert_true(strcmp(path, "/proc/8/root/dev/shm") == 0 ||
		    strcmp(path, "/proc/9/root/dev/shm") == 0);
	assert_int_equal(all_mounts_find_id(&all, 92)->major, 8);
	assert_int_equal(all_mounts_find_id(&all, 24)->minor, 40);
	assert_null(all_mounts_find_id(&all, 1));
	all_mounts_deinit(&all);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

/* An ended process, or one that this user may not look at, hides nothing. */
static bool hides(int error)
{
	static const int known[] = { ENOENT, ENOTDIR, ESRCH,
				     EACCES, EPERM,   EINVAL };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (error == -known[i])
			return false;
	}
	return error < 0;
}

/* Tries all errors: compilers have merged such comparisons wrongly. */
static void a_failure_is_kept(void **state __attribute__((unused)))
{
	for (int error = -4095; error <= 1; error++) {
		struct all_mounts all = { .failed = EIO };

		all_mounts_note(&all, error);
		assert_int_equal(all.failed, hides(error) ? -error : EIO);
	}
}

static void paths_as_they_are_seen(void **state __attribute__((unused)))
{
	struct all_mounts all;
	struct sysroot root;
	struct tree tree;

	make_host(&tree);
	open_fixture(&root, tree.path);
	assert_int_equal(all_mounts_init(&all, &root), 0);
	expect_path(find(&all, 8, 1), "/srv/www/index", "/srv/www/index");
	expect_path(find(&all, 8, 1), "/", "/");
	expect_path(find(&all, 0, 40), "/@/file", "/data/file");
	expect_path(find(&all, 0, 40), "/@home/me", "/home of/me");
	expect_path(find(&all, 0, 40), "/@", "/data");
	expect_path(find(&all, 0, 40), "/@other/file", NULL);
	all_mounts_deinit(&all);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_is_kept),
		cmocka_unit_test(each_filesystem_once),
		cmocka_unit_test(a_root_that_is_no_mount_hides_mounts),
		cmocka_unit_test(every_place_is_known),
		cmocka_unit_test(other_namespaces_by_a_process),
		cmocka_unit_test(paths_as_they_are_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
