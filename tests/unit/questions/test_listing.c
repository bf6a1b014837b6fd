// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a directory cannot be read to its end, the caller must not report the
 * listing as complete.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "filesystems/all_mounts.h"
#include "filesystems/measured_files.h"
#include "lib/sysroot.h"
#include "measure/module_absence.h"
#include "measure/snapshot.h"
#include "mounts.h"
#include "names/device_base.h"
#include "names/device_find.h"
#include "names/names.h"
#include "names/openers.h"
#include "test.h"
#include "tree.h"

/* Reads that succeed before one fails; below zero: all succeed. */
static int good_reads = -1;

/* Replaces the C library's readdir() and calls it. */
struct dirent *readdir(DIR *dir)
{
	static struct dirent *(*real)(DIR * dir);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "readdir");
	if (!good_reads) {
		errno = EIO;
		return NULL;
	}
	good_reads -= good_reads > 0;
	return real(dir);
}

/* Fails each read in turn, then none. Returns how often teller @i noticed. */
static int try_all(const struct tree *tree, size_t i,
		   bool (*tell)(struct sysroot *root))
{
	struct sysroot root;
	int told = 0;

	assert_int_equal(sysroot_init(&root, tree->path, NULL), 0);
	good_reads = -1;
	if (tell(&root))
		fail_msg("%zu: nothing failed", i);
	for (int reads = 0; reads < 32; reads++) {
		good_reads = reads;
		told += tell(&root);
	}
	good_reads = -1;
	sysroot_deinit(&root);
	return told;
}

static bool mounts_are_missing(struct sysroot *root)
{
	struct all_mounts mounts;
	bool failed;

	assert_int_equal(all_mounts_init(&mounts, root), 0);
	failed = mounts.failed;
	assert_true(!failed || mounts.failed == EIO);
	all_mounts_deinit(&mounts);
	return failed;
}

static bool openers_are_missing(struct sysroot *root)
{
	struct openers openers;
	bool failed;

	assert_int_equal(openers_init(&openers, root), 0);
	failed = openers.failed;
	assert_int_equal(openers_are_whole(&openers), !failed);
	openers_deinit(&openers);
	return failed;
}

static bool holders_are_missing(struct sysroot *root)
{
	const struct sample sample = { .major = 8, .minor = 0 };
	struct names *names = names_create(root);
	struct device_names device;
	bool failed;

	assert_int_equal(names_lookup(names, &sample, &device), 0);
	failed = !device_names_holders(&device);
	device_names_deinit(&device);
	names_destroy(names);
	return failed;
}

static bool partitions_are_missing(struct sysroot *root)
{
	struct device_base base;
	bool failed;

	assert_int_equal(device_base_init(&base, root, 8, 0), 0);
	failed = base.has_hidden_partitions;
	assert_int_equal(base.has_partitions, !failed);
	device_base_deinit(&base);
	return failed;
}

static bool volumes_are_missing(struct sysroot *root)
{
	struct found_device found;
	int ret = device_find(root, "no-such-volume", &found, NULL);

	assert_true(ret == -ENOENT || ret == -EIO);
	return ret == -EIO;
}

static bool kernels_are_missing(struct sysroot *root)
{
	struct module_built built;
	bool failed;

	module_built_init(&built, root, "6.1.0");
	failed = built.failed;
	assert_true(!failed || built.failed == EIO);
	module_built_deinit(&built);
	return failed;
}

static bool users_are_missing(struct sysroot *root)
{
	struct cached_file file = { .ino = 7 };
	struct cached_files files = { .files = &file, .count = 1 };
	int ret = cached_files_find_users(&files, root, NULL);
	bool failed = ret == -EIO || files.unknown_users.count;

	assert_true(!ret || ret == -EIO);
	string_list_deinit(&files.unknown_users);
	string_list_deinit(&file.users);
	return failed;
}

static void make_host(struct tree *tree)
{
	static const char *const files[] = {
		"proc/self/mountinfo",
		"proc/1/comm",
		"proc/1/fd/x",
		"proc/1/fdinfo/3",
		"proc/2/fd/x",
		"sys/dev/block/8:0/size",
		"sys/dev/block/8:0/holders/dm-0",
		"sys/dev/block/8:0/holders/dm-1",
		"sys/dev/block/8:0/sda1/partition",
		"sys/class/block/dm-0/dm/name",
		"lib/modules/6.1.0/extra/bufstat.ko",
		"var/lib/dkms/bufstat/0.1.0/other",
	};

	tree_create(tree);
	for (size_t i = 0; i < COUNT_OF(files); i++)
		tree_add_text(tree, files[i], "");
}

static void what_could_not_be_listed_is_told(void **state
					     __attribute__((unused)))
{
	static bool (*const tell[])(struct sysroot * root) = {
		mounts_are_missing,  openers_are_missing,
		holders_are_missing, partitions_are_missing,
		volumes_are_missing, kernels_are_missing,
		users_are_missing,
	};
	struct tree tree;

	make_host(&tree);
	/* A tree may have a descriptor that is another thing in a worker. */
	for (int spare = 0; spare < 2; spare++) {
		const int fd = spare ? open("/dev/null", O_RDONLY) : -1;

		for (size_t i = 0; i < COUNT_OF(tell); i++)
			assert_int_not_equal(try_all(&tree, i, tell[i]), 0);
		if (spare)
			assert_int_equal(close(fd), 0);
	}
	tree_destroy(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_could_not_be_listed_is_told),
	};

	return cmocka_run_group_tests(tests, have_own_run, NULL);
}
