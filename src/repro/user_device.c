// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cachestat.h"
#include "device_find.h"
#include "experiment.h"
#include "ramdisk.h"
#include "take_reading.h"
#include "user_device.h"

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
		return error_set(err, ENODEV,
				 "opening: %s: it is not block device %u:%u",
				 found->node, major(found->number),
				 minor(found->number));
	if (ioctl(fd, BLKGETSIZE64, &bytes) < 0)
		return error_errno(err, errno, "asking for the size of",
				   found->node);
	if (!bytes)
		return error_set(err, ENOMEDIUM,
				 "reading: %s: it has no sectors", found->node);
	if (experiment->outcome->size_bytes > bytes)
		experiment->outcome->size_bytes = bytes;
	return 0;
}

/* What is cached before is not read: it cannot be added. */
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
 * Releasing pages begins to write those that are dirty: nothing is to be
 * written here to what somebody else owns.
 */
static int check_clean(const struct experiment *experiment, struct error *err)
{
	struct reading reading;
	int ret;

	if (!experiment->scenario->has_witness)
		return 0;
	ret = take_reading(experiment, &reading, err);
	if (ret < 0)
		return ret;
	if (!reading_has(&reading, QUANTITY_DEVICE_DIRTY))
		return error_set(err, EOPNOTSUPP,
				 "dropping: %s: whether it has dirty pages "
				 "is not known, and nothing is to be written",
				 experiment->node);
	if (reading.pages[QUANTITY_DEVICE_DIRTY])
		return error_set(
			err, EBUSY,
			"dropping: %s: refused, it has %lld dirty "
			"pages, which would be written (sync first)",
			experiment->node,
			(long long)reading.pages[QUANTITY_DEVICE_DIRTY]);
	return 0;
}

int user_device_use(struct experiment *experiment, struct error *err)
{
	struct outcome *outcome = experiment->outcome;
	struct found_device found;
	int ret = device_find(experiment->root, experiment->options->device,
			      &found, err);

	if (ret < 0)
		return ret;
	if (is_ramdisk(experiment->root, found.number))
		ret = error_set(err, EPERM,
				"reading: %s: refused, it is a ramdisk",
				found.node);
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
	outcome_name_device(outcome->device_name, experiment->node);
	outcome->amount_pages = outcome->size_bytes / outcome->page_size;
	subtract_cached(experiment);
	return check_clean(experiment, err);
}
