// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crowd FILE DESCRIPTORS PROCESSES: starts as many processes, which have
 * nothing open, and opens FILE itself that often. Prints "ready" and waits
 * until it is killed, which ends them too.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };
	int fd;

	if (argc != 4)
		errx(2, "usage: crowd FILE DESCRIPTORS PROCESSES");
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < atoi(argv[3]); i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "process %d", i);
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", argv[1]);
	for (int i = 1; i < atoi(argv[2]); i++) {
		if (dup(fd) < 0)
			err(1, "descriptor %d", i);
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
