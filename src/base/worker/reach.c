// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/absolute_path.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "worker/ask.h"
#include "worker/reach.h"

/* Opens no device and no pipe. A worker is in no directory. */
static size_t reach_in_worker(const void *absolute,
			      size_t index __attribute__((unused)),
			      void *answer)
{
	_cleanup_(closep) int fd = -1;
	struct stat status;
	char bytes[4096];

	*(char *)answer = 1;
	if (stat(absolute, &status) < 0 ||
	    (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
		return 1;
	fd = open(absolute, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && S_ISREG(status.st_mode)) {
		(void)!read(fd, bytes, sizeof(bytes));
	} else if (fd >= 0) {
		_cleanup_(closedirp) DIR *names = fdopendir(steal_fd(&fd));

		if (names)
			(void)!readdir(names);
	}
	return 1;
}

int reach(const char *doing, const char *path, struct error *err)
{
	char absolute[PATH_MAX], object[STUCK_OBJECT];
	struct ask question = {
		.answer = reach_in_worker,
		.data = absolute,
		.answer_size = 1,
		.kept = -1,
		.what = path,
		.stuck_on = object,
		.is_common = true,
	};
	struct asked *asked;
	char why[ASK_WHY];
	int ret;

	if (absolute_path(path, absolute) < 0)
		return 0;
	stuck_name_path("read", absolute, object);
	if (ask_one(&question, &asked, &ret, NULL) || ret)
		ret = 0;
	else
		ret = error_doing(err, EBUSY, doing, path, "%s",
				  asked_why(asked, 0, why));
	asked_destroy(asked);
	return ret;
}
