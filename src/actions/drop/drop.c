// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "devices/device_figures.h"
#include "drop/drop.h"
#include "drop/drop_targets.h"
#include "drop/silence.h"
#include "drop/write_out.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/cachestat.h"
#include "measure/snapshot.h"
#include "worker/ask.h"
#include "worker/disk_writes.h"
#include "worker/patience.h"

/* What a worker is doing. */
enum drop_step {
	DROP_OPENING = 1,
	DROP_READING,
	DROP_WRITING,
	DROP_RELEASING,
	DROP_CLOSING,
};

static const char *const steps[] = {
	[DROP_OPENING] = "opening it",
	[DROP_READING] = "measuring it",
	[DROP_WRITING] = "writing its dirty pages",
	[DROP_RELEASING] = "releasing its pages",
	[DROP_CLOSING] = "closing it",
};

/*
 * O_NONBLOCK does not make a drive load or wait for a medium, and does not hang
 * on a FIFO that was put in the node's place. sync_file_range() and
 * posix_fadvise() need no more than O_RDONLY.
 */
static int open_device(const char *node, dev_t device, struct error *err)
{
	_cleanup_(closep) int fd =
		open(node, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 && errno == EACCES)
		return error_advise(err, EACCES, "opening", node, "use sudo",
				    "only root may do this");
	if (fd < 0 || fstat(fd, &status) < 0)
		return error_errno(err, errno, "opening", node);
	if (!S_ISBLK(status.st_mode) || status.st_rdev != device)
		return error_doing(err, ENODEV, "opening", node,
				   "it is not block device %u:%u",
				   major(device), minor(device));
	return steal_fd(&fd);
}

bool drop_is_empty(const struct drop_device *device)
{
	const struct drop_result *result = &device->result;

	/* A captured source may not have measured a device without sectors. */
	return drop_target_has_no_sectors(device->target) && !result->done &&
	       !error_is_set(&result->why) && !result->before.pages;
}

static void set_write_error(struct drop_device *device,
			    const struct sample *sample)
{
	device->knows_write_error = sample_has(sample, FIGURE_WRITE_ERROR);
	device->write_error = (unsigned int)sample->figures[FIGURE_WRITE_ERROR];
}

static void take_pages(struct drop_pages *pages, const struct sample *sample)
{
	const uint64_t *figures = sample->figures;

	*pages = (struct drop_pages){
		.has_pages = sample_has(sample, FIGURE_PAGES),
		.pages = figures[FIGURE_PAGES],
		.has_dirty = sample_has(sample, FIGURE_DIRTY),
		.dirty = figures[FIGURE_DIRTY],
		.has_writeback = sample_has(sample, FIGURE_WRITEBACK),
		.writeback = figures[FIGURE_WRITEBACK],
	};
}

/* Returns what was measured besides pages. */
static struct sample take_reading(const struct sysroot *root,
				  const char *source,
				  struct drop_device *device,
				  struct drop_pages *pages)
{
	struct drop_result *result = &device->result;
	struct device_figures figures;

	device->openers = 0;
	if (device_figures_take(root, source, device->target->found.number,
				&figures, &result->why) < 0)
		return (struct sample){ 0 };
	take_pages(pages, &figures.sample);
	device->openers = figures.sample.figures[FIGURE_OPENERS];
	result->source = figures.source;
	result->page_size = figures.page_size;
	return figures.sample;
}

static bool has_no_pages(const struct drop_device *device)
{
	const struct drop_pages *before = &device->result.before;

	return before->has_pages && !before->pages;
}

static void read_write_error(const struct sysroot *root,
			     struct drop_device *device)
{
	struct sample sample = { 0 };

	device_write_error_take(root, device->target->found.number, &sample);
	set_write_error(device, &sample);
}

static void take_first(const struct sysroot *root, const char *source,
		       struct drop_device *device)
{
	struct sample sample;

	meminfo_read(&device->host_before, root, NULL);
	sample = take_reading(root, source, device, &device->result.before);
	set_write_error(device, &sample);
}

/* A source other than the one of the figures may know of write errors. */
static void look_for_write_error(const struct sysroot *root,
				 struct drop_device *device)
{
	if (!device->knows_write_error && !has_no_pages(device))
		read_write_error(root, device);
}

static int check_write_error(struct drop_device *device)
{
	struct drop_result *result = &device->result;

	if (result->despite_errors || has_no_pages(device) ||
	    (!device->knows_write_error && result->dry_run))
		return 0;
	return write_out_check(device->knows_write_error, device->write_error,
			       device->target->found.node, &result->error);
}

/* Of an open device. */
struct writing {
	const struct sysroot *root;
	dev_t device;
	int fd;
};

static int start_writing(void *data, struct error *err)
{
	const struct writing *writing = data;
	int ret = write_out_start(writing->fd);

	return ret < 0 ? error_errno(err, -ret, "writing", "dirty pages") : 0;
}

static int count_unwritten(void *data, struct drop_pages *left,
			   struct error *err __attribute__((unused)))
{
	const struct writing *writing = data;
	struct device_figures figures;

	if (!drop_pages_ask(left, writing->fd) &&
	    device_figures_take(writing->root, NULL, writing->device, &figures,
				NULL) >= 0)
		take_pages(left, &figures.sample);
	return 0;
}

/* Writes what is dirty and reads again whether a write has failed. */
static int write_device(const struct sysroot *root, int fd,
			struct drop_device *device)
{
	const dev_t number = device->target->found.number;
	struct writing writing = { root, number, fd };
	const struct write_out how = {
		.start = start_writing,
		.count = count_unwritten,
		.data = &writing,
		.disk = number,
		.object = device->target->found.node,
	};
	int ret;

	ask_tell_step(DROP_WRITING);
	ret = write_out(&how, &device->result.error);
	if (ret < 0 || device->result.despite_errors || has_no_pages(device))
		return ret;
	read_write_error(root, device);
	return check_write_error(device);
}

static int drop_open(const struct sysroot *root, const char *source, int fd,
		     struct drop_device *device)
{
	int ret, error;

	ask_tell_step(DROP_READING);
	take_first(root, source, device);
	look_for_write_error(root, device);
	ret = check_write_error(device) ?: write_device(root, fd, device);
	if (ret < 0)
		return ret;
	ask_tell_step(DROP_RELEASING);
	error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return error ? error_errno(&device->result.error, error,
				   "releasing pages",
				   device->target->found.node) :
		       0;
}

/* A worker's task. struct outcome is its answer. */
struct job {
	const struct sysroot *root;
	const char *source;
	struct drop_device *device;
};

struct outcome {
	int ret;
	/* Its pointers are valid in the worker and in the program. */
	struct drop_device device;
};

static size_t drop_in_worker(const void *data,
			     size_t index __attribute__((unused)), void *to)
{
	const struct job *job = data;
	const struct found_device *found = &job->device->target->found;
	struct outcome *outcome = to;
	int fd;

	outcome->device = *job->device;
	ask_tell_step(DROP_OPENING);
	fd = open_device(found->node, found->number,
			 &outcome->device.result.error);
	outcome->ret = fd < 0 ? fd :
				drop_open(job->root, job->source, fd,
					  &outcome->device);
	ask_tell_step(DROP_CLOSING);
	closep(&fd);
	return sizeof(*outcome);
}

/*
 * A sick disk blocks whoever opens, writes or closes it, so a worker does that.
 * A worker that is abandoned is not killed: it finishes what it has begun.
 */
static int drop_by_worker(const struct sysroot *root, const char *source,
			  struct drop_device *device)
{
	struct job job = { root, source, device };
	struct disk_writes disk = { .device = device->target->found.number };
	char object[STUCK_OBJECT];
	struct ask question = {
		.answer = drop_in_worker,
		.data = &job,
		.answer_size = sizeof(struct outcome),
		.kept = -1,
		.what = device->target->found.node,
		.stuck_on = object,
		.moves = disk_writes,
		.moves_data = &disk,
		.silence_ms = DROP_SILENCE_MS,
		.outlives = true,
		.patience = root->patience,
	};
	struct outcome outcome;
	int ret;

	snprintf(object, sizeof(object), "drop %u:%u", major(disk.device),
		 minor(disk.device));
	ret = drop_ask(&question, steps, &outcome, &device->result.error);
	if (ret < 0)
		return ret;
	*device = outcome.device;
	return outcome.ret;
}

int drop_device(const struct sysroot *root, const char *source,
		struct drop_device *device)
{
	struct drop_result *result = &device->result;
	int ret;

	/*
	 * A device without sectors is not flushed if it has no pages: a loop
	 * device without its file fails fsync().
	 */
	if (result->dry_run || drop_target_has_no_sectors(device->target)) {
		take_first(root, source, device);
		if (drop_is_empty(device))
			return 0;
	}
	if (result->dry_run) {
		look_for_write_error(root, device);
		return check_write_error(device);
	}
	patience_begin(root->patience);
	ret = drop_by_worker(root, source, device);
	if (ret < 0)
		return ret;
	result->done = true;
	meminfo_read(&device->host_after, root, NULL);
	/* Use the same source: figures of two sources cannot be compared. */
	take_reading(root, result->source ? result->source : source, device,
		     &result->after);
	return 0;
}
