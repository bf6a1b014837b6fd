// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/monotonic.h"
#include "lib/number.h"
#include "lib/oom_score.h"
#include "worker/worker.h"

#define SLOW_END_NS 1000000000
/* Usually the child has already ended. */
#define FIRST_PAUSE_NS 20000
#define LAST_PAUSE_NS 2000000

/* close_range(2) is Linux 5.9; before it, /proc says what is open. */
static void close_from(unsigned int first)
{
	DIR *dir;
	const struct dirent *item;
	uint64_t fd;

	if (syscall(SYS_close_range, first, UINT_MAX, 0) == 0)
		return;
	dir = opendir("/proc/self/fd");
	while (dir && (item = readdir(dir))) {
		if (number_parse(item->d_name, INT_MAX, &fd) && fd >= first &&
		    (int)fd != dirfd(dir))
			close((int)fd);
	}
	if (dir)
		closedir(dir);
}

/* Makes @to a copy of @from that stays open across exec. */
static int place(int from, int to)
{
	return from == to ? fcntl(to, F_SETFD, 0) : dup2(from, to);
}

/*
 * This process may stay for long, so it must not keep others waiting. A reader
 * of the program's output waits until nobody has the other end of the pipe;
 * whoever unmounts waits until nobody is in the directory.
 */
static void let_go(int pipe, int kept, bool outlives, pid_t parent)
{
	int null = open("/dev/null", O_RDWR);
	/* Move both away from the places they might overwrite. */
	int pipe_aside = fcntl(pipe, F_DUPFD, WORKER_KEPT + 1);
	int kept_aside = kept < 0 ? -1 : fcntl(kept, F_DUPFD, WORKER_KEPT + 1);

	for (int fd = 0; fd <= 2; fd++) {
		if (null < 0 || place(null, fd) < 0)
			close(fd);
	}
	if (pipe_aside < 0 || place(pipe_aside, WORKER_PIPE) < 0)
		_exit(errno);
	if (kept >= 0 && (kept_aside < 0 || place(kept_aside, WORKER_KEPT) < 0))
		_exit(errno);
	close_from(kept < 0 ? WORKER_KEPT : WORKER_KEPT + 1);
	if (chdir("/") < 0)
		_exit(errno);
	setsid();
	oom_score_set(OOM_SCORE_FIRST);
	if (outlives)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(ESRCH);
}

pid_t worker_start(int kept, bool outlives, int *pipe)
{
	pid_t parent = getpid(), pid;
	int ends[2], number;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		pid = -1;
	else
		pid = fork();
	number = errno;
	if (pid == 0) {
		let_go(ends[1], kept, outlives, parent);
		return 0;
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return -number;
	}
	*pipe = ends[0];
	return pid;
}

/* Format: "PID (COMM) STATE ...". utime is field 14, stime 15, starttime 22. */
bool worker_look(pid_t pid, struct worker_life *life)
{
	char path[64], text[1024];
	unsigned long long utime, stime, start;
	const char *rest;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	closep(&fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	rest = strrchr(text, ')');
	if (!rest ||
	    sscanf(rest,
		   ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu "
		   "%*s %*s %*s %*s %*s %*s %llu",
		   &life->state, &utime, &stime, &start) != 4)
		return false;
	life->cpu = utime + stime;
	life->start = start;
	return true;
}

bool worker_reap_status(pid_t pid, int64_t until_ns, int *status)
{
	struct timespec pause = { .tv_nsec = FIRST_PAUSE_NS };

	*status = 0;
	for (;;) {
		int64_t late_ns = monotonic_ns() - until_ns;
		pid_t ended = waitpid(pid, status, WNOHANG);
		struct worker_life life;

		if (ended == pid || (ended < 0 && errno == ECHILD))
			return true;
		if (late_ns > 0 &&
		    (late_ns > SLOW_END_NS || !worker_look(pid, &life) ||
		     life.state == 'D'))
			return false;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < LAST_PAUSE_NS)
			pause.tv_nsec *= 2;
	}
}
