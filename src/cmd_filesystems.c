// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "ask.h"
#include "ask_options.h"
#include "baseline_file.h"
#include "cleanup.h"
#include "command.h"
#include "command_line.h"
#include "error.h"
#include "fs_json.h"
#include "fs_rows.h"
#include "history.h"
#include "interval.h"
#include "measured_filesystems.h"
#include "repeat_options.h"
#include "sysroot.h"
#include "table_options.h"

enum { OPTION_TIMEOUT = REPEAT_OPTIONS_END };

struct options {
	struct common_options common;
	struct table_options table;
	struct repeat_options repeat;
	double seconds; /* after which an answer is not waited for */
	bool all;
};

static const struct option names[] = {
	TABLE_NAMES,
	REPEAT_NAMES,
	{ "all", no_argument, NULL, 'a' },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ 0 },
};

static void print_help(void)
{
	fputs("Usage: bufstat filesystems [options]\n"
	      "       bufstat fs [options]\n"
	      "\n"
	      "Which filesystems the page cache behind Cached belongs to. Needs "
	      "the module.\n"
	      "\n"
	      " -a, --all             also filesystems without pages\n",
	      stdout);
	table_options_print_help();
	repeat_options_print_help();
	ask_options_print_help();
	command_line_print_common();
	column_print_help(&fs_columns);
	fputs("\n"
	      "Exit status: 0 all measured, 1 failure, 2 the module cannot be "
	      "used,\n"
	      "3 measured in part (a filesystem did not answer).\n",
	      stdout);
}

static int take_option(void *data, int option, struct error *err)
{
	struct options *options = data;

	switch (option) {
	case 'a':
		options->all = true;
		return 0;
	case OPTION_TIMEOUT:
		return ask_options_timeout(&options->seconds, optarg, err);
	default:
		if (table_options_take(&options->table, option, err) < 0)
			return -EINVAL;
		return repeat_options_take(&options->repeat, option, err);
	}
}

static int check(void *data, struct error *err)
{
	const struct options *options = data;

	return ask_options_check(&options->common, &options->table, err);
}

/* What a sample needs. */
struct sampling {
	const struct options *options;
	const struct sysroot *root;
	struct history history;
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
		       const struct filesystems *filesystems, struct error *err)
{
	const struct table_options *table = &sampling->options->table;
	const struct table_style style = table_options_style(table);
	struct column_choice columns = choose_columns(sampling);
	struct table_rows table_rows;
	struct fs_rows rows;
	int ret = fs_rows_init(&rows, filesystems, &sampling->history,
			       sampling->options->all);

	if (!ret && table->sort)
		column_sort(rows.rows, rows.count, sizeof(*rows.rows),
			    table->sort);
	if (!ret) {
		fs_rows_add_rest(&rows, filesystems, &sampling->history);
		table_rows = (struct table_rows){
			.rows = rows.rows,
			.count = rows.count,
			.size = sizeof(*rows.rows),
		};
		ret = table_print(stdout, &table_rows, &columns, &style);
	}
	fs_rows_deinit(&rows);
	return ret < 0 ? error_errno(err, -ret, "printing", "the table") : 0;
}

static int print_sample(const struct sampling *sampling,
			const struct filesystems *filesystems,
			struct error *err)
{
	const struct options *options = sampling->options;
	const struct column_choice columns = choose_columns(sampling);
	const struct fs_json sample = {
		.root = sampling->root,
		.filesystems = filesystems,
		.history = &sampling->history,
		.columns = &columns,
		.sort = options->table.sort,
		.all = options->all,
	};
	int ret;

	if (options->common.json)
		ret = fs_json_print(stdout, &sample, err);
	else
		ret = print_table(sampling, filesystems, err);
	if (!ret && options->repeat.save)
		ret = fs_json_save(options->repeat.save, &sample, err);
	return ret;
}

/* Makes the sample the last one, and the first one if there is none. */
static int keep(struct history *history, const struct filesystems *filesystems)
{
	struct baseline *last = &history->last;
	int ret = baseline_take(last, &filesystems->snapshot);

	if (ret < 0)
		return ret;
	last->has_rest = filesystems_rest(filesystems, &last->rest_pages);
	if (history->first.taken)
		return 0;
	ret = baseline_take(&history->first, &filesystems->snapshot);
	history->first.has_rest = last->has_rest;
	history->first.rest_pages = last->rest_pages;
	return ret;
}

static void print_refused(const struct filesystems *filesystems)
{
	struct error err;

	for (size_t i = 0; i < filesystems->count; i++) {
		const struct filesystem *filesystem =
			&filesystems->filesystems[i];
		const struct mounted *mounted = filesystem->mounted;

		if (!filesystem->sample->refused)
			continue;
		error_set(&err, ENODATA, "measuring: %s: %s",
			  mounted ? mounted->mountpoints.strings[0] :
				    "shared memory",
			  filesystem->sample->refused);
		error_print(&err);
	}
	if (!meminfo_has(&filesystems->meminfo, MEMINFO_CACHED)) {
		error_set(&err, ENODATA,
			  "reading Cached: /proc/meminfo: no such field, so "
			  "nothing can be called unattributed");
		error_print(&err);
	}
}

static int take_sample(void *data)
{
	_cleanup_(filesystems_deinit) struct filesystems filesystems = { 0 };
	struct sampling *sampling = data;
	struct error err;
	int ret = filesystems_init(&filesystems, sampling->root,
				   sampling->options->seconds, &err);

	interval_hold_interrupt();
	if (!ret)
		ret = print_sample(sampling, &filesystems, &err);
	if (!ret && keep(&sampling->history, &filesystems) < 0)
		ret = error_errno(&err, ENOMEM, "keeping", "the sample");
	if (ret < 0) {
		error_print(&err);
		return ret == -EOPNOTSUPP ? EXIT_NO_SOURCE : EXIT_FAILED;
	}
	print_refused(&filesystems);
	return filesystems_are_whole(&filesystems) ? EXIT_OK : EXIT_PARTIAL;
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	struct sampling sampling = { .options = options, .root = root };
	struct error err;
	int code = EXIT_FAILED;

	if (options->repeat.since &&
	    baseline_read(&sampling.history.first, options->repeat.since,
			  "filesystems", &err) < 0)
		error_print(&err);
	else
		code = interval_run(&options->repeat.interval,
				    !options->common.json, take_sample,
				    &sampling);
	history_deinit(&sampling.history);
	return code;
}

int cmd_filesystems(int argc, char **argv)
{
	static const struct command_line line = {
		.name = "filesystems",
		.print_help = print_help,
		.letters = TABLE_LETTERS REPEAT_LETTERS "a",
		.names = names,
		.take_option = take_option,
		.check = check,
		.run = run,
	};
	struct options options = { .seconds = ASK_SECONDS };

	table_options_init(&options.table, &fs_columns);
	return command_line_run(&line, argc, argv, &options.common, &options);
}
