// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroups/charge_rows.h"
#include "cli/exit_code.h"
#include "commands/cmd_who.h"
#include "commands/command.h"
#include "filesystems/selection.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "table/table.h"
#include "who/who_now.h"
#include "who/who_report.h"

/* Prints the rows of what is cached now. Returns the exit code. */
static int print(const struct who_options *options, const struct sysroot *root,
		 const struct charges *charges)
{
	_cleanup_(who_rows_deinit) struct who_rows rows = { 0 };
	const struct who_report how = {
		.common = &options->common,
		.table = &options->table,
		.root = root,
	};
	struct error err;
	size_t at = 0;
	int ret = who_now_init(&rows, charges);

	if (!ret) {
		who_rows_arrange(&rows, &options->table.order,
				 options->table.top);
		ret = who_report_print_now(&how, &rows, charges);
	}
	if (ret < 0) {
		table_error(&err, ret, "the table");
		return exit_printing(&err);
	}
	while (charges_missing(charges, &at, &err))
		error_print(&err);
	return charges_are_whole(charges) ? EXIT_OK : EXIT_PARTIAL;
}

int who_now_run(const struct who_options *options, const struct sysroot *root,
		struct selection *selection)
{
	_cleanup_(charges_deinit) struct charges charges = { 0 };
	struct error err;
	int code;

	if (charges_read(&charges, root, charge_is_selected, selection, &err) <
	    0)
		return exit_printing(&err);
	code = print(options, root, &charges);
	command_print_vain(selection);
	return selection_code(selection, code);
}
