// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "calls/tracing_file.h"
#include "kernel/lockdown.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/sysroot.h"
#include "lib/whole.h"

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
	size_t size;
	int ret = fd < 0 ? -errno :
			   read_whole(fd, PIECE, SIZE_MAX, text, &size);

	return ret < 0 ? explain(-ret, "reading", path, err) : 0;
}

static int write_to(int directory, const char *path, int flags,
		    const char *text, struct error *err)
{
	_cleanup_(closep) int fd =
		openat(directory, path, O_WRONLY | O_CLOEXEC | flags);
	/* Lists take one word with each call. */
	int ret = fd < 0 ? -errno : write_whole(fd, text, strlen(text));

	return ret < 0 ? explain(-ret, "writing", path, err) : 0;
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
