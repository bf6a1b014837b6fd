// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The scenarios' actions with ordinary system calls; act_async.c has the rest.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "repro/actions.h"
#include "repro/child.h"
#include "repro/experiment.h"
#include "repro/progress.h"
#include "repro/stop.h"

#define FILES_PER_DIRECTORY 100
#define CHUNK (1U << 20)
#define DROP_ROUNDS 5
#define DROP_MS 20
#define PATTERN 0xb5

/* ---- preparation --------------------------------------------------------- */

static int make_directory(int mount, uint64_t number, int *dir)
{
	char name[32];

	snprintf(name, sizeof(name), "d%" PRIu64, number);
	if (mkdirat(mount, name, 0700) < 0)
		return -errno;
	if (*dir >= 0)
		close(*dir);
	*dir = openat(mount, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *dir < 0 ? -errno : 0;
}

static int make_file(int dir, uint64_t number)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "f%" PRIu64, number);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int prepare_tree(struct experiment *experiment, struct error *err)
{
	const char *path = experiment->lab.mount_point;
	_cleanup_(closep) int mount =
		open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(closep) int dir = -1;
	uint64_t files = experiment->outcome->files;
	int ret = mount < 0 ? -errno : 0;

	for (uint64_t i = 0; !ret && i < files; i++) {
		if (i % FILES_PER_DIRECTORY == 0)
			ret = make_directory(mount, i / FILES_PER_DIRECTORY,
					     &dir);
		if (!ret)
			ret = make_file(dir, i);
		if (stop_check(experiment->stop, err) < 0)
			return -EINTR;
		progress_show(experiment->progress, i, files);
	}
	return ret < 0 ? error_errno(err, -ret, "making files", path) : 0;
}

int prepare_empty_file(struct experiment *experiment, struct error *err)
{
	if (asprintf(&experiment->file, "%s/file",
		     experiment->lab.mount_point) < 0) {
		experiment->file = NULL;
		return error_errno(err, ENOMEM, "making a file", "file");
	}
	experiment->file_fd =
		open(experiment->file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (experiment->file_fd < 0)
		return error_errno(err, errno, "making a file",
				   experiment->file);
	return 0;
}

/* The blocks are allocated but unwritten, so nothing goes to the disk. */
int prepare_file(struct experiment *experiment, struct error *err)
{
	int ret = prepare_empty_file(experiment, err), error;

	if (ret < 0)
		return ret;
	error = posix_fallocate(experiment->file_fd, 0,
				(off_t)experiment_bytes(experiment));
	return error ? error_errno(err, error, "making a file",
				   experiment->file) :
		       0;
}

/* ---- reading and releasing ----------------------------------------------- */

/* @name is only for the error. Stops at the end of a shorter device. */
static int read_from_start(struct experiment *experiment, int fd,
			   const char *name, struct error *err)
{
	_cleanup_(freep) char *buffer = malloc(CHUNK);
	uint64_t done = 0, total = experiment_bytes(experiment);

	if (!buffer)
		return error_errno(err, ENOMEM, "reading", name);
	while (done < total) {
		size_t wanted = total - done < CHUNK ? (size_t)(total - done) :
						       CHUNK;
		ssize_t got = pread(fd, buffer, wanted, (off_t)done);
		int ret = stop_check(experiment->stop, err);

		if (ret < 0)
			return ret;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_errno(err, errno, "reading", name);
		if (!got)
			return 0;
		done += (uint64_t)got;
		progress_show(experiment->progress, done, total);
	}
	return 0;
}

int act_read_device(struct experiment *experiment, struct error *err)
{
	return read_from_start(experiment, experiment_held(experiment),
			       experiment->node, err);
}

int act_read_witness(struct experiment *experiment, struct error *err)
{
	const struct loop_device *witness = &experiment->lab.devices[1];

	return read_from_start(experiment, witness->held, witness->node, err);
}

int act_read_file(struct experiment *experiment, struct error *err)
{
	return read_from_start(experiment, experiment->file_fd,
			       experiment->file, err);
}

int act_close_device(struct experiment *experiment,
		     struct error *err __attribute__((unused)))
{
	loop_device_release(&experiment->lab.devices[0]);
	return 0;
}

/* Pages under readahead cannot be dropped until they are read, so try again. */
static int drop(struct experiment *experiment, int fd, const char *name,
		struct error *err)
{
	int error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);

	for (int i = 0; !error && i < DROP_ROUNDS; i++) {
		stop_wait_ms(experiment->stop, DROP_MS);
		error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	return error ? error_errno(err, error, "releasing pages", name) : 0;
}

int act_drop_device(struct experiment *experiment, struct error *err)
{
	return drop(experiment, experiment_held(experiment), experiment->node,
		    err);
}

int act_drop_file(struct experiment *experiment, struct error *err)
{
	return drop(experiment, experiment->file_fd, experiment->file, err);
}

/* ---- a mapping ----------------------------------------------------------- */

struct touch {
	int fd;
	size_t size;
};

static int touch(void *data)
{
	const struct touch *this = data;
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	const volatile char *map =
		mmap(NULL, this->size, PROT_READ, MAP_SHARED, this->fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	for (size_t i = 0; i < this->size; i += page_size)
		(void)map[i];
	return 0;
}

/* A page that cannot be read raises SIGBUS, so a child touches the pages. */
int act_touch_device(struct experiment *experiment, struct error *err)
{
	struct touch this = {
		.fd = experiment_held(experiment),
		.size = (size_t)experiment_bytes(experiment),
	};

	return child_call(experiment->stop, experiment->progress, NULL, touch,
			  &this, "touching a mapping", err);
}

/* ---- writing ------------------------------------------------------------- */

/* @path must belong to the lab: a file in it, or its own device. */
static int write_from_start(struct experiment *experiment, const char *path,
			    int flags, struct error *err)
{
	_cleanup_(closep) int fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	_cleanup_(freep) char *buffer = malloc(CHUNK);
	uint64_t done = 0, total = experiment_bytes(experiment);

	if (fd < 0 || !buffer)
		return error_errno(err, errno, "writing", path);
	memset(buffer, PATTERN, CHUNK);
	while (done < total) {
		ssize_t put = pwrite(fd, buffer, CHUNK, (off_t)done);
		int ret = stop_check(experiment->stop, err);

		if (ret < 0)
			return ret;
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return error_errno(err, errno, "writing", path);
		done += (uint64_t)put;
		progress_show(experiment->progress, done, total);
	}
	return 0;
}

int act_write_device(struct experiment *experiment, struct error *err)
{
	return write_from_start(experiment, experiment->lab.devices[0].node, 0,
				err);
}

int act_write_file(struct experiment *experiment, struct error *err)
{
	return write_from_start(experiment, experiment->file, 0, err);
}

int act_write_file_sync(struct experiment *experiment, struct error *err)
{
	return write_from_start(experiment, experiment->file, O_SYNC, err);
}

int act_fsync_device(struct experiment *experiment, struct error *err)
{
	const struct loop_device *device = &experiment->lab.devices[0];

	if (fsync(device->held) < 0)
		return error_errno(err, errno, "fsync", device->node);
	return 0;
}

/* ---- walking ------------------------------------------------------------- */

/*
 * fts(3) will not do. glibc's takes a read error in a directory for the end of
 * the directory, and the verdict would cover only part of the tree. Its
 * fts_open() also dereferences NULL if it is out of memory. Seen in glibc 2.36.
 */
static int walk(struct experiment *experiment, const char *directory,
		uint64_t *seen, struct error *err);

/* Reads the inode and, for a directory, everything below it. */
static int look_at(struct experiment *experiment, const char *directory,
		   const char *name, uint64_t *seen, struct error *err)
{
	_cleanup_(freep) char *path = NULL;
	struct stat about;
	int ret;

	if (asprintf(&path, "%s/%s", directory, name) < 0) {
		path = NULL;
		return error_errno(err, ENOMEM, "walking", directory);
	}
	if (lstat(path, &about) < 0)
		return error_errno(err, errno, "walking", path);
	progress_show(experiment->progress, ++*seen,
		      experiment->outcome->files);
	ret = stop_check(experiment->stop, err);
	if (!ret && S_ISDIR(about.st_mode))
		ret = walk(experiment, path, seen, err);
	return ret;
}

static int walk(struct experiment *experiment, const char *directory,
		uint64_t *seen, struct error *err)
{
	_cleanup_(closedirp) DIR *dir = opendir(directory);
	const char *name;
	int ret;

	if (!dir)
		return error_errno(err, errno, "walking", directory);
	/* This skips names with a dot, but prepare_tree() makes none. */
	while ((ret = sysroot_next_name(dir, &name)) > 0) {
		ret = look_at(experiment, directory, name, seen, err);
		if (ret < 0)
			return ret;
	}
	return ret < 0 ? error_errno(err, -ret, "walking", directory) : 0;
}

int act_walk(struct experiment *experiment, struct error *err)
{
	uint64_t seen = 0;

	return walk(experiment, experiment->lab.mount_point, &seen, err);
}

/* ---- in a process with a name -------------------------------------------- */

struct named {
	struct experiment *experiment;
	const char *name;
	action_fn *act;
};

static int act_named(void *data)
{
	const struct named *named = data;
	struct error err;

	prctl(PR_SET_NAME, named->name);
	return named->act(named->experiment, &err);
}

int act_dd_witness(struct experiment *experiment, struct error *err)
{
	struct named named = { experiment, "dd", act_read_witness };

	return child_call(experiment->stop, experiment->progress, NULL,
			  act_named, &named, "reading", err);
}

int act_find(struct experiment *experiment, struct error *err)
{
	struct named named = { experiment, "find", act_walk };

	return child_call(experiment->stop, experiment->progress, NULL,
			  act_named, &named, "walking", err);
}
