// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "cli/command_line.h"
#include "cli/interval.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "commands/command_past.h"
#include "filesystems/fs_json.h"
#include "filesystems/fs_refused.h"
#include "filesystems/fs_target.h"
#include "filesystems/measured_filesystems.h"
#include "filesystems/selection.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/history.h"
#include "names/mountinfo.h"
#include "sample/baseline_file.h"
#include "store/format.h"
#include "table/table.h"

struct options {
	struct common_options common;
	struct table_options table;
	struct repeat_options repeat;
	bool all;
};

static const struct option_row option_rows[] = {
	ROW_FLAG('a', "all", struct options, all,
		 "also filesystems without pages or, with -s, unchanged"),
	ROW_GROUP(struct options, table.style.unit, size_options),
	ROW_GROUP(struct options, table, table_options),
	ROW_GROUP(struct options, table, top_option),
	ROW_GROUP(struct options, repeat, repeat_options),
	ROW_TEXT('\0', "vmcore", struct options, common.vmcore, "FILE",
		 WORDS_FILES, "the filesystems of the kernel in a dump"),
	ROW_GROUP(struct options, common, past_options),
	ROW_GROUP(struct options, common, json_lines_option),
	ROW_GROUP(struct options, common, tree_options),
	ROW_GROUP(struct options, common, ask_options),
	{ 0 },
};

static int check(void *data, struct error *err)
{
	const struct options *options = data;

	return repeat_check(&options->repeat, &options->common, err);
}

/* The data of take_sample(). */
struct sampling {
	const struct options *options;
	const struct sysroot *root;
	struct selection *selection;
	struct history history;
	struct told told;
};

static struct column_choice choose_columns(const struct sampling *sampling)
{
	const struct table_options *table = &sampling->options->table;
	struct column_choice columns = table->columns;

	if (history_is_there(&sampling->history) && !table->columns_chosen)
		column_choice_with_history(&columns, &fs_columns);
	return columns;
}

static int print_table(const struct sampling *sampling,
		       const struct fs_reading *reading,
		       const struct column_choice *columns, struct error *err)
{
	const struct table_style style =
		table_options_style(&sampling->options->table);
	const struct table_rows rows = fs_rows_of_table(&reading->rows);
	int ret = table_print(stdout, &rows, columns, &style);

	return table_error(err, ret, "the table");
}

static int print_reading(const struct sampling *sampling,
			 const struct fs_reading *reading, struct error *err)
{
	const struct options *options = sampling->options;
	const struct column_choice columns = choose_columns(sampling);
	int ret = 0;

	if (options->repeat.interval.repeats && !options->common.json)
		table_options_print_clock(&options->table);
	if (options->common.json)
		fs_json_print(stdout, reading, &columns,
			      options->common.json_lines);
	else
		ret = print_table(sampling, reading, &columns, err);
	if (!ret && options->repeat.save)
		ret = fs_json_save(options->repeat.save, reading, err);
	return ret;
}

/* Leaves the rows that are to be shown, in order. */
static int arrange(struct fs_rows *rows, struct sampling *sampling,
		   const struct filesystems *filesystems)
{
	const struct options *options = sampling->options;
	struct selection *selection = sampling->selection;
	int ret = fs_rows_init(rows, filesystems,
			       options->all || selection->count);

	if (ret < 0)
		return ret;
	if (selection->count)
		fs_rows_select(rows, selection);
	/* What is saved has all rows. */
	fs_rows_arrange(rows, &options->table.order, options->table.top,
			table_options_only_changed(
				&options->table, &options->common,
				options->all || options->repeat.save));
	return 0;
}

static int print_sample(struct sampling *sampling,
			const struct filesystems *filesystems,
			struct error *err)
{
	struct fs_reading reading = {
		.filesystems = filesystems,
		.provenance =
			provenance_of(sampling->root, filesystems->kernel),
	};
	int ret = arrange(&reading.rows, sampling, filesystems);

	if (ret < 0)
		error_errno(err, -ret, "printing", "the filesystems");
	else
		ret = print_reading(sampling, &reading, err);
	fs_rows_deinit(&reading.rows);
	return ret;
}

static int take_sample(void *data)
{
	_cleanup_(filesystems_deinit) struct filesystems filesystems = { 0 };
	struct sampling *sampling = data;
	const char *vmcore = sampling->options->common.vmcore;
	struct error err;
	int ret;

	told_next(&sampling->told);
	ret = vmcore ? filesystems_init_dump(&filesystems, sampling->root,
					     vmcore, &err) :
		       filesystems_init(&filesystems, sampling->root,
					sampling->options->common.source, &err);

	history_compare(&sampling->history, filesystems_samples(&filesystems));
	interval_hold_interrupt();
	if (!ret)
		ret = print_sample(sampling, &filesystems, &err);
	if (!ret && history_take(&sampling->history,
				 filesystems_samples(&filesystems)) < 0)
		ret = error_errno(&err, ENOMEM, "keeping", "the sample");
	if (ret < 0)
		return exit_printing(&err);
	fs_refused_print(&filesystems, &sampling->told);
	command_print_vain(sampling->selection);
	return !filesystems_lack(&filesystems) &&
			       !sampling->history.first.unsettled ?
		       EXIT_OK :
		       EXIT_PARTIAL;
}

static int measure_all(const void *data, struct selection *selection,
		       const struct sysroot *root)
{
	const struct options *options = data;
	struct sampling sampling = { .options = options,
				     .root = root,
				     .selection = selection };
	const char *since = options->repeat.since;
	struct error err;
	int code;

	if (since && baseline_read(&sampling.history.first, since,
				   "filesystems", root, &err) < 0)
		return exit_printing(&err);
	if (since && !baseline_is_proven(&sampling.history.first, since, &err))
		error_print(&err);
	code = interval_run(&options->repeat.interval, root->patience,
			    !options->common.json, take_sample, &sampling);
	history_deinit(&sampling.history);
	told_deinit(&sampling.told);
	return code;
}

static int run(void *data, const struct sysroot *root)
{
	return command_run_selected(SELECTS_FILESYSTEMS, root, data,
				    measure_all);
}

const struct command_line command_filesystems = {
	.name = "filesystems",
	.alias = "fs",
	.brief = "what cache is made of",
	.rows = option_rows,
	.operands = "[DEVICE|PATH...]",
	.words = WORDS_DEVICES_AND_FILES,
	.about = "The filesystems that the pages of Cached belong to, or the "
		 "given ones: by a\n"
		 "device, a mount point or any path. Needs the module or "
		 "/proc/kcore. fs is short\n"
		 "for filesystems.\n",
	.columns = &fs_columns,
	.table_at = offsetof(struct options, table),
	.document = &fs_document,
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source,\n"
		"3 measured in part (a filesystem did not answer).\n",
	.reads_recording = STORE_FILESYSTEMS,
	.run_at = run_on_pasts,
	.options_size = sizeof(struct options),
	.check = check,
	.run = run,
};
