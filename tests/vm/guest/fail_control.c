// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fail_control PATH: injects every possible fault in turn while /dev/bufstat is
 * opened and answers for the filesystem of PATH, which must be idle. A call
 * that succeeds despite a fault, and the next one after a fault, must give the
 * same answer as before all faults.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <bufstat/filesystems.h>

#include "common/faults.h"

#define CONTROL "/dev/" BUFSTAT_DEVICE
#define ROWS 20

/* The answer of one command; the other members are zero. */
struct answer {
	struct bufstat_version version;
	struct bufstat_filesystem filesystem;
	struct bufstat_files files;
	struct bufstat_file rows[ROWS];
};

static int control = -1;
static int of_path = -1;
static unsigned long command;
static struct answer good, answer;

/* Sets @to to the answer, without its costs. Returns -1 and errno on error. */
static int ask(struct answer *to)
{
	void *argument = &to->version;
	int ret;

	memset(to, 0, sizeof(*to));
	if (command == BUFSTAT_IOC_FILESYSTEM) {
		to->filesystem.version = BUFSTAT_FILESYSTEMS_VERSION;
		to->filesystem.fd = of_path;
		argument = &to->filesystem;
	} else if (command == BUFSTAT_IOC_FILES) {
		to->files.version = BUFSTAT_FILESYSTEMS_VERSION;
		to->files.fd = of_path;
		to->files.capacity = ROWS;
		to->files.rows = (unsigned long)to->rows;
		argument = &to->files;
	}
	ret = ioctl(control, command, argument);
	to->filesystem.holds = 0;
	to->filesystem.longest_hold_ns = 0;
	to->filesystem.walk_ns = 0;
	to->files.rows = 0;
	return ret;
}

static bool ioctl_fails(const char *path, unsigned int nth)
{
	bool fault;
	int ret, error;

	faults_set(nth);
	ret = ask(&answer);
	error = errno;
	fault = faults_happened();
	if (ret < 0 ? !faults_explain(error) :
		      memcmp(&answer, &good, sizeof(good)) != 0)
		errx(1, "%s: fault %u: %s", path, nth,
		     ret < 0 ? strerror(error) : "another answer");
	return fault;
}

static void check_answer(const char *path)
{
	if (ask(&answer) < 0)
		err(1, "%s, after a fault", path);
	if (memcmp(&answer, &good, sizeof(good)) != 0)
		errx(1, "%s, after a fault: another answer", path);
}

static void fail_command(const char *what, unsigned long which,
			 const char *path)
{
	command = which;
	if (ask(&good) < 0)
		err(1, "%s of %s", what, path);
	check_answer(path);
	faults_all(what, path, ioctl_fails, check_answer);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		errx(1, "usage: fail_control PATH");
	faults_open();
	of_path = open(argv[1], O_PATH | O_CLOEXEC);
	if (of_path < 0)
		err(1, "%s", argv[1]);

	faults_all("open", CONTROL, faults_fail_opening, NULL);
	control = open(CONTROL, O_RDONLY | O_CLOEXEC);
	if (control < 0)
		err(1, CONTROL);
	fail_command("version", BUFSTAT_IOC_VERSION, argv[1]);
	fail_command("filesystem", BUFSTAT_IOC_FILESYSTEM, argv[1]);
	fail_command("files", BUFSTAT_IOC_FILES, argv[1]);
	return 0;
}
