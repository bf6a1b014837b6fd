// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cleanup.h"
#include "device_figures.h"
#include "drop.h"
#include "drop_targets.h"
#include "errno_name.h"
#include "sysroot.h"

/*
 * O_NONBLOCK: a drive is not asked to load or wait for a medium, and a FIFO put
 * in the node's place does not hang us. Reading is all that fsync() and
 * posix_fadvise() ask for.
 */
static int open_device(const char *node, dev_t device, struct error *err)
{
	_cleanup_(closep) int fd =
		open(node, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 && errno == EACCES)
		return error_set(err, EACCES,
				 "opening: %s: it is for root (use sudo)",
				 node);
	if (fd < 0 || fstat(fd, &status) < 0)
		return error_errno(err, errno, "opening", node);
	if (!S_ISBLK(status.st_mode) || status.st_rdev != device)
		return error_set(err, ENODEV,
				 "opening: %s: it is not block device %u:%u",
				 node, major(device), minor(device));
	return steal_fd(&fd);
}

static int release(int fd, const char *node, struct error *err)
{
	int error;

	/* A page that could not be written counts as clean from then on and
	 * may be the only copy of its data: it has to stay. Of what failed
	 * before the device was opened, this says only what nobody else was
	 * told of. */
	if (fsync(fd) < 0)
		return error_errno(err, errno,
				   "writing dirty pages, nothing is released",
				   node);
	error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return error ? error_errno(err, error, "releasing pages", node) : 0;
}

static int take_reading(const struct sysroot *root, const char *source,
			struct drop_result *result,
			struct drop_reading *reading)
{
	struct device_figures figures;
	int ret;

	meminfo_read(&reading->meminfo, root, NULL);
	ret = device_figures_take(root, source, result->target->found.number,
				  &figures, &result->why);
	if (ret < 0)
		return ret;
	reading->figures = figures.sample;
	result->source = figures.source;
	result->page_size = figures.page_size;
	return 0;
}

/* The source that has the other figures need not know of errors. */
static void look_for_write_error(const struct sysroot *root,
				 struct drop_result *result)
{
	struct device_sample *figures = &result->before.figures;

	if (!sample_has(figures, FIGURE_WRITE_ERROR) &&
	    (!drop_is_measured(&result->before) ||
	     drop_figure(&result->before, FIGURE_PAGES)))
		device_write_error_take(root, result->target->found.number,
					figures);
}

static int check_write_error(struct drop_result *result)
{
	char name[ERRNO_NAME_SIZE];
	unsigned int error;

	if (result->despite_errors || !drop_knows_write_error(result, &error) ||
	    !error)
		return 0;
	errno_name(error, name);
	return error_set(&result->error, EIO,
			 "dropping: %s: refused, a write to it has failed (%s) "
			 "and what was to be written may be in its pages only "
			 "(--despite-errors releases them)",
			 result->target->found.node, name);
}

/*
 * With the device open, so that fsync() reports what fails after the recorded
 * error was looked at.
 */
static int drop_open(const struct sysroot *root, const char *source, int fd,
		     struct drop_result *result)
{
	int ret = take_reading(root, source, result, &result->before);

	if (ret == -EINVAL) { /* there is no such source */
		result->error = result->why;
		return ret;
	}
	look_for_write_error(root, result);
	ret = check_write_error(result);
	if (!ret && !result->dry_run)
		ret = release(fd, result->target->found.node, &result->error);
	return ret;
}

int drop_device(const struct sysroot *root, const char *source,
		struct drop_result *result)
{
	const struct found_device *found = &result->target->found;
	int fd = -1, ret;

	/* A loop device without its file fails fsync(): it cannot be flushed. */
	if (drop_target_is_empty(result->target))
		return 0;
	if (!result->dry_run) {
		fd = open_device(found->node, found->number, &result->error);
		if (fd < 0)
			return fd;
	}
	ret = drop_open(root, source, fd, result);
	closep(&fd);
	if (ret < 0 || result->dry_run)
		return ret;
	result->done = true;
	/* By the same source: figures of two would not compare. */
	take_reading(root, result->source ? result->source : source, result,
		     &result->after);
	return 0;
}
