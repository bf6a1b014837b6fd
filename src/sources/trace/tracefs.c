// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
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
#include "lib/whole.h"
#include "trace/tracefs.h"
#include "worker/reach.h"

/*
 * Where another /sys hides these, as under ip netns exec or in a service's
 * mount namespace, the first process has them.
 */
static const char *const mounts[] = { "/sys/kernel/tracing",
				      "/sys/kernel/debug/tracing" };
enum { MOUNTS = sizeof(mounts) / sizeof(*mounts) };

static int explain(int error, const char *path, struct error *err)
{
	if (error == -ENOENT || error == -ENOTDIR)
		return lack_error(err, LACK_TRACEFS, NULL);
	lack_error(err, LACK_RIGHT_TO_TRACEFS, strerror(-error));
	if (error == -EACCES && geteuid())
		error_remedy(err, 0, "use sudo");
	return error_within(err, -EOPNOTSUPP, "reading", path);
}

static int open_directory(const struct sysroot *root, const char *path)
{
	struct statfs status;
	int fd = sysroot_open(root, path, O_RDONLY | O_DIRECTORY);

	/* Without it, the directory is there, and empty. */
	if (fd >= 0 &&
	    (fstatfs(fd, &status) < 0 || status.f_type != TRACEFS_MAGIC)) {
		close(fd);
		fd = -ENOENT;
	}
	return fd;
}

/*
 * Only root sees the root of another process, and not in every container: then
 * nothing is known of it. What is on the way may not answer.
 */
static int open_of_first_process(const struct sysroot *root, const char *path)
{
	struct error unused;
	int fd = -ENOENT;

	if (sysroot_is_live(root) && !geteuid() &&
	    reach("looking for tracefs", path, &unused) == 0)
		fd = open_directory(root, path);
	return fd < 0 ? -ENOENT : fd;
}

int tracefs_open(const struct sysroot *root, struct error *err)
{
	const char *path = mounts[0];
	int fd = -ENOENT;

	for (size_t i = 0; (fd == -ENOENT || fd == -ENOTDIR) && i < MOUNTS;
	     i++) {
		path = mounts[i];
		fd = open_directory(root, path);
	}
	for (size_t i = 0; (fd == -ENOENT || fd == -ENOTDIR) && i < MOUNTS;
	     i++) {
		char first[64];

		snprintf(first, sizeof(first), "/proc/1/root%s", mounts[i]);
		fd = open_of_first_process(root, first);
	}
	return fd < 0 ? explain(fd, path, err) : fd;
}

int tracefs_add_id(const struct sysroot *root, uint64_t *id)
{
	static const char path[] =
		"events/filemap/mm_filemap_add_to_page_cache/id";
	struct error unused;
	_cleanup_(closep) int top = tracefs_open(root, &unused);
	_cleanup_(closep) int fd = -1;
	char text[24] = "";
	long got;

	if (top < 0)
		return -ENOENT;
	fd = openat(top, path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -errno : pread_whole(fd, text, sizeof(text) - 1, 0);
	if (got < 0)
		return (int)got;
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
