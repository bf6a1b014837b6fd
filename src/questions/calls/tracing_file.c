// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/tracing_file.h"
#include "kernel/lockdown.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/sysroot.h"

#define PIECE 65536

static int explain(int number, const char *doing, const char *path,
		   struct error *err)
{
	static const struct sysroot live = { .fd = -1 };
	const char *level;

	if (number != EPERM && number != EACCES)
		return error_errno(err, number, doing, path);
	lack_doing(err, LACK_RIGHT_TO_TRACEFS, strerror(number), doing, path);
	level = lockdown_level(&live);
	if (geteuid() != 0)
		return error_remedy(err, -EOPNOTSUPP, "use sudo");
	if (lockdown_restricts(level))
		return error_remedy(err, -EOPNOTSUPP,
				    "this kernel is locked down (%s); tracing "
				    "is possible only after a boot with "
				    "lockdown=none or =integrity",
				    level);
	return -EOPNOTSUPP;
}

int tracing_read(int directory, const char *path, char **text,
		 struct error *err)
{
	_cleanup_(closep) int fd =
		openat(directory, path, O_RDONLY | O_CLOEXEC);
	_cleanup_(freep) char *bytes = NULL;
	size_t size = 0, room = 0;
	ssize_t got = 1;

	if (fd < 0)
		return explain(errno, "reading", path, err);
	while (got > 0) {
		if (size + PIECE + 1 > room) {
			char *moved;

			room = room * 2 + PIECE + 1;
			moved = realloc(bytes, room);
			if (!moved)
				return error_errno(err, ENOMEM, "reading",
						   path);
			bytes = moved;
		}
		got = read(fd, bytes + size, PIECE);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			size += (size_t)got;
	}
	if (got < 0)
		return explain(errno, "reading", path, err);
	bytes[size] = '\0';
	*text = steal_ptr(bytes);
	return 0;
}

static int write_to(int directory, const char *path, int flags,
		    const char *text, struct error *err)
{
	_cleanup_(closep) int fd =
		openat(directory, path, O_WRONLY | O_CLOEXEC | flags);
	size_t left = strlen(text);

	if (fd < 0)
		return explain(errno, "writing", path, err);
	/* Lists take one word with each call. */
	while (left) {
		ssize_t put = write(fd, text, left);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return explain(put ? errno : EIO, "writing", path, err);
		text += put;
		left -= (size_t)put;
	}
	return 0;
}

int tracing_write(int directory, const char *path, const char *text,
		  struct error *err)
{
	return write_to(directory, path, O_TRUNC, text, err);
}

int tracing_append(int directory, const char *path, const char *text,
		   struct error *err)
{
	return write_to(directory, path, 0, text, err);
}

bool tracing_says(int directory, const char *path, const char *text)
{
	_cleanup_(freep) char *said = NULL;

	if (tracing_read(directory, path, &said, NULL) < 0)
		return false;
	said[strcspn(said, "\n")] = '\0';
	return strcmp(said, text) == 0;
}
