// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "command.h"
#include "command_line.h"
#include "drop.h"
#include "drop_json.h"
#include "drop_targets.h"
#include "drop_text.h"
#include "error.h"
#include "json_out.h"
#include "provenance.h"
#include "sysroot.h"

struct options {
	struct common_options common;
	struct drop_style style;
	bool despite_errors;
	bool dry_run;
	bool yes;
};

/* How many devices. */
struct tally {
	size_t done;
	size_t failed;
	size_t left_dirty;
	size_t not_measured;
};

enum { OPTION_DESPITE_ERRORS = COMMAND_OPTION, OPTION_DRY_RUN };

static const struct option names[] = {
	{ "bytes", no_argument, NULL, 'b' },
	{ "despite-errors", no_argument, NULL, OPTION_DESPITE_ERRORS },
	{ "dry-run", no_argument, NULL, OPTION_DRY_RUN },
	{ "yes", no_argument, NULL, 'y' },
	{ 0 },
};

static void print_help(void)
{
	fputs("Usage: bufstat drop [options] DEVICE...\n"
	      "\n"
	      "Release the clean pages of a block device. Its dirty pages are\n"
	      "written first; other devices, a disk's partitions among them, "
	      "keep\n"
	      "theirs. DEVICE is a node in /dev, a kernel name, a "
	      "device-mapper\n"
	      "name or MAJOR:MINOR. Refused are ramdisks, and a device to "
	      "which a\n"
	      "write is known to have failed. A captured tree has no devices:\n"
	      "--sysroot needs --dry-run.\n"
	      "\n"
	      " -b, --bytes           sizes in bytes\n"
	      "     --despite-errors  also where a write has failed: what was "
	      "not\n"
	      "                       written is lost\n"
	      "     --dry-run         say what would be released; release "
	      "nothing\n"
	      " -y, --yes             release the pages of several devices\n",
	      stdout);
	command_line_print_common();
	fputs("\n"
	      "Exit status: 0 all clean pages that nobody uses are released,\n"
	      "1 failure, 2 done but not measured, 3 one of several devices "
	      "failed,\n"
	      "or pages stayed that are dirty.\n",
	      stdout);
}

static int take_option(void *data, int option,
		       struct error *err __attribute__((unused)))
{
	struct options *options = data;

	switch (option) {
	case 'b':
		options->style.bytes = true;
		break;
	case OPTION_DESPITE_ERRORS:
		options->despite_errors = true;
		break;
	case OPTION_DRY_RUN:
		options->dry_run = true;
		break;
	case 'y':
		options->yes = true;
		break;
	}
	return 0;
}

static int check_operands(void *data, struct error *err)
{
	const struct options *options = data;

	if (options->common.operand_count)
		return 0;
	return error_set(err, EINVAL,
			 "reading arguments: drop: DEVICE is missing (see "
			 "bufstat drop --help)");
}

static int check(const struct drop_targets *targets, const struct sysroot *root,
		 const struct options *options, struct error *err)
{
	if (!sysroot_is_live(root) && !options->dry_run)
		return error_set(err, EINVAL,
				 "dropping: %s: a captured tree has no devices "
				 "(use --dry-run)",
				 root->prefix);
	if (targets->count > 1 && !options->yes && !options->dry_run)
		return error_set(err, EINVAL,
				 "dropping: %zu devices: more than one needs "
				 "--yes",
				 targets->count);
	return 0;
}

static int widest_name(const struct drop_targets *targets)
{
	size_t widest = 0;

	for (size_t i = 0; i < targets->count; i++) {
		size_t length = strlen(targets->targets[i].name);

		if (length > widest)
			widest = length;
	}
	return (int)widest;
}

static void count_result(struct tally *tally, const struct drop_result *result)
{
	tally->failed += *result->error.text != '\0';
	tally->done += *result->error.text == '\0';
	tally->left_dirty += drop_left_dirty(result);
	tally->not_measured += *result->why.text != '\0';
}

/* Writing a device may take long: each is reported when it is done. */
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
	if (*result->why.text)
		error_print(&result->why);
}

/* The source of the first device is that of all: they are asked in turn. */
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
 * All are found before anything is done: a mistyped name of several releases
 * nothing.
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

int cmd_drop(int argc, char **argv)
{
	static const struct command_line line = {
		.name = "drop",
		.print_help = print_help,
		.letters = "by",
		.names = names,
		.take_option = take_option,
		.check = check_operands,
		.takes_operands = true,
		.run = run,
	};
	struct options options = { 0 };

	return command_line_run(&line, argc, argv, &options.common, &options);
}
