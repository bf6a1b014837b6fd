// SPDX-License-Identifier: GPL-2.0-or-later
/* What a drop does before it releases: the right file, and all of it written. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drop/drop_files.h"
#include "drop/release_files.h"
#include "lib/sysroot.h"
#include "test.h"
#include "tree.h"

#define FILES 2

/* A directory with two files, as a filesystem that is to be dropped. */
struct example {
	struct tree tree;
	struct sysroot root;
	struct all_mounts mounts;
	char paths[FILES][300];
	struct drop_file files[FILES];
	struct drop_set set;
};

static void make(struct example *example)
{
	*example = (struct example){ 0 };
	tree_create(&example->tree);
	assert_int_equal(sysroot_init(&example->root, NULL, NULL), 0);
	for (size_t i = 0; i < FILES; i++) {
		const char *name = i ? "b" : "a";
		struct stat status;

		tree_add_text(&example->tree, name, "text");
		snprintf(example->paths[i], sizeof(example->paths[i]), "%s/%s",
			 example->tree.path, name);
		assert_int_equal(stat(example->paths[i], &status), 0);
		example->files[i].path = example->paths[i];
		example->files[i].ino = status.st_ino;
		example->set.major = major(status.st_dev);
		example->set.minor = minor(status.st_dev);
	}
	example->set.path = example->tree.path;
	example->set.mountpoint = example->tree.path;
	example->set.is_mount = true;
	example->set.files = example->files;
	example->set.count = FILES;
}

static void destroy(struct example *example)
{
	sysroot_deinit(&example->root);
	tree_destroy(&example->tree);
}

/* Another file is at the path by now. */
static void another_file_is_left_alone(void **state __attribute__((unused)))
{
	struct example example;

	make(&example);
	example.files[1].ino++;
	assert_int_equal(release_files(&example.set, &example.root,
				       &example.mounts, RELEASE_LOOK),
			 0);
	assert_int_equal(example.files[0].stay, STAY_NOT);
	assert_int_equal(example.files[1].stay, STAY_HIDDEN);
	destroy(&example);
}

#define KILL(call)                                                             \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),                       \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

/* From now on, who calls what uses up the report of a failed write dies. */
static void forbid_reports(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		KILL(SYS_fsync),
		KILL(SYS_fdatasync),
		KILL(SYS_syncfs),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { COUNT_OF(filter), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(2);
}

static int write_and_release(struct example *example)
{
	struct drop_set *set = &example->set;

	forbid_reports();
	for (int work = RELEASE_WRITE; work <= RELEASE_PAGES; work++) {
		if (release_files(set, &example->root, &example->mounts, work) <
		    0)
			return 3;
	}
	return 0;
}

/* A program that opens the file later still has to get it from fsync(2). */
static void uses_up_no_report(void **state __attribute__((unused)))
{
	for (int is_mount = 0; is_mount < 2; is_mount++) {
		struct example example;
		pid_t child;
		int status;

		make(&example);
		example.set.is_mount = is_mount;
		child = fork();
		if (!child)
			_exit(write_and_release(&example));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		destroy(&example);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_file_is_left_alone),
		cmocka_unit_test(uses_up_no_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
