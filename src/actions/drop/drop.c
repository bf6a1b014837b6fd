// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "drop/drop.h"
#include "drop/drop_targets.h"
#include "drop/silence.h"
#include "drop/write_out.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/cachestat.h"
#include "measure/snapshot.h"
#include "measure/source.h"
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

bool drop_is_empty(const struct drop_result *result)
{
	/* A captured source may not have measured a device without sectors. */
	return drop_target_has_no_sectors(result->target) && !result->done &&
	       !error_is_set(&result->why) &&
	       !drop_figure(&result->before, FIGURE_PAGES);
}

static void take_reading(const struct sysroot *root, const char *source,
			 struct drop_result *result,
			 struct drop_reading *reading)
{
	struct device_figures figures;

	meminfo_read(&reading->meminfo, root, NULL);
	if (device_figures_take(root, source, result->target->found.number,
				&figures, &result->why) < 0)
		return;
	reading->figures = figures.sample;
	result->source = figures.source;
	result->page_size = figures.page_size;
}

static bool has_no_pages(const struct drop_result *result)
{
	return drop_is_measured(&result->before) &&
	       !drop_figure(&result->before, FIGURE_PAGES);
}

/* A source other than the one of the figures may know of write errors. */
static void look_for_write_error(const struct sysroot *root,
				 struct drop_result *result)
{
	struct sample *figures = &result->before.figures;

	if (!sample_has(figures, FIGURE_WRITE_ERROR) && !has_no_pages(result))
		device_write_error_take(root, result->target->found.number,
					figures);
}

static int check_write_error(struct drop_result *result)
{
	unsigned int error;
	bool known = drop_knows_write_error(result, &error);

	if (result->despite_errors || has_no_pages(result) ||
	    (!known && result->dry_run))
		return 0;
	return write_out_check(known, error, result->target->found.node,
			       &result->error);
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

static int count_unwritten(void *data, struct unwritten *left,
			   struct error *err __attribute__((unused)))
{
	const struct writing *writing = data;
	struct cachestat_counts counts;
	struct device_figures figures;

	if (cachestat_read(writing->fd, 0, 0, &counts) >= 0) {
		*left = (struct unwritten){ true, counts.dirty,
					    counts.writeback };
	} else if (device_figures_take(writing->root, NULL, writing->device,
				       &figures, NULL) >= 0 &&
		   sample_has(&figures.sample, FIGURE_DIRTY)) {
		left->is_known = true;
		left->dirty = figures.sample.figures[FIGURE_DIRTY];
		left->writeback = figures.sample.figures[FIGURE_WRITEBACK];
	}
	return 0;
}

/* Writes what is dirty and reads again whether a write has failed. */
static int write_device(const struct sysroot *root, int fd,
			struct drop_result *result)
{
	const dev_t device = result->target->found.number;
	struct writing writing = { root, device, fd };
	const struct write_out how = {
		.start = start_writing,
		.count = count_unwritten,
		.data = &writing,
		.disk = device,
		.object = result->target->found.node,
	};
	struct sample now = { 0 };
	int ret;

	ask_tell_step(DROP_WRITING);
	ret = write_out(&how, &result->error);
	if (ret < 0 || result->despite_errors || has_no_pages(result))
		return ret;
	device_write_error_take(root, device, &now);
	result->before.figures.present &= ~(1U << FIGURE_WRITE_ERROR);
	if (sample_has(&now, FIGURE_WRITE_ERROR))
		sample_set(&result->before.figures, FIGURE_WRITE_ERROR,
			   now.figures[FIGURE_WRITE_ERROR]);
	return check_write_error(result);
}

static int drop_open(const struct sysroot *root, const char *source, int fd,
		     struct drop_result *result)
{
	int ret, error;

	ask_tell_step(DROP_READING);
	take_reading(root, source, result, &result->before);
	look_for_write_error(root, result);
	ret = check_write_error(result);
	if (!ret)
		ret = write_device(root, fd, result);
	if (ret < 0)
		return ret;
	ask_tell_step(DROP_RELEASING);
	error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return error ? error_errno(&result->error, error, "releasing pages",
				   result->target->found.node) :
		       0;
}

/* A worker's task. struct outcome is its answer. */
struct job {
	const struct sysroot *root;
	const char *source;
	struct drop_result *result;
};

struct outcome {
	int ret;
	/* Its pointers are valid in the worker and in the program. */
	struct drop_result result;
};

static size_t drop_in_worker(const void *data,
			     size_t index __attribute__((unused)), void *to)
{
	const struct job *job = data;
	const struct found_device *found = &job->result->target->found;
	struct outcome *outcome = to;
	int fd;

	outcome->result = *job->result;
	ask_tell_step(DROP_OPENING);
	fd = open_device(found->node, found->number, &outcome->result.error);
	outcome->ret = fd < 0 ? fd :
				drop_open(job->root, job->source, fd,
					  &outcome->result);
	ask_tell_step(DROP_CLOSING);
	closep(&fd);
	return sizeof(*outcome);
}

static const char *step_text(int step)
{
	static const char *const texts[] = {
		[0] = "starting",
		[DROP_OPENING] = "opening it",
		[DROP_READING] = "measuring it",
		[DROP_WRITING] = "writing its dirty pages",
		[DROP_RELEASING] = "releasing its pages",
		[DROP_CLOSING] = "closing it",
	};

	return texts[step];
}

/*
 * A sick disk blocks whoever opens, writes or closes it, so a worker does that.
 * A worker that is abandoned is not killed: it finishes what it has begun.
 */
static int drop_by_worker(const struct sysroot *root, const char *source,
			  struct drop_result *result)
{
	struct job job = { root, source, result };
	struct disk_writes disk = { .device = result->target->found.number };
	char object[STUCK_OBJECT];
	struct ask question = {
		.answer = drop_in_worker,
		.data = &job,
		.answer_size = sizeof(struct outcome),
		.kept = -1,
		.what = result->target->found.node,
		.stuck_on = object,
		.moves = disk_writes,
		.moves_data = &disk,
		.silence_ms = DROP_SILENCE_MS,
		.outlives = true,
		.patience = root->patience,
	};
	const struct outcome *outcome;
	struct asked *asked;
	int ret;

	snprintf(object, sizeof(object), "drop %u:%u", major(disk.device),
		 minor(disk.device));
	outcome = ask_one(&question, &asked, &ret, &result->error);
	if (outcome) {
		ret = outcome->ret;
		*result = outcome->result;
	} else if (!ret) {
		ret = drop_silence(asked, question.what, step_text,
				   &result->error);
	}
	asked_destroy(asked);
	return ret;
}

/*
 * A device without sectors is not flushed if it has no pages: a loop device
 * without its file fails fsync().
 */
static bool is_empty(const struct sysroot *root, const char *source,
		     struct drop_result *result)
{
	if (!drop_target_has_no_sectors(result->target))
		return false;
	take_reading(root, source, result, &result->before);
	return drop_is_empty(result);
}

static int forecast(const struct sysroot *root, const char *source,
		    struct drop_result *result)
{
	take_reading(root, source, result, &result->before);
	look_for_write_error(root, result);
	return check_write_error(result);
}

int drop_device(const struct sysroot *root, const char *source,
		struct drop_result *result)
{
	int ret;

	if (is_empty(root, source, result))
		return 0;
	if (result->dry_run)
		return forecast(root, source, result);
	patience_begin(root->patience);
	ret = drop_by_worker(root, source, result);
	if (ret < 0)
		return ret;
	result->done = true;
	/* Use the same source: figures of two sources cannot be compared. */
	take_reading(root, result->source ? result->source : source, result,
		     &result->after);
	return 0;
}
