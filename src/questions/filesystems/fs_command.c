// SPDX-License-Identifier: GPL-2.0-or-later
#include "filesystems/fs_json.h"
#include "filesystems/fs_target.h"
#include "question/question_command.h"

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

static const struct question_command asks = {
	.question = &fs_question,
	.selects = SELECTS_FILESYSTEMS,
};

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
	.asks = &asks,
	.document = &fs_document,
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source,\n"
		"3 measured in part (a filesystem did not answer).\n",
	.reads_recording = RECORDED_FILESYSTEMS,
	.options_size = sizeof(struct question_options),
	.check = check,
};
