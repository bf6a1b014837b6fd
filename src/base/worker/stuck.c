// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/absolute_path.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "lib/utc.h"
#include "worker/stuck.h"
#include "worker/worker.h"

#define DIRECTORY RUN_DIRECTORY "/stuck"
#define LOCK RUN_DIRECTORY "/lock"
#define LOCK_MS 100
#define HUNG_TASK_PANIC "/proc/sys/kernel/hung_task_panic"

static void path_of(const char *object, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, DIRECTORY "/%.*s", STUCK_OBJECT - 1, object);
	for (char *c = path + sizeof(DIRECTORY); *c; c++) {
		if (*c == '/' || *c == ' ')
			*c = '_';
	}
}

/* A later run may be in another directory. */
void stuck_name_path(const char *what, const char *path,
		     char object[STUCK_OBJECT])
{
	char absolute[PATH_MAX];
	size_t length, room = STUCK_OBJECT - strlen(what) - sizeof(" ");

	if (absolute_path(path, absolute) < 0)
		snprintf(absolute, PATH_MAX, "%s", path);
	length = strlen(absolute);
	snprintf(object, STUCK_OBJECT, "%s %.*s", what, (int)room,
		 absolute + (length > room ? length - room : 0));
}

static bool read_text(const char *path, char *text, size_t size)
{
	_cleanup_(closep) int fd =
		open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);

	if (length < 0)
		return false;
	text[length] = '\0';
	return true;
}

/* Format: "PID START-TIME SINCE" */
static bool parse(const char *text, struct stuck *stuck, uint64_t *start)
{
	uint64_t pid, since;

	if (!number_scan(&text, INT_MAX, &pid) || *text++ != ' ' ||
	    !number_scan(&text, UINT64_MAX, start) || *text++ != ' ' ||
	    !number_scan(&text, INT64_MAX, &since))
		return false;
	stuck->pid = (pid_t)pid;
	stuck->since = (time_t)since;
	return true;
}

/* Whether the record's process still exists. If not, removes the record. */
static bool is_there(const char *path, struct stuck *stuck)
{
	struct worker_life life;
	char text[128];
	uint64_t start;

	if (!read_text(path, text, sizeof(text)))
		return false;
	if (parse(text, stuck, &start) && worker_look(stuck->pid, &life) &&
	    life.start == start && life.state != 'Z')
		return true;
	unlink(path);
	return false;
}

bool stuck_find(const char *object, struct stuck *stuck)
{
	char path[PATH_MAX];

	path_of(object, path);
	return is_there(path, stuck);
}

bool stuck_is_recorded(const char *object)
{
	char path[PATH_MAX];

	path_of(object, path);
	return access(path, F_OK) == 0;
}

void stuck_explain(const struct stuck *stuck, char why[STUCK_WHY])
{
	char since[MOMENT_TEXT_SIZE];

	snprintf(why, STUCK_WHY,
		 "not answering since %s (process %d waits for it)",
		 moment_text(stuck->since * INT64_C(1000), since), stuck->pid);
}

void run_directory_remove(void)
{
	if (access("/run/systemd/system", F_OK) < 0)
		rmdir(RUN_DIRECTORY);
}

static bool make_directories(void)
{
	return (mkdir(RUN_DIRECTORY, 0755) == 0 || errno == EEXIST) &&
	       (mkdir(DIRECTORY, 0755) == 0 || errno == EEXIST);
}

/* Keeps only the records of processes that are still stuck. */
static void remove_directories(void)
{
	_cleanup_(closedirp) DIR *dir = NULL;
	char path[PATH_MAX];
	struct stuck stuck;
	const char *name;

	if (rmdir(DIRECTORY) < 0 && errno == ENOTEMPTY) {
		dir = opendir(DIRECTORY);
		while (dir && sysroot_next_name(dir, &name) > 0) {
			snprintf(path, sizeof(path), DIRECTORY "/%s", name);
			is_there(path, &stuck);
		}
		rmdir(DIRECTORY);
	}
	run_directory_remove();
}

void stuck_record(const char *object, pid_t pid)
{
	_cleanup_(closep) int fd = -1;
	struct worker_life life;
	char path[PATH_MAX];

	if (!worker_look(pid, &life) || life.state == 'Z' ||
	    !make_directories())
		return;
	path_of(object, path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0644);
	if (fd < 0)
		return;
	dprintf(fd, "%d %" PRIu64 " %lld\n", pid, life.start,
		(long long)time(NULL));
}

/*
 * The previous holder may have removed the lock and its directory, so try
 * again.
 */
static int open_lock(void)
{
	int fd = -1;

	for (int i = 0; fd < 0 && i < 10; i++) {
		if (!make_directories())
			return -errno;
		fd = open(LOCK, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			  0600);
		if (fd < 0 && errno != ENOENT)
			return -errno;
	}
	return fd < 0 ? -ENOENT : fd;
}

static bool is_removed(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_nlink == 0;
}

int stuck_lock(int ms)
{
	_cleanup_(closep) int fd = open_lock();
	const int most_ms = ms;
	int pause_ms = 10;

	while (fd >= 0) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 && !is_removed(fd))
			return steal_fd(&fd);
		if (!is_removed(fd)) {
			if (errno != EWOULDBLOCK)
				return -errno;
			if ((ms -= pause_ms) < 0)
				return -EBUSY;
			poll(NULL, 0, pause_ms);
			/* Hundreds that wait must not hold up the one. */
			if (pause_ms < 80)
				pause_ms *= 2;
			continue;
		}
		/* Whoever had it is done: that is progress. */
		ms = most_ms;
		close(fd);
		fd = open_lock();
	}
	return fd;
}

void stuck_unlock(int *lock)
{
	if (*lock < 0)
		return;
	unlink(LOCK);
	remove_directories();
	close(*lock);
	*lock = -1;
}

/* Takes the lock, as everything does that removes records of other runs. */
void stuck_forget(const char *object)
{
	int lock = stuck_lock(LOCK_MS);
	char path[PATH_MAX];

	path_of(object, path);
	unlink(path);
	stuck_unlock(&lock);
}

bool stuck_is_fatal(void)
{
	char text[16];

	return read_text(HUNG_TASK_PANIC, text, sizeof(text)) && *text != '0';
}
