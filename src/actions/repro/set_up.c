// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/number.h"
#include "measure/cachestat.h"
#include "names/device_base.h"
#include "names/device_find.h"
#include "repro/experiment.h"
#include "repro/filesystem.h"
#include "repro/limits_check.h"
#include "repro/observe.h"
#include "repro/progress.h"
#include "repro/set_up.h"
#include "repro/stop.h"
#include "trace/trace.h"

#define MIB (UINT64_C(1) << 20)
#define USUAL_SIZE (100 * MIB)
#define DEVICE_STEP (256 * MIB) /* devices are a multiple of this */
#define INODE_BYTES 256 /* as mkfs.ext4 makes them */
#define SETTLE_MS 50
#define SETTLED_ROUNDS 3
#define SETTLE_ROUNDS 100
/* Extra disk space for a lab: a journal, superblocks. */
#define SPARE_BYTES (32 * MIB)
#define DISK_BYTES_PER_FILE 2048

/* The last component of the node's path. */
static void name_device(char name[64], const char *node)
{
	const char *slash = strrchr(node, '/');

	snprintf(name, 64, "%s", slash ? slash + 1 : node);
}

/* ---- the user's own device ----------------------------------------------- */

static int open_user_device(struct experiment *experiment,
			    const struct found_device *found, struct error *err)
{
	struct stat status;
	uint64_t bytes;
	int fd = open(found->node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	experiment->user_device = fd;
	if (fd < 0 || fstat(fd, &status) < 0)
		return error_errno(err, errno, "opening", found->node);
	if (!S_ISBLK(status.st_mode) || status.st_rdev != found->number)
		return error_doing(err, ENODEV, "opening", found->node,
				   "it is not block device %u:%u",
				   major(found->number), minor(found->number));
	if (ioctl(fd, BLKGETSIZE64, &bytes) < 0)
		return error_errno(err, errno, "asking for the size of",
				   found->node);
	if (!bytes)
		return error_doing(err, ENOMEDIUM, "reading", found->node,
				   "it has no sectors");
	if (experiment->outcome->size_bytes > bytes)
		experiment->outcome->size_bytes = bytes;
	return 0;
}

/* Takes cached pages off the amount: reading cannot add them. */
static void subtract_cached(struct experiment *experiment)
{
	struct outcome *outcome = experiment->outcome;
	struct cachestat_counts counts;

	if (cachestat_read(experiment->user_device, 0, outcome->size_bytes,
			   &counts) < 0)
		return;
	outcome->amount_pages -= counts.cached < outcome->amount_pages ?
					 counts.cached :
					 outcome->amount_pages;
}

/*
 * Refuses to release pages if some are dirty: that would start writeback, and
 * nothing may be written to somebody else's device. Only the scenario with a
 * witness releases pages.
 */
static int check_clean(const struct experiment *experiment, struct error *err)
{
	struct observation observation;
	int ret;

	if (!experiment->scenario->has_witness)
		return 0;
	ret = experiment_observe(experiment, &observation, err);
	if (ret < 0)
		return ret;
	if (!observation_has(&observation, QUANTITY_DEVICE_DIRTY))
		return error_doing(
			err, ERROR_UNUSABLE, "dropping", experiment->node,
			"whether it has dirty pages is not known, and nothing "
			"is to be written");
	if (observation.pages[QUANTITY_DEVICE_DIRTY])
		return error_advise(
			err, EBUSY, "dropping", experiment->node, "sync first",
			"refused, it has %lld dirty pages, which would "
			"be written",
			(long long)observation.pages[QUANTITY_DEVICE_DIRTY]);
	return 0;
}

/*
 * Opens the user's device for reading, instead of a lab. Takes pages that are
 * cached already off the amount. Returns 0 or a negative errno.
 */
static int use_user_device(struct experiment *experiment, struct error *err)
{
	struct outcome *outcome = experiment->outcome;
	struct found_device found;
	int ret = device_find(experiment->root, experiment->options->device,
			      &found, err);

	if (ret < 0)
		return ret;
	if (is_ramdisk(experiment->root, found.number))
		ret = error_doing(err, EPERM, "reading", found.node,
				  "refused, it is a ramdisk");
	if (!ret)
		ret = open_user_device(experiment, &found, err);
	experiment->device = found.number;
	experiment->node = strdup(found.node);
	found_device_deinit(&found);
	if (ret < 0)
		return ret;
	if (!experiment->node ||
	    asprintf(&outcome->lab,
		     "none: %s as it is, read only and held open",
		     experiment->node) < 0) {
		outcome->lab = NULL;
		return error_errno(err, ENOMEM, "opening",
				   experiment->options->device);
	}
	name_device(outcome->device_name, experiment->node);
	outcome->amount_pages = outcome->size_bytes / outcome->page_size;
	subtract_cached(experiment);
	return check_clean(experiment, err);
}

/* ---- a lab --------------------------------------------------------------- */

static bool is_tmpfs(const struct scenario *scenario)
{
	return scenario->filesystem &&
	       strcmp(scenario->filesystem, "tmpfs") == 0;
}

static bool has_disk_filesystem(const struct scenario *scenario)
{
	return scenario->filesystem && !is_tmpfs(scenario);
}

static uint64_t device_bytes(const struct experiment *experiment)
{
	const struct outcome *outcome = experiment->outcome;
	uint64_t bytes = outcome->size_bytes;

	if (has_disk_filesystem(experiment->scenario))
		bytes += filesystem_least_bytes(
			experiment->scenario->filesystem, outcome->files);
	return (bytes + DEVICE_STEP - 1) / DEVICE_STEP * DEVICE_STEP;
}

/* How many times the size is cached. */
static unsigned int times_filled(const struct scenario *scenario)
{
	return scenario->has_witness ? 2 : 1;
}

static int check_limits(const struct experiment *experiment, struct error *err)
{
	const struct scenario *scenario = experiment->scenario;
	const struct outcome *outcome = experiment->outcome;
	uint64_t memory = outcome->size_bytes * times_filled(scenario) +
			  outcome->files * DISK_BYTES_PER_FILE;
	uint64_t disk = outcome->files * DISK_BYTES_PER_FILE;
	int ret;

	if (scenario->writes)
		disk += outcome->size_bytes;
	if (has_disk_filesystem(scenario))
		disk += SPARE_BYTES;
	ret = memory_check(experiment->root, memory, err);
	if (!ret && !experiment->options->device)
		ret = disk_check(experiment->options->dir, disk, err);
	return ret;
}

static int describe(const struct experiment *experiment)
{
	const struct scenario *scenario = experiment->scenario;
	const struct lab *lab = &experiment->lab;
	char **text = &experiment->outcome->lab;
	int ret;

	if (scenario->needs_no_device) {
		ret = asprintf(text, "a %s tmpfs on %s, mounted here only",
			       SIZE((int64_t)(experiment->outcome->size_bytes +
					      SPARE_BYTES)),
			       lab->mount_point);
	} else {
		ret = asprintf(
			text, "%s on a %s sparse file in %s%s%s, held open%s",
			lab->devices[0].node,
			SIZE((int64_t)lab->sizes_bytes[0]), lab->path,
			scenario->filesystem ? ", " : "",
			scenario->filesystem ? scenario->filesystem : "",
			lab->devices[0].direct ?
				"" :
				"; the file is cached too (no direct I/O here)");
	}
	if (ret < 0)
		*text = NULL;
	return ret < 0 ? -ENOMEM : 0;
}

static int add_devices(struct experiment *experiment, struct error *err)
{
	const struct scenario *scenario = experiment->scenario;
	struct outcome *outcome = experiment->outcome;
	struct lab *lab = &experiment->lab;
	uint64_t bytes = device_bytes(experiment);
	int ret;

	progress_step(experiment->progress, "making a loop device");
	ret = lab_add_device(lab, experiment->root, bytes,
			     !scenario->last_closes, err);
	if (!ret && scenario->has_witness)
		ret = lab_add_device(lab, experiment->root, bytes, true, err);
	if (ret < 0)
		return ret;
	experiment->device = lab->devices[0].number;
	experiment->node = strdup(lab->devices[0].node);
	if (!experiment->node)
		return error_errno(err, ENOMEM, "making a lab", lab->path);
	name_device(outcome->device_name, lab->devices[0].node);
	if (scenario->has_witness)
		name_device(outcome->witness_name, lab->devices[1].node);
	return 0;
}

static int mount_it(struct experiment *experiment, struct error *err)
{
	const char *type = experiment->scenario->filesystem;

	progress_step(experiment->progress, "mounting");
	if (is_tmpfs(experiment->scenario))
		return lab_mount_tmpfs(
			&experiment->lab,
			experiment->outcome->size_bytes + SPARE_BYTES, err);
	return lab_mount(&experiment->lab, type, err);
}

static void close_file(struct experiment *experiment)
{
	if (experiment->file_fd >= 0)
		close(experiment->file_fd);
	experiment->file_fd = -1;
}

/* Unmounts and mounts again, so that nothing of the filesystem is cached. */
static int mount_again(struct experiment *experiment, struct error *err)
{
	int ret;

	close_file(experiment);
	progress_step(experiment->progress, "unmounting");
	ret = lab_unmount(&experiment->lab, err);
	if (!ret)
		ret = experiment_settle(experiment, err);
	if (!ret)
		ret = mount_it(experiment, err);
	if (ret < 0 || !experiment->file)
		return ret;
	experiment->file_fd = open(experiment->file, O_RDWR | O_CLOEXEC);
	return experiment->file_fd < 0 ?
		       error_errno(err, errno, "opening", experiment->file) :
		       0;
}

static int make_filesystem(struct experiment *experiment, struct error *err)
{
	const struct scenario *scenario = experiment->scenario;
	int ret = 0;

	if (has_disk_filesystem(scenario)) {
		progress_step(experiment->progress, "making a file system");
		ret = filesystem_make(experiment->stop, experiment->progress,
				      scenario->filesystem, experiment->node,
				      experiment->outcome->files, err);
	}
	if (!ret)
		ret = mount_it(experiment, err);
	progress_step(experiment->progress, "making files");
	if (!ret && scenario->prepare)
		ret = scenario->prepare(experiment, err);
	if (!ret && has_disk_filesystem(scenario))
		ret = mount_again(experiment, err);
	return ret;
}

static int use_lab(struct experiment *experiment, struct error *err)
{
	const struct scenario *scenario = experiment->scenario;
	struct outcome *outcome = experiment->outcome;
	int ret;

	experiment->ways = (struct ways_sum){ .is_known = true };
	progress_step(experiment->progress, "making a lab");
	ret = lab_create(&experiment->lab, experiment->root,
			 experiment->options->dir, experiment->options->keep,
			 err);
	if (!ret && !scenario->needs_no_device)
		ret = add_devices(experiment, err);
	if (!ret && scenario->filesystem)
		ret = make_filesystem(experiment, err);
	if (!ret && scenario->traces)
		ret = trace_open(&experiment->trace, experiment->root, false,
				 err);
	if (!ret && describe(experiment) < 0)
		ret = error_errno(err, ENOMEM, "making a lab",
				  experiment->lab.path);
	outcome->amount_pages = (scenario->counts_inodes ?
					 outcome->files * INODE_BYTES :
					 outcome->size_bytes) /
				outcome->page_size;
	return ret;
}

static uint64_t whole_mebibytes(uint64_t bytes)
{
	return (bytes + (1U << 20) - 1) >> 20 << 20;
}

int experiment_set_up(struct experiment *experiment, struct error *err)
{
	struct outcome *outcome = experiment->outcome;
	int ret;

	experiment->lab = (struct lab)LAB_NONE;
	experiment->user_device = -1;
	experiment->file_fd = -1;
	if (experiment->scenario->counts_inodes) {
		outcome->files = experiment->options->files;
		/* As much is read from the witness. */
		if (experiment->scenario->has_witness)
			outcome->size_bytes =
				whole_mebibytes(outcome->files * INODE_BYTES);
	} else if (experiment->options->size_bytes) {
		outcome->size_bytes = experiment->options->size_bytes;
	} else {
		outcome->size_bytes =
			memory_size(experiment->root, USUAL_SIZE,
				    times_filled(experiment->scenario));
	}
	ret = check_limits(experiment, err);
	if (ret < 0)
		return ret;
	return experiment->options->device ? use_user_device(experiment, err) :
					     use_lab(experiment, err);
}

static void empty_devices(const struct experiment *experiment)
{
	const struct lab *lab = &experiment->lab;

	for (unsigned int i = 0; i < lab->device_count; i++) {
		fsync(lab->devices[i].held);
		posix_fadvise(lab->devices[i].held, 0, 0, POSIX_FADV_DONTNEED);
	}
}

int experiment_settle(struct experiment *experiment, struct error *err)
{
	struct observation last = { 0 }, now;
	int still = 0;

	for (int i = 0; i < SETTLE_ROUNDS && still < SETTLED_ROUNDS; i++) {
		int64_t change;
		int ret;

		empty_devices(experiment);
		ret = experiment_observe(experiment, &now, err);
		if (ret < 0)
			return ret;
		if (!observation_has(&now, QUANTITY_DEVICE))
			return 0;
		if (observation_change(&last, &now, QUANTITY_DEVICE, &change) &&
		    !change)
			still++;
		else
			still = 0;
		last = now;
		stop_wait_ms(experiment->stop, SETTLE_MS);
		ret = stop_check(experiment->stop, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int experiment_take_down(struct experiment *experiment, struct error *err)
{
	int ret = 0;

	trace_close(experiment->trace);
	experiment->trace = NULL;
	close_file(experiment);
	free(experiment->file);
	experiment->file = NULL;
	if (experiment->user_device >= 0)
		close(experiment->user_device);
	experiment->user_device = -1;
	if (experiment->options->keep && experiment->lab.device_count &&
	    !experiment->stop->signal) {
		experiment->outcome->kept = strdup(experiment->lab.path);
		ret = lab_keep(&experiment->lab, err);
	} else {
		ret = lab_destroy(&experiment->lab, err);
	}
	free(experiment->node);
	experiment->node = NULL;
	return ret;
}
