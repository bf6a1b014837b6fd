// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lets the first, the second, the third... thing fail that may fail in the
 * kernel while a system call runs (/proc/thread-self/fail-nth of a kernel with
 * fault injection), until a call gets through without one.
 *
 * fail_nth read FILE: opening, reading and closing the module's file.
 * fail_nth load MODULE: loading it; it is unloaded again.
 *
 * After each fault everything has to work again. Prints what failed how often.
 * Exit status 77: this kernel lets nothing fail.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/devices_file.h"

#define CONTROL "/proc/thread-self/fail-nth"
#define SKIPPED 77
#define MOST 100000 /* more than any call has places to fail in */

static int control = -1;

static void set_fault(unsigned int nth)
{
	char text[16];
	int size = snprintf(text, sizeof(text), "%u", nth);
	ssize_t done;

	/* A fault that is still to come may hit this very call, and is over. */
	do
		done = pwrite(control, text, (size_t)size, 0);
	while (done < 0 && errno == EFAULT);
	if (done != size)
		err(1, CONTROL);
}

/* Whether the fault that was set has happened. Nothing fails from then on. */
static bool happened(void)
{
	char text[16];
	ssize_t got = pread(control, text, sizeof(text) - 1, 0);

	/* Reading this may be what fails. */
	if (got < 0)
		return true;
	text[got] = '\0';
	set_fault(0);
	return strtoul(text, NULL, 10) == 0;
}

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

static bool open_fails(const char *path, unsigned int nth)
{
	bool fault;
	int fd, error;

	set_fault(nth);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	error = errno;
	fault = happened();
	if (fd >= 0)
		close(fd);
	else if (error != ENOMEM && error != EFAULT)
		errx(1, "%s: fault %u: %s", path, nth, strerror(error));
	return fault;
}

/* What is read after a read that failed is still whole. */
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
	set_fault(nth);
	got = read(fd, some, sizeof(some));
	error = errno;
	fault = happened();
	if (got < 0 && error != ENOMEM && error != EFAULT)
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

static bool load_fails(const char *path, unsigned int nth)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool fault;
	long ret;

	if (fd < 0)
		err(1, "%s", path);
	set_fault(nth);
	ret = syscall(SYS_finit_module, fd, "", 0);
	fault = happened();
	if (ret == 0 && syscall(SYS_delete_module, "bufstat", O_NONBLOCK) < 0)
		err(1, "unloading it after fault %u", nth);
	close(fd);
	return fault;
}

static void fail_all(const char *what, const char *path,
		     bool (*fails)(const char *, unsigned int), bool check)
{
	unsigned int nth = 1;

	for (; fails(path, nth); nth++) {
		if (nth == MOST)
			errx(1, "%s: no end of faults", what);
		if (check)
			check_file(path);
	}
	printf("%s: %u faults\n", what, nth - 1);
	if (nth == 1)
		errx(1, "%s: nothing failed", what);
}

int main(int argc, char **argv)
{
	bool load = argc == 3 && strcmp(argv[1], "load") == 0;

	if (!load && (argc != 3 || strcmp(argv[1], "read") != 0))
		errx(1, "usage: fail_nth read FILE | load MODULE");
	control = open(CONTROL, O_RDWR | O_CLOEXEC);
	if (control < 0 && errno == ENOENT) {
		puts("no fault injection in this kernel");
		return SKIPPED;
	}
	if (control < 0)
		err(1, CONTROL);

	if (load) {
		fail_all("load", argv[2], load_fails, false);
	} else {
		fail_all("open", argv[2], open_fails, true);
		fail_all("read", argv[2], read_fails, true);
	}
	return 0;
}
