// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command_line.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/module_absence.h"
#include "measure/snapshot.h"
#include "measure/source.h"
#include "measure/ways.h"

/*
 * Best first: the module's figures are of one instant, and kcore proves its
 * own. Neither opens a device, which may block forever.
 */
static const struct source {
	const char *name;
	source_collect_fn *collect;
	source_collect_device_fn *collect_device; /* NULL: collect() */
	bool opens_devices;
} sources[] = {
	{ "module", source_module_collect, NULL, false },
	{ "kcore", source_kcore_collect, NULL, false },
	{ "cachestat", source_cachestat_collect,
	  source_cachestat_collect_device, true },
};

#define SOURCES (sizeof(sources) / sizeof(*sources))

const char *source_name(size_t which)
{
	return which < SOURCES ? sources[which].name : NULL;
}

/* The answer of the ways to a snapshot. */
struct collecting {
	struct snapshot *snapshot;
	const dev_t *device; /* NULL: all */
};

static int collect_from(void *answer, size_t which, const struct sysroot *root,
			struct error *err)
{
	const struct collecting *collecting = answer;
	const struct source *source = &sources[which];
	struct snapshot *snapshot = collecting->snapshot;

	snapshot_deinit(snapshot);
	snapshot->source = source->name;
	return collecting->device && source->collect_device ?
		       source->collect_device(root, *collecting->device,
					      snapshot, err) :
		       source->collect(root, snapshot, err);
}

static const struct ways ways = { source_name, collect_from };

static bool is_source(const char *name, struct error *err)
{
	char names[64] = "";

	for (size_t i = 0; i < SOURCES; i++) {
		size_t used = strlen(names);

		if (strcmp(sources[i].name, name) == 0)
			return true;
		snprintf(names + used, sizeof(names) - used, "%s%s",
			 i ? ", " : "", sources[i].name);
	}
	error_doing(err, EINVAL, NULL, name, "no such source, use one of %s",
		    names);
	return false;
}

/* Replaces what the source itself misses, which matters less. */
static int set_failed(struct snapshot *snapshot, const struct error *failure)
{
	char text[ERROR_TEXT_SIZE];

	free(snapshot->failed_source);
	snapshot->failed_source = strdup(error_text(failure, text));
	return snapshot->failed_source ? 0 : -ENOMEM;
}

static int collect(const struct sysroot *root, const char *name,
		   const dev_t *device, struct snapshot *snapshot,
		   struct error *err)
{
	struct collecting collecting = { snapshot, device };
	struct error reason = { 0 }, failed = { 0 };
	int ret = name && !is_source(name, &reason) ? -EINVAL : 0;

	if (!ret)
		ret = ways_take(&ways, name, &collecting, root, &failed,
				&reason);
	if (!ret && error_is_set(&failed) && set_failed(snapshot, &failed) < 0)
		ret = error_errno(&reason, ENOMEM, NULL, NULL);
	/* What the last one refused is no better reason than the others. */
	if (ret < 0 && !name)
		snapshot_deinit(snapshot);
	if (ret < 0 && err) {
		*err = reason;
		error_within(err, ret, "measuring", NULL);
	}
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

bool source_opens_devices(size_t which)
{
	return sources[which].opens_devices;
}

int source_try(const struct sysroot *root, size_t which,
	       struct snapshot *snapshot, struct error *err)
{
	int ret;

	snapshot->source = sources[which].name;
	ret = sources[which].collect(root, snapshot, err);
	if (ret < 0)
		module_absence_complete(err, root);
	return ret;
}

static int take_source(void *place, const struct option_given *given,
		       struct error *err)
{
	if (!is_source(given->value, err))
		return error_within(err, -EINVAL, "reading options",
				    "--source");
	*(const char **)place = given->value;
	return 0;
}

const struct option_row source_option[] = {
	ROW_CALL('\0', "source", struct common_options, source, "NAME",
		 take_source, "module, kcore, cachestat (else the best)",
		 .word = source_name, .flags = OPTION_BEFORE_COMMAND),
	{ 0 },
};

const struct option_row measuring_options[] = {
	{ .type = OPTION_GROUP, .group = json_option },
	{ .type = OPTION_GROUP, .group = source_option },
	{ .type = OPTION_GROUP, .group = tree_options },
	{ .type = OPTION_GROUP, .group = timeout_option },
	{ .type = OPTION_GROUP, .group = help_options },
	{ 0 },
};
