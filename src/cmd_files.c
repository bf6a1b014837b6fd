// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <bufstat/filesystems.h>

#include "ask.h"
#include "ask_options.h"
#include "cleanup.h"
#include "command.h"
#include "command_line.h"
#include "error.h"
#include "file_columns.h"
#include "interval.h"
#include "json_out.h"
#include "measured_files.h"
#include "number.h"
#include "provenance.h"
#include "sysroot.h"
#include "table_json.h"
#include "table_options.h"

enum { OPTION_TIMEOUT = COMMAND_OPTION };

#define DEFAULT_LIMIT 20

struct options {
	struct common_options common;
	struct table_options table;
	size_t limit;
	double seconds;
};

static const struct option names[] = {
	{ "number", required_argument, NULL, 'N' },
	TABLE_NAMES,
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ 0 },
};

static void print_help(void)
{
	fputs("Usage: bufstat files [options] [PATH...]\n"
	      "\n"
	      "The files with most pages in the page cache: of the host, or of "
	      "the filesystems\n"
	      "on which the paths are. Needs the module.\n"
	      "\n"
	      " -N, --number N        list N files (20)\n",
	      stdout);
	table_options_print_help();
	ask_options_print_help();
	command_line_print_common();
	column_print_help(&file_columns);
	fputs("\n"
	      "Exit status: 0 all measured, 1 failure, 2 the module cannot be "
	      "used,\n"
	      "3 measured in part (a filesystem did not answer).\n",
	      stdout);
}

static int set_limit(struct options *options, const char *text,
		     struct error *err)
{
	uint64_t limit;

	if (!number_parse(text, BUFSTAT_FILES_MAX, &limit) || !limit)
		return error_set(err, EINVAL,
				 "reading options: -N: %s: not a number of "
				 "files from 1 to %d",
				 text, BUFSTAT_FILES_MAX);
	options->limit = (size_t)limit;
	return 0;
}

static int take_option(void *data, int option, struct error *err)
{
	struct options *options = data;

	if (option == 'N')
		return set_limit(options, optarg, err);
	if (option == OPTION_TIMEOUT)
		return ask_options_timeout(&options->seconds, optarg, err);
	return table_options_take(&options->table, option, err);
}

static int check(void *data, struct error *err)
{
	const struct options *options = data;

	return ask_options_check(&options->common, &options->table, err);
}

static bool is_whole(const struct cached_files *files)
{
	return !files->silent && !files->refused;
}

static void print_json(const struct options *options,
		       const struct provenance *provenance,
		       const struct cached_files *files,
		       const struct file_row *rows)
{
	struct json_out json;

	json_out_init(&json, stdout);
	json_out_object(&json, NULL);
	provenance_write(&json, provenance, "module", is_whole(files));
	json_out_unsigned(&json, "page_size_bytes", files->page_size);
	json_out_unsigned(&json, "filesystems_cached_bytes",
			  files->pages * files->page_size);
	json_out_array(&json, "files");
	for (size_t i = 0; i < files->count; i++)
		table_json_write_row(&json, &options->table.columns, &rows[i]);
	json_out_array_end(&json);
	json_out_object_end(&json);
	json_out_finish(&json);
}

static int print_rows(const struct options *options, const struct sysroot *root,
		      const struct cached_files *files,
		      const struct file_row *rows)
{
	const struct table_style style = table_options_style(&options->table);
	const struct table_rows table = {
		.rows = rows,
		.count = files->count,
		.size = sizeof(*rows),
	};
	struct provenance provenance;
	int ret = 0;

	if (!options->common.json)
		return table_print(stdout, &table, &options->table.columns,
				   &style);
	ret = provenance_init(&provenance, root);
	if (!ret)
		print_json(options, &provenance, files, rows);
	provenance_deinit(&provenance);
	return ret;
}

static int print(const struct options *options, const struct sysroot *root,
		 const struct cached_files *files, struct error *err)
{
	_cleanup_(freep) struct file_row *rows =
		calloc(files->count + 1, sizeof(*rows));
	int ret = rows ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < files->count; i++)
		rows[i] = (struct file_row){
			.file = &files->files[i],
			.page_size = files->page_size,
		};
	if (!ret && options->table.sort)
		column_sort(rows, files->count, sizeof(*rows),
			    options->table.sort);
	if (!ret)
		ret = print_rows(options, root, files, rows);
	return ret < 0 ? error_errno(err, -ret, "printing", "the files") : 0;
}

static void print_why(const struct cached_files *files)
{
	struct error err;

	for (size_t i = 0; i < files->why.count; i++) {
		error_set(&err, ENODATA, "measuring: %s",
			  files->why.strings[i]);
		error_print(&err);
	}
}

static int run(void *data, const struct sysroot *root)
{
	_cleanup_(cached_files_deinit) struct cached_files files = { 0 };
	const struct options *options = data;
	const struct files_question question = {
		.paths = options->common.operands,
		.path_count = options->common.operand_count,
		.limit = options->limit,
		.seconds = options->seconds,
	};
	struct error err;
	int ret = cached_files_init(&files, root, &question, &err);

	if (!ret && cached_files_find_users(&files, root) < 0)
		ret = error_errno(&err, ENOMEM, "looking for", "the users");
	if (!ret)
		ret = print(options, root, &files, &err);
	if (ret < 0) {
		error_print(&err);
		return ret == -EOPNOTSUPP ? EXIT_NO_SOURCE : EXIT_FAILED;
	}
	print_why(&files);
	return is_whole(&files) ? EXIT_OK : EXIT_PARTIAL;
}

int cmd_files(int argc, char **argv)
{
	static const struct command_line line = {
		.name = "files",
		.print_help = print_help,
		.letters = TABLE_LETTERS "N:",
		.names = names,
		.take_option = take_option,
		.check = check,
		.takes_operands = true,
		.run = run,
	};
	struct options options = {
		.limit = DEFAULT_LIMIT,
		.seconds = ASK_SECONDS,
	};

	table_options_init(&options.table, &file_columns);
	return command_line_run(&line, argc, argv, &options.common, &options);
}
