// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "cli/command_line.h"
#include "cli/interval.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "measure/provenance.h"
#include "memory/zone_rows.h"
#include "table/table.h"

struct options {
	struct common_options common;
	struct table_options table;
	struct interval interval;
};

static const struct option_row option_rows[] = {
	ROW_GROUP(struct options, table.style.unit, size_options),
	ROW_GROUP(struct options, table, table_options),
	ROW_GROUP(struct options, interval, interval_options),
	ROW_GROUP(struct options, common, json_option),
	ROW_GROUP(struct options, common, json_lines_option),
	ROW_REFUSED('\0', "source", "NAME", "the kernel itself counts these"),
	ROW_GROUP(struct options, common, tree_options),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

/* The data of take_sample(). */
struct sampling {
	const struct options *options;
	const struct sysroot *root;
};

/* Returns 0, or ERROR_PARTIAL with @err set where a count cannot be right. */
static int check(const struct zone_rows *rows, struct error *err)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (rows->rows[i].zone && !zone_is_sound(rows->rows[i].zone))
			return error_doing(
				err, ERROR_PARTIAL, "reading",
				rows->rows[i].name,
				"nr_free_cma cannot be more than pages free");
	}
	if (rows->missing_bytes)
		return error_doing(err, ERROR_PARTIAL, "reading",
				   "/proc/zoneinfo",
				   "%s that /proc/vmstat counts is in no "
				   "zone: lines are missing",
				   SIZE(rows->missing_bytes));
	return 0;
}

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ROWS("zones", &zone_columns),
	  .about = "NUMA nodes, each before its zones" },
};

static const struct fields zone_document =
	FIELDS(struct document, document_list);

static int print(struct zone_rows *rows, const struct options *options,
		 const struct sysroot *root)
{
	struct column_choice columns = options->table.columns;
	const struct document document = {
		.head = { .source = "zoneinfo",
			  .is_whole = !check(rows, NULL) },
		.root = root,
		.rows = {
			.rows = rows->rows,
			.count = rows->count,
			.size = sizeof(*rows->rows),
			.parents = rows->parents,
		},
		.columns = &columns,
	};

	for (size_t i = 0; !options->table.columns_chosen && i < rows->count;
	     i++) {
		/* It tells why a zone is short with much of it free. */
		if (rows->rows[i].figures.cma_pages > 0)
			column_choice_parse(&columns, &zone_columns, "+CMA",
					    NULL);
	}
	column_sort(rows->rows, rows->count, sizeof(*rows->rows),
		    &options->table.order);
	return command_print_rows(&command_zones, options, &document);
}

static int take_sample(void *data)
{
	_cleanup_(zone_rows_deinit) struct zone_rows rows = { 0 };
	const struct sampling *sampling = data;
	const struct options *options = sampling->options;
	bool is_list = options->table.order.column || options->common.json ||
		       options->table.style.format != TABLE_PLAIN;
	struct error err;
	int ret = zone_rows_init(&rows, sampling->root, is_list, &err);

	interval_hold_interrupt();
	if (!ret)
		ret = table_error(&err, print(&rows, options, sampling->root),
				  "the zones");
	if (!ret)
		ret = check(&rows, &err);
	if (ret < 0)
		return exit_printing(&err);
	return EXIT_OK;
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	struct sampling sampling = { .options = options, .root = root };

	return interval_run(&options->interval, NULL, !options->common.json,
			    take_sample, &sampling);
}

const struct command_line command_zones = {
	.name = "zones",
	.brief = "what is free in each NUMA node and zone",
	.rows = option_rows,
	.about = "What is free in each NUMA node and zone, and how far that is "
		 "from the\n"
		 "watermarks at which the kernel reclaims.\n",
	.columns = &zone_columns,
	.table_at = offsetof(struct options, table),
	.document = &zone_document,
	.exit_status =
		"Exit status: 0 all read, 1 failure, 2 not known in this "
		"captured tree,\n3 counts that contradict each other.\n",
	.options_size = sizeof(struct options),
	.run = run,
};
