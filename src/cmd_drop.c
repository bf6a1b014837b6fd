// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "drop/drop.h"
#include "drop/drop_targets.h"
#include "drop/drop_text.h"
#include "frame/command_line.h"
#include "frame/table_options.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/sysroot.h"
#include "lib/terminal.h"
#include "measure/provenance.h"
#include "measure/source.h"

struct options {
	struct common_options common;
	struct drop_style style;
	bool despite_errors;
	bool dry_run;
	bool yes;
};

/* Counts of devices. */
struct tally {
	size_t done;
	size_t failed;
	size_t left_dirty;
	size_t not_measured;
};

static const struct option_row option_rows[] = {
	ROW_GROUP(struct options, style.unit, size_options),
	ROW_FLAG('\0', "despite-errors", struct options, despite_errors,
		 "release pages even after a failed write; unwritten data is "
		 "lost"),
	ROW_FLAG('\0', "dry-run", struct options, dry_run,
		 "print what would be released, and release nothing"),
	ROW_FLAG('y', "yes", struct options, yes,
		 "release the pages of several devices"),
	ROW_GROUP(struct options, common, measuring_options),
	{ 0 },
};

static int check_operands(void *data, struct error *err)
{
	const struct options *options = data;

	if (options->common.operand_count)
		return 0;
	return error_remedy(err,
			    error_doing(err, EINVAL, "reading arguments",
					"drop", "DEVICE is missing"),
			    "see bufstat drop --help");
}

static int check(const struct drop_targets *targets, const struct sysroot *root,
		 const struct options *options, struct error *err)
{
	if (!sysroot_is_live(root) && !options->dry_run)
		return error_remedy(
			err,
			error_doing(err, EINVAL, "dropping", root->prefix,
				    "a captured tree has no devices"),
			"use --dry-run");
	if (targets->count > 1 && !options->yes && !options->dry_run)
		return error_doing(err, EINVAL, "dropping", NULL,
				   "%zu devices: more than one needs --yes",
				   targets->count);
	return 0;
}

static int widest_name(const struct drop_targets *targets)
{
	size_t widest = 0;

	for (size_t i = 0; i < targets->count; i++) {
		const char *name = targets->targets[i].name;
		size_t length = text_width(name, strlen(name));

		if (length > widest)
			widest = length;
	}
	return (int)widest;
}

static void count_result(struct tally *tally, const struct drop_result *result)
{
	tally->failed += error_is_set(&result->error);
	tally->done += !error_is_set(&result->error);
	tally->left_dirty += drop_left_dirty(result);
	tally->not_measured += error_is_set(&result->why);
}

/* Writeback may take long, so each device is reported as soon as it is done. */
static void drop_one(const struct sysroot *root, const struct options *options,
		     struct drop_result *result)
{
	if (drop_device(root, options->common.source, result) < 0) {
		error_print(&result->error);
		return;
	}
	if (!options->common.json) {
		drop_text_put(stdout, result, &options->style);
		fflush(stdout);
	}
	if (error_is_set(&result->why))
		error_print(&result->why);
}

/*
 * Each device tries the sources in the same order, so the first device's source
 * stands for all.
 */
static int print_json(const struct sysroot *root, const struct options *options,
		      const struct drop_result *results, size_t count,
		      const struct tally *tally)
{
	struct provenance provenance;
	struct json_out json;
	int ret = provenance_init(&provenance, root);

	json_out_init(&json, stdout);
	json_out_object(&json, NULL);
	provenance_write(&json, &provenance, count ? results->source : NULL,
			 !tally->failed && !tally->not_measured);
	json_out_bool(&json, "dry_run", options->dry_run);
	drop_json_write(&json, results, count);
	json_out_object_end(&json);
	json_out_finish(&json);
	provenance_deinit(&provenance);
	return ret;
}

static int drop_all(const struct drop_targets *targets,
		    const struct sysroot *root, const struct options *options,
		    struct tally *tally, struct error *err)
{
	_cleanup_(freep) struct drop_result *results =
		calloc(targets->count, sizeof(*results));

	if (!results)
		return error_errno(err, ENOMEM, "dropping", "the devices");
	for (size_t i = 0; i < targets->count; i++) {
		results[i].target = &targets->targets[i];
		results[i].dry_run = options->dry_run;
		results[i].despite_errors = options->despite_errors;
		drop_one(root, options, &results[i]);
		count_result(tally, &results[i]);
	}
	if (options->common.json &&
	    print_json(root, options, results, targets->count, tally) < 0)
		return error_errno(err, ENOMEM, "printing", "the result");
	return 0;
}

static int exit_code(const struct tally *tally)
{
	if (tally->failed && !tally->done)
		return EXIT_FAILED;
	if (tally->failed || tally->left_dirty)
		return EXIT_PARTIAL;
	return tally->not_measured ? EXIT_NO_SOURCE : EXIT_OK;
}

/*
 * Resolves all names before releasing anything, so that one mistyped name
 * releases nothing.
 */
static int run(void *data, const struct sysroot *root)
{
	_cleanup_(drop_targets_deinit) struct drop_targets targets = { 0 };
	struct options *options = data;
	struct tally tally = { 0 };
	struct error err;
	int ret = drop_targets_init(&targets, root, options->common.operands,
				    options->common.operand_count, &err);

	if (!ret)
		ret = check(&targets, root, options, &err);
	if (!ret) {
		options->style.width = widest_name(&targets);
		ret = drop_all(&targets, root, options, &tally, &err);
	}
	if (ret < 0) {
		error_print(&err);
		tally.failed++;
	}
	return exit_code(&tally);
}

const struct command_line command_drop = {
	.name = "drop",
	.brief = "release a device's clean pages",
	.rows = option_rows,
	.operands = "DEVICE...",
	.words = WORDS_DEVICES,
	.about = "Release the clean pages of a block device. Its dirty pages "
		 "are\n"
		 "written first. Other devices, such as a disk's partitions, "
		 "keep their\n"
		 "pages. DEVICE is a node in /dev, a kernel name, a "
		 "device-mapper name\n"
		 "or MAJOR:MINOR. A ramdisk is refused, and so is a device to "
		 "which a\n"
		 "write is known to have failed. A captured tree has no "
		 "devices:\n"
		 "--sysroot needs --dry-run.\n",
	.exit_status =
		"Exit status: 0 all clean pages that nobody uses are "
		"released,\n"
		"1 failure, 2 done but not measured, 3 one of several devices "
		"failed,\n"
		"or dirty pages stayed.\n",
	.options_size = sizeof(struct options),
	.check = check_operands,
	.run = run,
};
