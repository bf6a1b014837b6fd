// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "command_line.h"
#include "error.h"
#include "exit_code.h"
#include "json_out.h"
#include "provenance.h"
#include "source_rows.h"
#include "table.h"
#include "table_json.h"
#include "terminal.h"

struct options {
	struct common_options common;
	struct table_style style;
	struct column_choice columns;
	const struct column *sort;
	bool columns_chosen;
};

static void print_help(void)
{
	fputs("Usage: bufstat sources [options]\n"
	      "\n"
	      "What can measure this host, what cannot, and what would help. "
	      "Each source\n"
	      "is tried: cachestat opens every block device, read-only.\n"
	      "\n"
	      " -n, --noheadings      no headings\n"
	      " -o, --output LIST     these columns; +LIST adds to the usual\n"
	      " -O, --output-all      all columns\n"
	      " -P, --pairs           KEY=\"value\" pairs\n"
	      " -r, --raw             fields with one space between them\n"
	      " -x, --sort COLUMN     sort ascending\n",
	      stdout);
	command_line_print_common();
	column_print_help(&source_columns);
	fputs("\n"
	      "Exit status: 0 a source measures everything, 1 failure, 2 no "
	      "usable source,\n"
	      "3 those there are measure in part.\n",
	      stdout);
}

static int set_format(struct options *options, enum table_format format,
		      struct error *err)
{
	enum table_format *place = &options->style.format;

	if (*place != TABLE_PLAIN && *place != format)
		return error_set(err, EINVAL,
				 "reading options: -J, -P and -r: use one of "
				 "them");
	*place = format;
	return 0;
}

static int take_option(void *data, int option, struct error *err)
{
	struct options *options = data;

	switch (option) {
	case 'n':
		options->style.no_headings = true;
		return 0;
	case 'o':
		options->columns_chosen = true;
		return column_choice_parse(&options->columns, &source_columns,
					   optarg, err);
	case 'O':
		options->columns_chosen = true;
		column_choice_all(&options->columns, &source_columns);
		return 0;
	case 'P':
		return set_format(options, TABLE_PAIRS, err);
	case 'r':
		return set_format(options, TABLE_RAW, err);
	case 'x':
		options->sort = column_find(&source_columns, optarg,
					    strlen(optarg), err);
		return options->sort ? 0 : -EINVAL;
	}
	return 0;
}

static int check_options(void *data, struct error *err)
{
	const struct options *options = data;

	if (options->common.json && options->style.format != TABLE_PLAIN)
		return error_set(err, EINVAL,
				 "reading options: -J, -P and -r: use one of "
				 "them");
	if (options->common.source)
		return error_set(err, EINVAL,
				 "reading options: --source: all of them are "
				 "tried here");
	return 0;
}

static int print_json(const struct source_rows *rows,
		      const struct options *options, const struct sysroot *root)
{
	const struct source_row *best = source_rows_best(rows);
	struct provenance provenance;
	struct json_out json;
	int ret = provenance_init(&provenance, root);

	if (ret < 0)
		return ret;
	json_out_init(&json, stdout);
	json_out_object(&json, NULL);
	provenance_write(&json, &provenance, best ? best->name : NULL,
			 best && best->usable == SOURCE_USABLE);
	json_out_array(&json, "sources");
	for (size_t i = 0; i < rows->count; i++)
		table_json_write_row(&json, &options->columns, &rows->rows[i]);
	json_out_array_end(&json);
	json_out_object_end(&json);
	json_out_finish(&json);
	provenance_deinit(&provenance);
	return 0;
}

static int print(struct source_rows *rows, const struct options *options,
		 const struct sysroot *root)
{
	const struct table_rows table = { rows->rows, rows->count,
					  sizeof(*rows->rows) };
	struct table_style style = options->style;

	if (options->common.json)
		return print_json(rows, options, root);
	if (!options->columns_chosen)
		style.terminal_width = terminal_width(stdout);
	return table_print(stdout, &table, &options->columns, &style);
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	const struct source_row *best;
	struct source_rows rows;
	struct error err;
	int code = EXIT_NO_SOURCE, ret = source_rows_init(&rows, root);

	best = source_rows_best(&rows);
	if (best)
		code = best->usable == SOURCE_USABLE ? EXIT_OK : EXIT_PARTIAL;
	if (!ret && options->sort)
		column_sort(rows.rows, rows.count, sizeof(*rows.rows),
			    options->sort);
	if (!ret)
		ret = print(&rows, options, root);
	if (ret < 0) {
		error_errno(&err, -ret, "printing", "the sources");
		error_print(&err);
		code = EXIT_FAILED;
	}
	source_rows_deinit(&rows);
	return code;
}

int cmd_sources(int argc, char **argv)
{
	static const struct option names[] = {
		{ "noheadings", no_argument, NULL, 'n' },
		{ "output", required_argument, NULL, 'o' },
		{ "output-all", no_argument, NULL, 'O' },
		{ "pairs", no_argument, NULL, 'P' },
		{ "raw", no_argument, NULL, 'r' },
		{ "sort", required_argument, NULL, 'x' },
		{ 0 },
	};
	static const struct command_line line = {
		.name = "sources",
		.print_help = print_help,
		.letters = "no:OPrx:",
		.names = names,
		.take_option = take_option,
		.check = check_options,
		.run = run,
	};
	struct options options = { 0 };

	column_choice_default(&options.columns, &source_columns);
	return command_line_run(&line, argc, argv, &options.common, &options);
}
