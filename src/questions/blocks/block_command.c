// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "blocks/block_rows.h"
#include "blocks/block_text.h"
#include "lib/error.h"
#include "question/question_command.h"
#include "table/table.h"

static const struct option_row option_rows[] = {
	ROW_FLAG('\0', "runs", struct question_options, in_parts,
		 "each run of cached blocks of one kind; with -J, also the "
		 "rest"),
	ROW_GROUP(struct question_options, table.style.unit, size_options),
	ROW_GROUP(struct question_options, table, table_options),
	ROW_GROUP(struct question_options, common, json_option),
	ROW_REFUSED('\0', "source", "NAME",
		    "only the kernel's memory tells, through /proc/kcore"),
	ROW_TEXT('\0', "vmcore", struct question_options, common.vmcore, "FILE",
		 WORDS_FILES, "the cache of the kernel in a dump"),
	ROW_GROUP(struct question_options, common, timeout_option),
	ROW_GROUP(struct question_options, common, help_options),
	{ 0 },
};

static int check(void *data, struct error *err)
{
	const struct question_options *options = data;

	if (options->common.operand_count != 1)
		return error_advise(err, EINVAL, "reading options", NULL,
				    "name one device, or a mount point",
				    options->common.operand_count ?
					    "more than one device is given" :
					    "no device is given");
	return 0;
}

static int print_runs(const struct block_answer *answer,
		      const struct table_style *style)
{
	const struct table_rows table =
		TABLE_ROWS(answer->runs, answer->run_count);
	struct column_choice choice;

	column_choice_all(&choice, &block_run_columns);
	return table_print(stdout, &table, &choice, style);
}

static int print_owners(const struct device_blocks *device,
			const struct table_style *style)
{
	const struct table_rows table = TABLE_ROWS(device->blocks.owners.list,
						   device->blocks.owners.count);
	struct column_choice choice;

	if (!table.count)
		return 0;
	putchar('\n');
	column_choice_all(&choice, &block_owner_columns);
	return table_print(stdout, &table, &choice, style);
}

/* The kinds and, for people, what is said of them and whose the blocks are. */
static int print_kinds(const struct block_answer *answer,
		       const struct column_choice *columns,
		       const struct table_style *style)
{
	const struct table_rows kinds = rows_of_table(&answer->head.rows);
	bool for_people = style->format == TABLE_PLAIN && !style->no_headings;
	int ret = 0;

	if (for_people)
		ret = block_sentence_print(stdout, &answer->device, style) ?:
			      block_strip_print(stdout, answer, style);
	if (!ret)
		ret = table_print(stdout, &kinds, columns, style);
	return ret || !for_people ? ret : print_owners(&answer->device, style);
}

static int print_tables(const void *data, const struct column_choice *columns,
			const struct table_style *style)
{
	const struct block_answer *answer = data;

	return answer->has_runs ? print_runs(answer, style) :
				  print_kinds(answer, columns, style);
}

static const struct question_command asks = {
	.question = &block_question,
	.selects = SELECTS_DEVICES,
	.print = print_tables,
};

const struct command_line command_blocks = {
	.name = "blocks",
	.brief = "what kind of blocks fill the cache of a device",
	.rows = option_rows,
	.operands = "DEVICE|MOUNT",
	.words = WORDS_DEVICES_AND_FILES,
	.about =
		"What is cached of a device: inode tables, directories, the "
		"journal, file data,\n"
		"free blocks and so on, with the inodes that have most "
		"of it. Reads what is\n"
		"cached through /proc/kcore, and never the device. Knows ext2, "
		"ext3 and ext4;\n"
		"of XFS, btrfs and swap it knows superblocks and the log.\n",
	.columns = &block_columns,
	.table_at = offsetof(struct question_options, table),
	.asks = &asks,
	.document = &block_document,
	.exit_status =
		"Exit status: 0 all told, 1 failure, 2 /proc/kcore cannot be "
		"used, 3 told in part.\n",
	.options_size = sizeof(struct question_options),
	.check = check,
};
