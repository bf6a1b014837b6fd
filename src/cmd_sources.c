// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include "command.h"
#include "command_line.h"
#include "error.h"
#include "exit_code.h"
#include "json_out.h"
#include "provenance.h"
#include "source_rows.h"
#include "table.h"
#include "table_json.h"
#include "table_options.h"

struct options {
	struct common_options common;
	struct table_options table;
};

static const struct option names[] = {
	TABLE_NAMES_NO_SIZES,
	{ 0 },
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

static int take_option(void *data, int option, struct error *err)
{
	struct options *options = data;

	return table_options_take(&options->table, option, err);
}

static int check_options(void *data, struct error *err)
{
	const struct options *options = data;
	int ret =
		table_options_check(&options->table, options->common.json, err);

	if (ret < 0)
		return ret;
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
		table_json_write_row(&json, &options->table.columns,
				     &rows->rows[i]);
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
	const struct table_style style = table_options_style(&options->table);

	if (options->common.json)
		return print_json(rows, options, root);
	return table_print(stdout, &table, &options->table.columns, &style);
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
	if (!ret && options->table.sort)
		column_sort(rows.rows, rows.count, sizeof(*rows.rows),
			    options->table.sort);
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
	static const struct command_line line = {
		.name = "sources",
		.print_help = print_help,
		.letters = TABLE_LETTERS_NO_SIZES,
		.names = names,
		.take_option = take_option,
		.check = check_options,
		.run = run,
	};
	struct options options = { 0 };

	table_options_init(&options.table, &source_columns);
	return command_line_run(&line, argc, argv, &options.common, &options);
}
