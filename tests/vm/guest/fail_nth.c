// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Injects every possible fault in turn into the kernel's part of a system call,
 * until a call ends without a fault.
 *
 * fail_nth read FILE: opens, reads and closes the module's file.
 * fail_nth load MODULE: loads and unloads it. A load that fails may not have
 * created any file that can be opened. Nobody else may create or remove
 * anything in /dev and debugfs.
 *
 * After each fault everything must work again. Prints how often each step
 * failed. Exit status 77: this kernel has no fault injection.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/devices_file.h"
#include "common/faults.h"

/*
 * Directories of the module's files. Their modification time changes when a
 * file in them is created and removed; that of debugfs when it is removed.
 */
static const char *const directories[] = { "/sys/kernel/debug", "/dev" };

#define DIRECTORIES (sizeof(directories) / sizeof(directories[0]))
#define LONG_AGO 1 /* seconds; nothing is modified at this time */

static void check_file(const char *path)
{
	struct devices_file file;
	const char *wrong;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret = fd < 0 ? -errno : devices_file_read(fd, 4096, &file);

	if (ret < 0) {
		errno = -ret;
		err(1, "%s, after a fault", path);
	}
	wrong = devices_file_check(&file);
	if (wrong)
		errx(1, "%s, after a fault: %s", path, wrong);
	devices_file_free(&file);
	close(fd);
}

/* After a failed read, the rest of the file is still whole. */
static bool read_fails(const char *path, unsigned int nth)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct devices_file file;
	const char *wrong;
	char some[100];
	ssize_t got;
	bool fault;
	int error;

	if (fd < 0)
		err(1, "%s", path);
	faults_set(nth);
	got = read(fd, some, sizeof(some));
	error = errno;
	fault = faults_happened();
	if (got < 0 && !faults_explain(error))
		errx(1, "%s: fault %u: %s", path, nth, strerror(error));
	if (lseek(fd, 0, SEEK_SET) != 0 || devices_file_read(fd, 4096, &file))
		err(1, "%s: reading on", path);
	wrong = devices_file_check(&file);
	if (wrong)
		errx(1, "%s: after a read that failed: %s", path, wrong);
	devices_file_free(&file);
	close(fd);
	return fault;
}

static void make_old(const char *directory)
{
	static const struct timespec times[2] = { { .tv_sec = LONG_AGO },
						  { .tv_sec = LONG_AGO } };

	if (utimensat(AT_FDCWD, directory, times, 0) < 0)
		err(1, "%s", directory);
}

static bool is_modified(const char *directory)
{
	struct stat status;

	if (stat(directory, &status) < 0)
		err(1, "%s", directory);
	return status.st_mtime != LONG_AGO;
}

/*
 * A load that fails frees the module even if somebody has one of its files
 * open. So it must not create any file, however briefly.
 */
static void check_traces(unsigned int nth, bool loaded, bool fault)
{
	for (size_t i = 0; i < DIRECTORIES; i++) {
		bool modified = is_modified(directories[i]);

		if (modified && !loaded)
			errx(1, "fault %u: no load, but something was in %s",
			     nth, directories[i]);
		if (!modified && !fault)
			errx(1, "%s: no trace of a load", directories[i]);
	}
}

static bool load_fails(const char *path, unsigned int nth)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool fault;
	long ret;
	int error;

	if (fd < 0)
		err(1, "%s", path);
	for (size_t i = 0; i < DIRECTORIES; i++)
		make_old(directories[i]);
	faults_set(nth);
	ret = syscall(SYS_finit_module, fd, "", 0);
	error = errno;
	fault = faults_happened();
	if (ret < 0 && !fault)
		errx(1, "%s: without a fault: %s", path, strerror(error));
	/* Somebody may have one of its files open for a moment. */
	while (ret == 0 &&
	       syscall(SYS_delete_module, "bufstat", O_NONBLOCK) < 0) {
		if (errno != EWOULDBLOCK)
			err(1, "unloading it after fault %u", nth);
	}
	check_traces(nth, ret == 0, fault);
	close(fd);
	return fault;
}

int main(int argc, char **argv)
{
	bool load = argc == 3 && strcmp(argv[1], "load") == 0;

	if (!load && (argc != 3 || strcmp(argv[1], "read") != 0))
		errx(1, "usage: fail_nth read FILE | load MODULE");
	faults_open();
	if (load) {
		faults_all("load", argv[2], load_fails, NULL);
	} else {
		faults_all("open", argv[2], faults_fail_opening, check_file);
		faults_all("read", argv[2], read_fails, check_file);
	}
	return 0;
}
