// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/absolute_path.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "worker/ask.h"
#include "worker/reach.h"

struct reached {
	const char *path; /* as the user wrote it */
	char absolute[PATH_MAX]; /* a worker is in no directory */
};

/* Opens no device and no pipe. */
static size_t reach_in_worker(const void *data,
			      size_t index __attribute__((unused)),
			      void *answer)
{
	_cleanup_(closep) int fd = -1;
	const struct reached *reached = data;
	struct stat status;
	char bytes[4096];

	*(char *)answer = 1;
	if (stat(reached->absolute, &status) < 0 ||
	    (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
		return 1;
	fd = open(reached->absolute, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && S_ISREG(status.st_mode)) {
		(void)!read(fd, bytes, sizeof(bytes));
	} else if (fd >= 0) {
		_cleanup_(closedirp) DIR *names = fdopendir(steal_fd(&fd));

		if (names)
			(void)!readdir(names);
	}
	return 1;
}

static void name_path(const void *data, size_t index __attribute__((unused)),
		      char text[STUCK_OBJECT])
{
	const struct reached *reached = data;

	snprintf(text, STUCK_OBJECT, "%s", reached->path);
}

static void object_of(const void *data, size_t index __attribute__((unused)),
		      char text[STUCK_OBJECT])
{
	const struct reached *reached = data;

	stuck_name_path("read", reached->absolute, text);
}

int reach(const char *doing, const char *path, struct error *err)
{
	struct reached reached = { .path = path };
	const struct ask question = {
		.answer = reach_in_worker,
		.data = &reached,
		.count = 1,
		.answer_size = 1,
		.kept = -1,
		.name = name_path,
		.object = object_of,
		.is_common = true,
	};
	struct asked *asked = NULL;
	char why[ASK_WHY];
	int ret = 0;

	if (absolute_path(path, reached.absolute) < 0)
		return 0;
	if (ask(&question, &asked, NULL) == 0 && !asked_answer(asked, 0))
		ret = error_doing(err, EBUSY, doing, path, "%s",
				  asked_why(asked, 0, why));
	asked_destroy(asked);
	return ret;
}
