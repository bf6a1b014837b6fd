// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "lab_owner.h"
#include "number.h"
#include "sysroot.h"

#define MAX_OWNER 4096
#define MAX_STAT 4096
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define START_FIELD 22 /* of /proc/PID/stat, see proc(5) */
#define ATTEMPTS 16
#define MAKING "making a lab"

/*
 * When the process began. The second field, its name in parentheses, may hold
 * anything, spaces and parentheses too.
 */
static int read_start(const struct sysroot *root, uint64_t pid, uint64_t *start)
{
	_cleanup_(freep) char *text = NULL;
	const char *field;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid);
	ret = sysroot_read(root, path, MAX_STAT, &text, NULL);
	if (ret < 0)
		return ret;
	field = strrchr(text, ')');
	for (int i = 2; field && i < START_FIELD; i++)
		field = strchr(field + 1, ' ');
	if (!field)
		return -EBADMSG;
	field++;
	return number_scan(&field, UINT64_MAX, start) ? 0 : -EBADMSG;
}

static void read_boot_id(const struct sysroot *root, char *id, size_t size)
{
	_cleanup_(freep) char *text = NULL;

	*id = '\0';
	if (sysroot_read(root, BOOT_ID, MAX_OWNER, &text, NULL) < 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	snprintf(id, size, "%s", text);
}

static int write_owner(const struct sysroot *root, int lab)
{
	_cleanup_(closep) int fd = openat(
		lab, LAB_OWNER_FILE,
		O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	uint64_t pid = (uint64_t)getpid(), start;
	char boot[64];
	int ret;

	if (fd < 0)
		return -errno;
	ret = read_start(root, pid, &start);
	if (ret < 0)
		return ret;
	read_boot_id(root, boot, sizeof(boot));
	if (dprintf(fd, "pid %" PRIu64 "\nstart %" PRIu64 "\nboot %s\n", pid,
		    start, boot) < 0)
		return -errno;
	return 0;
}

/*
 * Locks the directory at @path. Another process that looks for dead labs may
 * have taken it for one before it was locked, and removed it: *@lost.
 */
static int lock_new(const char *path, int *fd, bool *lost)
{
	_cleanup_(closep) int lab =
		open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	*lost = lab < 0 && errno == ENOENT;
	if (lab < 0)
		return -errno;
	/* Where there are no locks, the file alone has to do. */
	flock(lab, LOCK_EX);
	if (fstat(lab, &status) < 0)
		return -errno;
	*lost = !status.st_nlink || access(path, F_OK) < 0;
	if (*lost)
		return -ENOENT;
	*fd = steal_fd(&lab);
	return 0;
}

static int make_directory(const char *where, int *fd, char **path)
{
	int tries = ATTEMPTS, ret;
	bool lost;

	do {
		if (asprintf(path, "%s/" LAB_PREFIX "XXXXXX", where) < 0) {
			*path = NULL;
			return -ENOMEM;
		}
		if (!mkdtemp(*path))
			return -errno;
		ret = lock_new(*path, fd, &lost);
		if (ret < 0) {
			rmdir(*path);
			freep(path);
			*path = NULL;
		}
	} while (ret < 0 && lost && tries--);
	return ret;
}

int lab_owner_create(const struct sysroot *root, const char *where, int *fd,
		     char **path, struct error *err)
{
	int ret;

	*fd = -1;
	*path = NULL;
	ret = make_directory(where, fd, path);
	if (!ret)
		ret = write_owner(root, *fd);
	if (!ret)
		return 0;
	if (*fd >= 0) {
		unlinkat(*fd, LAB_OWNER_FILE, 0);
		rmdir(*path);
		close(*fd);
		*fd = -1;
	}
	freep(path);
	*path = NULL;
	return error_set(err, -ret, MAKING ": %s: %s%s", where, strerror(-ret),
			 ret == -EROFS || ret == -ENOSPC || ret == -ENOENT ?
				 " (choose another place with --dir)" :
				 "");
}

int lab_owner_keep(int lab)
{
	_cleanup_(closep) int fd =
		openat(lab, LAB_OWNER_FILE,
		       O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return -errno;
	return dprintf(fd, "kept\n") < 0 ? -errno : 0;
}

static bool line_number(const char *text, const char *key, uint64_t *number)
{
	const char *line = strstr(text, key);

	if (!line)
		return false;
	line += strlen(key);
	return number_scan(&line, UINT64_MAX, number);
}

static bool is_alive(const struct sysroot *root, const char *owner)
{
	uint64_t pid, start, now;
	char boot[64];

	read_boot_id(root, boot, sizeof(boot));
	return strstr(owner, boot) && line_number(owner, "pid ", &pid) &&
	       line_number(owner, "\nstart ", &start) &&
	       read_start(root, pid, &now) == 0 && now == start;
}

bool lab_owner_is_dead(const struct sysroot *root, int lab)
{
	_cleanup_(closep) int fd = -1;
	char text[MAX_OWNER];
	ssize_t got;

	if (flock(lab, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return false;
	fd = openat(lab, LAB_OWNER_FILE,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT;
	got = read(fd, text, sizeof(text) - 1);
	if (got < 0)
		return false;
	text[got] = '\0';
	return !strstr(text, "\nkept\n") && !is_alive(root, text);
}
