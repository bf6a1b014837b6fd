// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "cgroups/cgroup_rows.h"
#include "cli/command_line.h"
#include "cli/interval.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "explain/explain.h"
#include "explain/explain_facts.h"
#include "explain/explain_recorded.h"
#include "filesystems/fs_rows.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "measure/source.h"
#include "table/table.h"
#include "worker/patience.h"

struct options {
	struct common_options common;
	struct size_unit unit; /* of the table */
	unsigned int columns; /* of free; 0: the verdict, table and advice */
};

static int print(const struct explain_facts *facts,
		 const struct options *options, struct error *err)
{
	struct explanation explanation;
	int ret;

	if (options->common.json) {
		ret = explain_print_json(stdout, facts, options->common.past);
		return ret < 0 ? error_errno(err, -ret, "writing",
					     "the explanation") :
				 0;
	}
	ret = explanation_init(&explanation, facts, options->columns);
	if (!ret)
		ret = explanation_print(stdout, &explanation,
					explain_width(stdout), options->unit);
	explanation_deinit(&explanation);
	return table_error(err, ret, "the explanation");
}

/* Says what could not be read; the text has less of it. */
static void print_refused(const struct explain_facts *facts)
{
	struct error err;

	devices_missing(&facts->buffers, true, told_print, NULL);
	if (explain_is_cut_short(facts)) {
		error_doing(&err, ERROR_PARTIAL, "looking for owners", "/proc",
			    PATIENCE_OVER);
		error_print(&err);
	}
	cgroup_sample_missing(&facts->cgroups, told_print, NULL);
	err = facts->why_no_filesystems;
	if (facts->has_filesystems) {
		filesystems_missing(&facts->filesystems, told_print, NULL);
	} else if (facts->is_dump || err.class == ERROR_FAILED) {
		error_within(&err, -ENODATA, "measuring", "the filesystems");
		error_print(&err);
	}
}

static int exit_code(const struct explain_facts *facts)
{
	if (!explain_is_measured(facts))
		return exit_code_of(&facts->buffers.why);
	return explain_is_complete(facts) ? EXIT_OK : EXIT_PARTIAL;
}

static int run(void *data, const struct sysroot *root)
{
	_cleanup_(explain_facts_deinit) struct explain_facts facts;
	const struct options *options = data;
	const struct common_options *common = &options->common;
	struct error err;

	int ret =
		common->vmcore ?
			explain_facts_init_dump(&facts, root, common->vmcore,
						&err) :
			explain_facts_init(&facts, root, common->source, &err);

	if (ret < 0) {
		error_print(&err);
		return common->vmcore ? exit_code_of(&err) : EXIT_FAILED;
	}
	/* A column is about no holder. */
	if (!options->columns && !common->vmcore &&
	    explain_recorded_find(&facts, root, common->place) < 0) {
		error_errno(&err, ENOMEM, "gathering", "the facts");
		error_print(&err);
		return EXIT_FAILED;
	}
	if (print(&facts, options, &err) < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	print_refused(&facts);
	return exit_code(&facts);
}

static const struct option_row option_rows[] = {
	ROW_GROUP(struct options, unit, size_options),
	ROW_TEXT('\0', "vmcore", struct options, common.vmcore, "FILE",
		 WORDS_FILES, "the kernel in a dump"),
	ROW_GROUP(struct options, common, past_options),
	ROW_GROUP(struct options, common, measuring_options),
	{ 0 },
};

static int check(void *data, struct error *err)
{
	struct options *options = data;
	const struct common_options *common = &options->common;
	const struct repeat_options once = { 0 };
	int ret = repeat_check(&once, common, err);

	for (size_t i = 0; !ret && i < common->operand_count; i++)
		ret = explain_column_add(&options->columns, common->operands[i],
					 err);
	if (!ret && options->columns && common->json)
		ret = error_option(err, "-J",
				   "it prints all facts: not with COLUMN");
	return ret;
}

const struct command_line command_explain = {
	.name = "explain",
	.brief = "what cannot be reclaimed, whose it is, and what gives it "
		 "back",
	.rows = option_rows,
	.operands = "[COLUMN...]",
	.word = explain_column_word,
	.check = check,
	.about =
		"Shows which part of this host's memory cannot be reclaimed, "
		"who has most of\n"
		"it, which limit is reached next, and which commands give "
		"memory back. With\n"
		"COLUMN, what that column of free means here: where it comes "
		"from and what it is\n"
		"made of. COLUMN is total, used, free, shared, buffers, cache, "
		"buff/cache,\n"
		"available, swap, or all.\n",
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source "
		"(/proc/meminfo is\n"
		"explained all the same), 3 measured in part.\n",
	.reads_recording = RECORDED_DEVICES,
	.reads_parts = true,
	.document = &explain_document,
	.options_size = sizeof(struct options),
	.run = run,
};
