// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "command.h"
#include "frame/command_line.h"
#include "frame/exit_code.h"
#include "frame/table_options.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "measure/provenance.h"
#include "sources/source_rows.h"
#include "table/cell.h"
#include "table/table.h"

struct options {
	struct common_options common;
	struct table_options table;
};

static const struct option_row option_rows[] = {
	ROW_GROUP(struct options, table, table_options),
	ROW_GROUP(struct options, common, json_option),
	ROW_REFUSED('\0', "source", "NAME", "this command tries all of them"),
	ROW_GROUP(struct options, common, tree_options),
	ROW_GROUP(struct options, common, timeout_option),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

static void init(void *data)
{
	struct options *options = data;

	table_options_init(&options->table, &source_columns);
}

static int check(void *data, struct error *err)
{
	const struct options *options = data;

	return table_options_check(&options->table, options->common.json, err);
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
					  sizeof(*rows->rows), NULL };
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
	if (!ret)
		column_sort(rows.rows, rows.count, sizeof(*rows.rows),
			    &options->table.order);
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

const struct command_line command_sources = {
	.name = "sources",
	.brief = "what can measure this host, and what cannot",
	.rows = option_rows,
	.about =
		"What can measure this host, what cannot, and what would help. "
		"cachestat opens\n"
		"every block device, so it is tried only if no other source "
		"can measure\n"
		"everything.\n",
	.columns = &source_columns,
	.exit_status =
		"Exit status: 0 a source measures everything, 1 failure, 2 no "
		"usable source,\n"
		"3 the usable sources measure only a part.\n",
	.options_size = sizeof(struct options),
	.init = init,
	.check = check,
	.run = run,
};
