// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bufstat/version.h>

#include "ask.h"
#include "capture.h"
#include "capture_devices.h"
#include "capture_filter.h"
#include "capture_openers.h"
#include "cleanup.h"
#include "error.h"
#include "fs_text.h"
#include "measured_filesystems.h"
#include "provenance.h"
#include "sample_text.h"
#include "sysroot.h"
#include "tar.h"
#include "text_stream.h"

#define MAX_FILE (64U << 20)
#define MEMINFO "/proc/meminfo"
#define MODULE_FILE "/sys/kernel/debug/bufstat/devices"

/* As they are, or without what is nobody's business. */
static const struct capture_file {
	const char *path;
	const char *place; /* in the capture, NULL: the same */
	void (*filter)(char *text);
} files[] = {
	/* All of it; what was measured with is in its own place. */
	{ .path = MEMINFO, .place = "/bufstat/meminfo" },
	{ .path = "/proc/vmstat" },
	{ .path = "/proc/self/mountinfo", .filter = capture_filter_mountinfo },
	{ .path = "/proc/swaps" },
	{ .path = "/proc/devices" },
	{ .path = "/proc/partitions" },
	{ .path = "/proc/version" },
	{ .path = "/proc/sys/kernel/osrelease" },
	{ .path = "/run/blkid/blkid.tab" },
	{ .path = "/sys/kernel/security/lockdown" },
	{ .path = "/sys/module/bufstat/version" },
};

/* What is not there is not captured. */
static int copy_file(FILE *out, const struct sysroot *root,
		     const struct capture_file *file)
{
	_cleanup_(freep) char *text = NULL;
	size_t size;
	int ret = sysroot_read(root, file->path, MAX_FILE, &text, &size);

	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	if (file->filter) {
		file->filter(text);
		size = strlen(text);
	}
	return tar_write_file(out, file->place ? file->place : file->path, text,
			      size);
}

/* Writes a file of the capture with a function that prints it. */
static int write_text(FILE *out, const char *path,
		      void (*write)(FILE *out, const void *data),
		      const void *data)
{
	_cleanup_(freep) char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return -ENOMEM;
	write(file, data);
	if (text_stream_close(file, &text) < 0)
		return -ENOMEM;
	return tar_write_file(out, path, text, size);
}

static void put_meminfo(FILE *out, const void *meminfo)
{
	meminfo_write(out, meminfo);
}

static void put_figures(FILE *out, const void *snapshot)
{
	sample_text_write_figures(out, snapshot);
}

static void put_state(FILE *out, const void *snapshot)
{
	sample_text_write_state(out, snapshot);
}

/*
 * What was measured, and the meminfo that it was set against: one read now
 * would differ.
 */
static int write_measurement(FILE *out, const struct measurement *measurement)
{
	const struct snapshot *snapshot = &measurement->snapshot;
	char path[64];
	int ret = write_text(out, MEMINFO, put_meminfo, &measurement->meminfo);

	if (ret < 0 || measurement->collected < 0)
		return ret;
	if (strcmp(snapshot->source, "module") == 0)
		return write_text(out, MODULE_FILE, put_figures, snapshot);
	snprintf(path, sizeof(path), SAMPLE_FIGURES, snapshot->source);
	ret = write_text(out, path, put_figures, snapshot);
	if (ret < 0)
		return ret;
	snprintf(path, sizeof(path), SAMPLE_STATE, snapshot->source);
	return write_text(out, path, put_state, snapshot);
}

static void put_filesystems(FILE *out, const void *filesystems)
{
	fs_text_write(out, filesystems);
}

/* Without the module there is nothing to write. */
static int write_filesystems(FILE *out, const struct sysroot *root)
{
	struct filesystems filesystems;
	int ret = filesystems_init(&filesystems, root, ASK_SECONDS, NULL);

	for (size_t i = 0; !ret && i < filesystems.mounts.count; i++)
		capture_filter_source(filesystems.mounts.mounts[i].source);
	if (!ret)
		ret = write_text(out, FS_TEXT_PATH, put_filesystems,
				 &filesystems);
	else if (ret != -ENOMEM)
		ret = 0;
	filesystems_deinit(&filesystems);
	return ret;
}

static int write_about(FILE *out, const struct sysroot *root)
{
	_cleanup_(freep) char *text = NULL;
	struct provenance provenance;
	int ret = provenance_init(&provenance, root);

	if (!ret &&
	    asprintf(&text,
		     "bufstat " BUFSTAT_VERSION "\n"
		     "kernel %s\n"
		     "taken_at %s\n",
		     provenance.kernel ? provenance.kernel : "-",
		     *provenance.taken_at ? provenance.taken_at : "-") < 0) {
		text = NULL;
		ret = -ENOMEM;
	}
	provenance_deinit(&provenance);
	if (!ret)
		ret = tar_write_file(out, "/bufstat/about", text, strlen(text));
	return ret;
}

int capture_write(FILE *out, const struct sysroot *root, const char *source,
		  struct measurement *measurement, struct error *err)
{
	int ret = measure(root, source, measurement, err);

	if (ret < 0)
		return ret;
	ret = write_about(out, root);
	if (!ret)
		ret = write_measurement(out, measurement);
	if (!ret)
		ret = write_filesystems(out, root);
	for (size_t i = 0; !ret && i < sizeof(files) / sizeof(*files); i++)
		ret = copy_file(out, root, &files[i]);
	if (!ret)
		ret = capture_devices(out, root);
	if (!ret)
		ret = capture_openers(out, root);
	tar_write_end(out);
	return ret < 0 ? error_errno(err, -ret, "capturing", "the host") : 0;
}
