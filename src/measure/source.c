// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "error.h"
#include "sample_text.h"
#include "snapshot.h"
#include "source.h"
#include "sysroot.h"

/*
 * Best first: the module's figures are of one instant and open no device;
 * cachestat(2) is made for the purpose; kcore reads what is not meant to be
 * read.
 */
static const struct source {
	const char *name;
	source_collect_fn *collect;
	source_collect_device_fn *collect_device; /* NULL: collects them all */
} sources[] = {
	{ "module", source_module_collect, NULL },
	{ "cachestat", source_cachestat_collect,
	  source_cachestat_collect_device },
	{ "kcore", source_kcore_collect, NULL },
};

#define SOURCES (sizeof(sources) / sizeof(*sources))

/* Has somebody measured with it there and kept what it said? */
static bool is_captured(const struct source *source, const struct sysroot *root)
{
	_cleanup_(closep) int fd = -1;
	char path[64];

	if (sysroot_is_live(root))
		return false;
	snprintf(path, sizeof(path), SAMPLE_FIGURES, source->name);
	fd = sysroot_open(root, path, O_PATH);
	return fd >= 0;
}

/* @device NULL: of all. */
static int collect_from(const struct source *source, const struct sysroot *root,
			const dev_t *device, struct snapshot *snapshot,
			struct error *err)
{
	struct error reason = { "" };
	int ret;

	if (is_captured(source, root))
		ret = sample_text_read(root, source->name, snapshot, &reason);
	else if (device && source->collect_device)
		ret = source->collect_device(root, *device, snapshot, &reason);
	else
		ret = source->collect(root, snapshot, &reason);
	snapshot->source = source->name;
	if (ret < 0)
		error_set(err, 0, "%s: %s", source->name, reason.text);
	return ret;
}

static int unknown_source(const char *name, struct error *err)
{
	char names[64] = "";

	for (size_t i = 0; i < SOURCES; i++) {
		size_t used = strlen(names);

		snprintf(names + used, sizeof(names) - used, "%s%s",
			 i ? ", " : "", sources[i].name);
	}
	return error_set(err, EINVAL, "%s: no such source, use one of %s", name,
			 names);
}

static int collect_named(const struct sysroot *root, const char *name,
			 const dev_t *device, struct snapshot *snapshot,
			 struct error *err)
{
	for (size_t i = 0; i < SOURCES; i++) {
		if (strcmp(sources[i].name, name) == 0)
			return collect_from(&sources[i], root, device, snapshot,
					    err);
	}
	return unknown_source(name, err);
}

/*
 * What @snapshot could not measure, a device that must not be opened say, the
 * next sources may. One that is not sure of itself is no help.
 */
static void fill_refused(const struct source *next, const struct sysroot *root,
			 struct snapshot *snapshot)
{
	struct snapshot other = { 0 };

	for (; next < sources + SOURCES && snapshot_has_refused(snapshot);
	     next++) {
		if (collect_from(next, root, NULL, &other, NULL) == 0 &&
		    !other.unsettled)
			snapshot_fill_refused(snapshot, &other);
		snapshot_deinit(&other);
	}
}

static int collect_first(const struct sysroot *root, const dev_t *device,
			 struct snapshot *snapshot, struct error *err)
{
	struct error reasons = { "" };
	struct error failure = { "" };
	struct error reason;
	int worst = -EOPNOTSUPP;

	for (size_t i = 0; i < SOURCES; i++) {
		int ret = collect_from(&sources[i], root, device, snapshot,
				       &reason);

		if (ret == 0) {
			if (worst != -EOPNOTSUPP)
				snapshot->failed_source = strdup(failure.text);
			fill_refused(&sources[i + 1], root, snapshot);
			return 0;
		}
		snapshot_deinit(snapshot);
		error_append(&reasons, &reason);
		if (ret != -EOPNOTSUPP) {
			worst = ret;
			error_append(&failure, &reason);
		}
	}
	*err = reasons;
	return worst;
}

static int collect(const struct sysroot *root, const char *name,
		   const dev_t *device, struct snapshot *snapshot,
		   struct error *err)
{
	struct error reason = { "" };
	int ret;

	if (name)
		ret = collect_named(root, name, device, snapshot, &reason);
	else
		ret = collect_first(root, device, snapshot, &reason);
	if (ret < 0)
		error_set(err, -ret, "measuring: %s", reason.text);
	return ret;
}

int source_collect(const struct sysroot *root, const char *name,
		   struct snapshot *snapshot, struct error *err)
{
	return collect(root, name, NULL, snapshot, err);
}

int source_collect_device(const struct sysroot *root, const char *name,
			  dev_t device, struct snapshot *snapshot,
			  struct error *err)
{
	return collect(root, name, &device, snapshot, err);
}

size_t source_count(void)
{
	return SOURCES;
}

const char *source_name(size_t which)
{
	return sources[which].name;
}

int source_try(const struct sysroot *root, size_t which,
	       struct snapshot *snapshot, struct error *err)
{
	snapshot->source = sources[which].name;
	return sources[which].collect(root, snapshot, err);
}
