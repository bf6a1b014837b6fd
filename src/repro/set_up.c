// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment.h"
#include "filesystem.h"
#include "limits_check.h"
#include "progress.h"
#include "set_up.h"
#include "size_text.h"
#include "stop.h"
#include "take_reading.h"
#include "user_device.h"

#define MIB (UINT64_C(1) << 20)
#define DEVICE_STEP (256 * MIB) /* devices are so large, or a multiple */
#define INODE_BYTES 256 /* as mkfs.ext4 makes them */
#define SETTLE_MS 50
#define SETTLED_ROUNDS 3
#define SETTLE_ROUNDS 100
/* What a lab takes on the disk besides: a journal, superblocks. */
#define SPARE_BYTES (32 * MIB)
#define DISK_BYTES_PER_FILE 2048

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

static int check_limits(const struct experiment *experiment, struct error *err)
{
	const struct scenario *scenario = experiment->scenario;
	const struct outcome *outcome = experiment->outcome;
	uint64_t memory =
		outcome->size_bytes + outcome->files * DISK_BYTES_PER_FILE;
	uint64_t disk = outcome->files * DISK_BYTES_PER_FILE;
	int ret;

	if (scenario->has_witness)
		memory += outcome->size_bytes;
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
	char size[SIZE_TEXT_LENGTH];
	char **text = &experiment->outcome->lab;
	int ret;

	if (!scenario->has_device) {
		size_text((int64_t)(experiment->outcome->size_bytes +
				    SPARE_BYTES),
			  size);
		ret = asprintf(text, "a %s tmpfs on %s, mounted here only",
			       size, lab->mount_point);
	} else {
		size_text((int64_t)lab->sizes_bytes[0], size);
		ret = asprintf(
			text, "%s on a %s sparse file in %s%s%s, held open%s",
			lab->devices[0].node, size, lab->path,
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
	outcome_name_device(outcome->device_name, lab->devices[0].node);
	if (scenario->has_witness)
		outcome_name_device(outcome->witness_name,
				    lab->devices[1].node);
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

/* Unmounted and mounted again, nothing of what was made is cached. */
static int mount_again(struct experiment *experiment, struct error *err)
{
	int ret;

	close_file(experiment);
	progress_step(experiment->progress, "unmounting");
	ret = lab_unmount(&experiment->lab, err);
	if (!ret)
		ret = settle(experiment, err);
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

	progress_step(experiment->progress, "making a lab");
	ret = lab_create(&experiment->lab, experiment->root,
			 experiment->options->dir, err);
	if (!ret && scenario->has_device)
		ret = add_devices(experiment, err);
	if (!ret && scenario->filesystem)
		ret = make_filesystem(experiment, err);
	if (!ret && describe(experiment) < 0)
		ret = error_errno(err, ENOMEM, "making a lab",
				  experiment->lab.path);
	outcome->amount_pages = (scenario->counts_inodes ?
					 outcome->files * INODE_BYTES :
					 outcome->size_bytes) /
				outcome->page_size;
	return ret;
}

int set_up(struct experiment *experiment, struct error *err)
{
	struct outcome *outcome = experiment->outcome;
	int ret;

	experiment->lab = (struct lab){ .fd = -1, .files = { -1, -1 } };
	experiment->user_device = -1;
	experiment->file_fd = -1;
	if (experiment->scenario->counts_inodes)
		outcome->files = experiment->options->files;
	else
		outcome->size_bytes = experiment->options->size_bytes;
	ret = check_limits(experiment, err);
	if (ret < 0)
		return ret;
	return experiment->options->device ? user_device_use(experiment, err) :
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

int settle(struct experiment *experiment, struct error *err)
{
	struct reading last = { 0 }, now;
	int still = 0;

	for (int i = 0; i < SETTLE_ROUNDS && still < SETTLED_ROUNDS; i++) {
		int64_t change;
		int ret;

		empty_devices(experiment);
		ret = take_reading(experiment, &now, err);
		if (ret < 0)
			return ret;
		if (!reading_has(&now, QUANTITY_DEVICE))
			return 0;
		if (reading_change(&last, &now, QUANTITY_DEVICE, &change) &&
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

int take_down(struct experiment *experiment, struct error *err)
{
	int ret = 0;

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
