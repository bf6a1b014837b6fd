// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "trace/tracefs.h"
#include "worker/reach.h"

#define MAX_FILE 65536

/*
 * Where another /sys hides it, as under ip netns exec or in a service's mount
 * namespace, the first process has it.
 */
#define FIRST_PROCESS "/proc/1/root"
static const char *const mounts[] = {
	"/sys/kernel/tracing",
	"/sys/kernel/debug/tracing",
	FIRST_PROCESS "/sys/kernel/tracing",
	FIRST_PROCESS "/sys/kernel/debug/tracing",
};
enum { MOUNTS = sizeof(mounts) / sizeof(*mounts) };

/*
 * Only root sees the root of another, and not in every container: then nothing
 * is known of it. What is on the way may not answer.
 */
static bool may_open(const struct sysroot *root, size_t which)
{
	struct error unused;

	return strncmp(mounts[which], FIRST_PROCESS, strlen(FIRST_PROCESS)) !=
		       0 ||
	       (sysroot_is_live(root) && !geteuid() &&
		reach("looking for tracefs", mounts[which], &unused) == 0 &&
		access(mounts[which], F_OK) == 0);
}

static int explain(int error, const char *path, struct error *err)
{
	if (error == -ENOENT || error == -ENOTDIR)
		return lack_error(err, LACK_TRACEFS, NULL);
	lack_error(err, LACK_RIGHT_TO_TRACEFS, strerror(-error));
	if (error == -EACCES && geteuid())
		error_remedy(err, 0, "use sudo");
	return error_within(err, -EOPNOTSUPP, "reading", path);
}

static int open_mount(const struct sysroot *root, size_t which)
{
	struct statfs status;
	int fd = may_open(root, which) ? sysroot_open(root, mounts[which],
						      O_RDONLY | O_DIRECTORY) :
					 -ENOENT;

	/* Without it, the directory is there, and empty. */
	if (fd >= 0 &&
	    (fstatfs(fd, &status) < 0 || status.f_type != TRACEFS_MAGIC)) {
		close(fd);
		fd = -ENOENT;
	}
	return fd;
}

int tracefs_open(const struct sysroot *root, struct error *err)
{
	size_t which = 0;
	int fd = open_mount(root, which);

	while ((fd == -ENOENT || fd == -ENOTDIR) && which + 1 < MOUNTS)
		fd = open_mount(root, ++which);
	return fd < 0 ? explain(fd, mounts[which], err) : fd;
}

int tracefs_add_id(const struct sysroot *root, uint64_t *id)
{
	_cleanup_(freep) char *text = NULL;
	char path[PATH_MAX];
	int ret = -ENOENT;

	for (size_t i = 0; ret == -ENOENT && i < MOUNTS; i++) {
		if (!may_open(root, i))
			continue;
		snprintf(path, sizeof(path),
			 "%s/events/filemap/mm_filemap_add_to_page_cache/id",
			 mounts[i]);
		ret = sysroot_read(root, path, MAX_FILE, &text, NULL);
	}
	if (ret < 0)
		return ret;
	text[strcspn(text, "\n")] = '\0';
	return number_parse(text, UINT64_MAX, id) ? 0 : -EINVAL;
}

int tracefs_open_event(uint64_t id, int cpu)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attributes),
		.config = id,
		.disabled = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attributes, -1, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}
