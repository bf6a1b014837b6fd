// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "cgroups/charge_rows.h"
#include "cgroups/charges.h"
#include "cli/command_line.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "filesystems/selection.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "table/table.h"

struct options {
	struct common_options common;
	struct table_options table;
};

static const struct option_row option_rows[] = {
	ROW_GROUP(struct options, table.style.unit, size_options),
	ROW_GROUP(struct options, table, table_options),
	ROW_GROUP(struct options, common, json_option),
	ROW_REFUSED('\0', "source", "NAME",
		    "only the kernel's memory tells, through /proc/kcore"),
	ROW_TEXT('\0', "vmcore", struct options, common.vmcore, "FILE",
		 WORDS_FILES, "the caches of the kernel in a dump"),
	ROW_GROUP(struct options, common, timeout_option),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

static int check(void *data, struct error *err)
{
	const struct options *options = data;

	if (!options->common.operand_count)
		return error_advise(err, EINVAL, "reading options", NULL,
				    "name a device, a mount point or any path",
				    "no device or filesystem is given");
	return 0;
}

static int print(const struct charges *charges, const struct options *options,
		 const struct sysroot *root, struct error *err)
{
	_cleanup_(charge_rows_deinit) struct charge_rows rows = { 0 };
	int ret = charge_rows_init(&rows, charges, &options->table.order,
				   options->common.json);
	const struct document document = {
		.head = { .source = charges->is_dump ? "vmcore" : "kcore",
			  .is_whole = charges_are_whole(charges) },
		.root = root,
		.kernel = charges->release,
		.answer = charges,
		.rows = TABLE_ROWS(rows.rows, rows.count),
	};

	if (!ret)
		ret = command_print_rows(&command_charges, options, &document);
	return table_error(err, ret, "the table");
}

static int measure_and_print(const void *data, struct selection *selection,
			     const struct sysroot *root)
{
	const struct options *options = data;
	_cleanup_(charges_deinit) struct charges charges = { 0 };
	struct error err;
	size_t at = 0;
	int ret = charges_read(&charges, root, options->common.vmcore,
			       selection, &err);

	if (!ret && charges.cache_count)
		ret = print(&charges, options, root, &err);
	if (ret < 0)
		return exit_printing(&err);
	while (charges_missing(&charges, &at, &err))
		error_print(&err);
	command_print_vain(selection);
	return charges_are_whole(&charges) ? EXIT_OK : EXIT_PARTIAL;
}

static int run(void *data, const struct sysroot *root)
{
	return command_run_selected(SELECTS_CACHES, root, data,
				    measure_and_print);
}

const struct command_line command_charges = {
	.name = "charges",
	.brief = "which cgroups the cache of a device is charged to",
	.rows = option_rows,
	.operands = "DEVICE|PATH...",
	.words = WORDS_DEVICES_AND_FILES,
	.about =
		"The cgroups that the cached pages of the given devices and "
		"filesystems are\n"
		"charged to. A page is charged to the cgroup that read or wrote "
		"it first. Needs\n"
		"/proc/kcore, and looks at every page of these caches and no "
		"others.\n",
	.columns = &charge_columns,
	.table_at = offsetof(struct options, table),
	.document = &charge_document,
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 /proc/kcore cannot "
		"be used, 3 measured\n"
		"in part.\n",
	.options_size = sizeof(struct options),
	.check = check,
	.run = run,
};
