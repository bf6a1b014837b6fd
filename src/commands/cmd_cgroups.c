// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cgroups/cgroup_rows.h"
#include "cli/command_line.h"
#include "cli/interval.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "filesystems/selection.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "lib/terminal.h"
#include "measure/provenance.h"
#include "table/table.h"

struct options {
	struct common_options common;
	struct table_options table;
	struct interval interval;
	bool list;
};

static const struct option_row option_rows[] = {
	ROW_FLAG('\0', "list", struct options, list,
		 "a list of paths in place of a tree"),
	ROW_MOVED('l', "lohi", "list", "list"),
	ROW_GROUP(struct options, table.style.unit, size_options),
	ROW_GROUP(struct options, table, table_options),
	ROW_GROUP(struct options, interval, interval_options),
	ROW_GROUP(struct options, common, json_option),
	ROW_GROUP(struct options, common, json_lines_option),
	ROW_REFUSED('\0', "source", "NAME", "the kernel itself counts these"),
	ROW_GROUP(struct options, common, tree_options),
	ROW_GROUP(struct options, common, timeout_option),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

/* The data of take_sample(). */
struct sampling {
	const struct options *options;
	const struct sysroot *root;
	struct selection *selection;
	struct cgroup_sample last;
	bool has_last;
	struct told told;
};

static struct column_choice choose_columns(const struct sampling *sampling)
{
	const struct table_options *table = &sampling->options->table;
	struct column_choice columns = table->columns;

	if (sampling->has_last && !table->columns_chosen)
		column_choice_with_history(&columns, &cgroup_columns);
	return columns;
}

/* Scripts get rows alone. */
static int print_sentence(const struct options *options,
			  const struct cgroup_sample *sample)
{
	const struct table_style style = table_options_style(&options->table);
	const struct limits_style sentence = {
		.unit = style.unit,
		.width = terminal_width(stdout),
	};

	if (options->common.json || style.format != TABLE_PLAIN ||
	    style.no_headings)
		return 0;
	return limits_print_next(stdout, &sample->limits, &sample->cgroups,
				 sample->page_size, &sentence);
}

static int print_rows(const struct sampling *sampling,
		      const struct cgroup_sample *sample,
		      const struct cgroup_rows *rows)
{
	const struct column_choice columns = choose_columns(sampling);
	const struct document document = {
		.head = {
			.source = hierarchy_name(&sample->cgroups.hierarchy),
			.is_whole = cgroup_sample_is_whole(sample),
		},
		.root = sampling->root,
		.answer = sample,
		.rows = cgroup_rows_of_table(rows),
		.columns = &columns,
	};

	return print_sentence(sampling->options, sample) ?:
		       command_print_rows(&command_cgroups, sampling->options,
					  &document);
}

static int print_sample(const struct sampling *sampling,
			const struct cgroup_sample *sample, struct error *err)
{
	_cleanup_(cgroup_rows_deinit) struct cgroup_rows rows = { 0 };
	const struct options *options = sampling->options;
	const struct cgroup_choice choice = {
		.selection = sampling->selection,
		.is_list = options->list || options->table.order.column ||
			   options->common.json ||
			   options->table.style.format != TABLE_PLAIN,
		.order = options->table.order,
	};
	int ret = cgroup_rows_init(&rows, sample,
				   sampling->has_last ? &sampling->last : NULL,
				   &choice, err);

	if (ret < 0)
		return ret;
	command_print_vain(sampling->selection);
	if (selection_is_vain(sampling->selection))
		return 0;
	return table_error(err, print_rows(sampling, sample, &rows),
			   "the cgroups");
}

static void print_missing(const struct cgroup_sample *sample, struct told *told)
{
	const struct cgroups *cgroups = &sample->cgroups;
	struct error err;

	if (cgroups->is_cut_short) {
		error_doing(&err, ERROR_PARTIAL, "reading cgroups",
			    cgroups->hierarchy.mount,
			    "the time was over after %zu of them, and there "
			    "may be more below the others",
			    cgroups->count - cgroups->unread);
		told_print(told, &err);
	} else if (cgroups->unread) {
		error_doing(&err, ERROR_PARTIAL, "reading cgroups",
			    cgroups->hierarchy.mount,
			    "%zu could not be read, nor what is below: %s",
			    cgroups->unread, strerror(cgroups->error));
		told_print(told, &err);
	}
	if (cgroups->excess_bytes) {
		error_doing(&err, ERROR_PARTIAL, "adding up cgroups",
			    cgroups->cgroups[cgroups->exceeded].path,
			    "the counts contradict each other: what is in it "
			    "is %s more than it",
			    SIZE((int64_t)cgroups->excess_bytes));
		told_print(told, &err);
	}
	if (sample->limits.said_available_bytes) {
		error_doing(&err, ERROR_PARTIAL, "comparing", "the host",
			    "%s are available by the zones, and %s by "
			    "MemAvailable: these are not about the same memory",
			    SIZE((int64_t)sample->limits.host_available_bytes),
			    SIZE(sample->limits.said_available_bytes));
		told_print(told, &err);
	}
	if (error_is_set(&sample->no_host)) {
		err = sample->no_host;
		error_remedy(&err, 0, "what is left of the host is not known");
		told_print(told, &err);
	}
}

static int take_sample(void *data)
{
	struct sampling *sampling = data;
	struct cgroup_sample sample;
	struct error err;
	bool is_whole, is_vain;
	int ret;

	told_next(&sampling->told);
	ret = cgroup_sample_take(&sample, sampling->root, &err);
	interval_hold_interrupt();
	if (!ret)
		ret = print_sample(sampling, &sample, &err);
	is_whole = cgroup_sample_is_whole(&sample);
	is_vain = selection_is_vain(sampling->selection);
	if (!ret && !is_vain)
		print_missing(&sample, &sampling->told);
	if (sampling->has_last)
		cgroup_sample_deinit(&sampling->last);
	sampling->last = sample;
	sampling->has_last = true;
	if (ret < 0)
		return exit_printing(&err);
	return is_vain ? EXIT_FAILED : is_whole ? EXIT_OK : EXIT_PARTIAL;
}

static int measure_all(const void *data, struct selection *selection,
		       const struct sysroot *root)
{
	const struct options *options = data;
	struct sampling sampling = { .options = options,
				     .root = root,
				     .selection = selection };
	int code = interval_run(&options->interval, sampling.root->patience,
				!options->common.json, take_sample, &sampling);

	if (sampling.has_last)
		cgroup_sample_deinit(&sampling.last);
	told_deinit(&sampling.told);
	return code;
}

static int run(void *data, const struct sysroot *root)
{
	return command_run_selected(SELECTS_CGROUPS, root, data, measure_all);
}

const struct command_line command_cgroups = {
	.name = "cgroups",
	.brief = "every cgroup, and which limit is next",
	.rows = option_rows,
	.operands = "[CGROUP...]",
	.words = WORDS_DIRECTORIES,
	.about = "What is charged to each cgroup, or to those given and all "
		 "below them, what of\n"
		 "it can be reclaimed, and how much is left until a limit is "
		 "reached. Includes\n"
		 "what is below. The line above the table says which limit is "
		 "next.\n",
	.columns = &cgroup_columns,
	.table_at = offsetof(struct options, table),
	.document = &cgroup_document,
	.exit_status =
		"Exit status: 0 all read, 1 failure, 2 no cgroups with the "
		"memory controller,\n"
		"3 read in part.\n",
	.options_size = sizeof(struct options),
	.run = run,
};
