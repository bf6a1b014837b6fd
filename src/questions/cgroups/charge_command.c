// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "cgroups/charge_rows.h"
#include "lib/error.h"
#include "question/question_command.h"

static const struct option_row option_rows[] = {
	ROW_GROUP(struct question_options, table.style.unit, size_options),
	ROW_GROUP(struct question_options, table, table_options),
	ROW_GROUP(struct question_options, repeat.interval, interval_options),
	ROW_GROUP(struct question_options, common, json_option),
	ROW_GROUP(struct question_options, common, json_lines_option),
	ROW_REFUSED('\0', "source", "NAME",
		    "only the kernel's memory tells, through /proc/kcore"),
	ROW_TEXT('\0', "vmcore", struct question_options, common.vmcore, "FILE",
		 WORDS_FILES, "the caches of the kernel in a dump"),
	ROW_GROUP(struct question_options, common, timeout_option),
	ROW_GROUP(struct question_options, common, help_options),
	{ 0 },
};

static int check(void *data, struct error *err)
{
	const struct question_options *options = data;

	if (!options->common.operand_count)
		return error_advise(err, EINVAL, "reading options", NULL,
				    "name a device, a mount point or any path",
				    "no device or filesystem is given");
	return repeat_check(&options->repeat, &options->common, err);
}

static const struct question_command asks = {
	.question = &charge_question,
	.selects = SELECTS_CACHES,
};

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
	.table_at = offsetof(struct question_options, table),
	.asks = &asks,
	.document = &charge_document,
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 /proc/kcore cannot "
		"be used, 3 measured\n"
		"in part.\n",
	.options_size = sizeof(struct question_options),
	.check = check,
};
