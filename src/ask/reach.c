// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/ask.h"
#include "ask/reach.h"
#include "lib/absolute_path.h"
#include "lib/cleanup.h"
#include "lib/error.h"

static void read_all(int fd)
{
	char bytes[65536];

	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
}

struct place {
	const char *path; /* as the user wrote it */
	char absolute[PATH_MAX]; /* a worker is in no directory */
};

/* Opens no device and no pipe. */
static size_t reach_in_worker(const void *data,
			      size_t index __attribute__((unused)),
			      void *answer)
{
	_cleanup_(closep) int fd = -1;
	const struct place *place = data;
	struct stat status;

	*(char *)answer = 1;
	if (stat(place->absolute, &status) < 0 ||
	    (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
		return 1;
	fd = open(place->absolute, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && S_ISREG(status.st_mode)) {
		read_all(fd);
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
	const struct place *place = data;

	snprintf(text, STUCK_OBJECT, "%s", place->path);
}

static void object_of(const void *data, size_t index __attribute__((unused)),
		      char text[STUCK_OBJECT])
{
	const struct place *place = data;

	stuck_name_path("read", place->absolute, text);
}

int reach(const char *doing, const char *path, struct error *err)
{
	struct place place = { .path = path };
	const struct ask question = {
		.answer = reach_in_worker,
		.data = &place,
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

	if (absolute_path(path, place.absolute) < 0)
		return 0;
	if (ask(&question, &asked, NULL) == 0 && !asked_answer(asked, 0))
		ret = error_doing(err, EBUSY, doing, path, "%s",
				  asked_why(asked, 0, why));
	asked_destroy(asked);
	return ret;
}
