// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands/command_past.h"
#include "commands/command_question.h"
#include "filesystems/fs_json.h"
#include "filesystems/fs_target.h"
#include "store/format.h"

static const struct option_row option_rows[] = {
	ROW_FLAG('a', "all", struct question_options, all,
		 "also filesystems without pages or, with -s, unchanged"),
	ROW_GROUP(struct question_options, table.style.unit, size_options),
	ROW_GROUP(struct question_options, table, table_options),
	ROW_GROUP(struct question_options, table, top_option),
	ROW_GROUP(struct question_options, repeat, repeat_options),
	ROW_TEXT('\0', "vmcore", struct question_options, common.vmcore, "FILE",
		 WORDS_FILES, "the filesystems of the kernel in a dump"),
	ROW_GROUP(struct question_options, common, past_options),
	ROW_GROUP(struct question_options, common, json_lines_option),
	ROW_GROUP(struct question_options, common, tree_options),
	ROW_GROUP(struct question_options, common, ask_options),
	{ 0 },
};

static int check(void *data, struct error *err)
{
	const struct question_options *options = data;

	return repeat_check(&options->repeat, &options->common, err);
}

static int run(void *options, const struct sysroot *root)
{
	static const struct command_question asks = {
		.line = &command_filesystems,
		.question = &fs_question,
		.selects = true,
		.selection = SELECTS_FILESYSTEMS,
	};

	return command_ask(&asks, options, root);
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
	.table_at = offsetof(struct question_options, table),
	.document = &fs_document,
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source,\n"
		"3 measured in part (a filesystem did not answer).\n",
	.reads_recording = STORE_FILESYSTEMS,
	.run_at = run_on_pasts,
	.options_size = sizeof(struct question_options),
	.check = check,
	.run = run,
};
