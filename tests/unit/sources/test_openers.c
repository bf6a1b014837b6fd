// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sysroot.h"
#include "names/openers.h"
#include "test.h"
#include "tree.h"

static void collect(struct openers *openers, const char *prefix)
{
	struct sysroot root;

	assert_int_equal(sysroot_init(&root, prefix, NULL), 0);
	assert_int_equal(openers_init(openers, &root), 0);
	sysroot_deinit(&root);
}

static void expect_opener(const struct opener *opener, unsigned int pid,
			  const char *comm)
{
	assert_int_equal(opener->pid, pid);
	assert_string_equal(opener->comm, comm);
}

static void the_vm_host(void **state __attribute__((unused)))
{
	const struct opener *found;
	struct openers openers;
	size_t count;

	collect(&openers, FIXTURE("vm-host"));
	assert_true(openers_are_whole(&openers));

	/* One process has two descriptors; another uses the mapper's name. */
	found = openers_find(&openers, 253, 2, &count);
	assert_int_equal(count, 2);
	expect_opener(&found[0], 2411, "qemu-kvm");
	expect_opener(&found[1], 31337, "dd");

	found = openers_find(&openers, 253, 6, &count);
	assert_int_equal(count, 1);
	expect_opener(found, 2690, "qemu-kvm");

	assert_null(openers_find(&openers, 253, 0, &count));
	assert_int_equal(count, 0);
	assert_null(openers_find(&openers, 253, 99, &count));
	openers_deinit(&openers);
}

static void without_proc_nothing_is_known(void **state __attribute__((unused)))
{
	struct openers openers;
	struct tree tree;
	size_t count;

	tree_create(&tree);
	collect(&openers, tree.path);
	assert_int_equal(openers.processes, 0);
	assert_false(openers_are_whole(&openers));
	assert_null(openers_find(&openers, 8, 0, &count));
	openers_deinit(&openers);
	tree_destroy(&tree);
}

/* A process may end at any moment, and leave no fd or no comm. */
static void skips_what_has_gone(void **state __attribute__((unused)))
{
	const struct opener *found;
	struct openers openers;
	struct tree tree;
	size_t count;

	tree_create(&tree);
	tree_add_text(&tree, "sys/class/block/sda/dev", "8:0\n");
	tree_add_text(&tree, "proc/10/comm", "gone\n");
	tree_add_link(&tree, "proc/11/fd/3", "/dev/sda");
	tree_add_link(&tree, "proc/12/fd/3", "/dev/sdz");
	tree_add_link(&tree, "proc/self/fd/3", "/dev/sda");
	collect(&openers, tree.path);
	assert_int_equal(openers.processes, 2);
	found = openers_find(&openers, 8, 0, &count);
	assert_int_equal(count, 1);
	expect_opener(found, 11, "");
	openers_deinit(&openers);
	tree_destroy(&tree);
}

static void cuts_a_long_comm(void **state __attribute__((unused)))
{
	struct openers openers;
	char comm[201] = "";
	struct tree tree;

	memset(comm, 'x', sizeof(comm) - 1);
	tree_create(&tree);
	tree_add_text(&tree, "sys/class/block/sda/dev", "8:0\n");
	tree_add_link(&tree, "proc/11/fd/3", "/dev/sda");
	tree_add_text(&tree, "proc/11/comm", comm);
	collect(&openers, tree.path);
	assert_int_equal(openers.count, 1);
	assert_int_equal(strlen(openers.openers->comm),
			 sizeof(openers.openers->comm) - 1);
	openers_deinit(&openers);
	tree_destroy(&tree);
}

static void finds_each_of_many(void **state __attribute__((unused)))
{
	struct openers openers;
	struct tree tree;
	size_t count;

	tree_create(&tree);
	for (unsigned int i = 0; i < 50; i++) {
		char path[64], target[64];

		snprintf(path, sizeof(path), "sys/class/block/sd%u/dev", i);
		snprintf(target, sizeof(target), "8:%u\n", i);
		tree_add_text(&tree, path, target);
		snprintf(target, sizeof(target), "/dev/sd%u", i);
		for (unsigned int pid = 100; pid <= 100 + i % 3; pid++) {
			snprintf(path, sizeof(path), "proc/%u/fd/%u", pid, i);
			tree_add_link(&tree, path, target);
		}
	}
	collect(&openers, tree.path);
	for (unsigned int i = 0; i < 50; i++) {
		const struct opener *found =
			openers_find(&openers, 8, i, &count);

		assert_int_equal(count, 1 + i % 3);
		for (size_t j = 0; j < count; j++)
			assert_int_equal(found[j].pid, 100 + j);
	}
	openers_deinit(&openers);
	tree_destroy(&tree);
}

/* Opens any block device of this host. Returns -1 if there is none. */
static int open_device(struct stat *status)
{
	char path[32];

	for (int i = 0; i < 8; i++) {
		int fd;

		snprintf(path, sizeof(path), "/dev/loop%d", i);
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 && fstat(fd, status) == 0 &&
		    S_ISBLK(status->st_mode))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

/* A child holds a device open, and so does this program. Only it is found. */
static void finds_others_and_not_itself(void **state __attribute__((unused)))
{
	const struct opener *found;
	struct openers openers;
	bool child_found = false;
	struct stat status;
	size_t count;
	pid_t child;
	int fd = open_device(&status);

	if (fd < 0)
		SKIP_BECAUSE("no block device that may be opened");
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	collect(&openers, NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(fd);

	found = openers_find(&openers, major(status.st_rdev),
			     minor(status.st_rdev), &count);
	for (size_t i = 0; i < count; i++) {
		assert_int_not_equal(found[i].pid, getpid());
		if (found[i].pid == (unsigned int)child) {
			child_found = true;
			assert_string_equal(found[i].comm, "test_openers");
		}
	}
	assert_true(child_found);
	openers_deinit(&openers);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_vm_host),
		cmocka_unit_test(without_proc_nothing_is_known),
		cmocka_unit_test(skips_what_has_gone),
		cmocka_unit_test(cuts_a_long_comm),
		cmocka_unit_test(finds_each_of_many),
		cmocka_unit_test(finds_others_and_not_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
