// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "blocks/block_rows.h"
#include "blocks/block_text.h"
#include "blocks/device_blocks.h"
#include "cli/command_line.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "filesystems/selection.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "table/table.h"

struct options {
	struct common_options common;
	struct table_options table;
	bool runs;
};

static const struct option_row option_rows[] = {
	ROW_FLAG('\0', "runs", struct options, runs,
		 "each run of cached blocks of one kind; with -J, also the "
		 "rest"),
	ROW_GROUP(struct options, table.style.unit, size_options),
	ROW_GROUP(struct options, table, table_options),
	ROW_GROUP(struct options, common, json_option),
	ROW_REFUSED('\0', "source", "NAME",
		    "only the kernel's memory tells, through /proc/kcore"),
	ROW_TEXT('\0', "vmcore", struct options, common.vmcore, "FILE",
		 WORDS_FILES, "the cache of the kernel in a dump"),
	ROW_GROUP(struct options, common, timeout_option),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

static int check(void *data, struct error *err)
{
	const struct options *options = data;

	if (options->common.operand_count != 1)
		return error_advise(err, EINVAL, "reading options", NULL,
				    "name one device, or a mount point",
				    options->common.operand_count ?
					    "more than one device is given" :
					    "no device is given");
	return 0;
}

static int take_runs(struct block_answer *answer)
{
	size_t which = 0, capacity = 0;
	struct blocks_run run;

	answer->has_runs = true;
	while (blocks_next_run(&answer->device->cached.cache, &which, &run)) {
		if (array_make_room(&answer->runs, answer->run_count,
				    &capacity) < 0)
			return -ENOMEM;
		answer->runs[answer->run_count++] = run;
	}
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

static int print_rows(const struct block_answer *answer,
		      const struct block_rows *rows,
		      const struct options *options, const struct sysroot *root)
{
	const struct device_blocks *device = answer->device;
	const struct table_style style = table_options_style(&options->table);
	/* Scripts get rows alone. */
	bool for_people = !options->common.json &&
			  style.format == TABLE_PLAIN && !style.no_headings;
	const struct document document = {
		.head = { .source = device->is_dump ? "vmcore" : "kcore",
			  .is_whole = !*device->blocks.why &&
				      blocks_are_whole(&device->blocks) },
		.root = root,
		.kernel = device->release,
		.answer = answer,
		.rows = TABLE_ROWS(rows->rows, rows->count),
	};
	int ret = 0;

	if (answer->has_runs && !options->common.json)
		return print_runs(answer, &style);
	if (for_people)
		ret = block_sentence_print(stdout, device, &style) ?:
			      block_strip_print(stdout, device, rows, &style);
	if (!ret)
		ret = command_print_rows(&command_blocks, options, &document);
	return ret || !for_people ? ret : print_owners(device, &style);
}

static int print(const struct device_blocks *device,
		 const struct options *options, const struct sysroot *root,
		 struct error *err)
{
	struct block_answer answer = { .device = device };
	struct block_rows rows;
	int ret = options->runs ? take_runs(&answer) : 0;

	block_rows_init(&rows, device, &options->table.order);
	if (!ret)
		ret = print_rows(&answer, &rows, options, root);
	free(answer.runs);
	return table_error(err, ret, "the blocks");
}

/* Returns whether anything is missing. */
static bool print_missing(const struct device_blocks *device)
{
	const struct blocks *blocks = &device->blocks;
	uint64_t left_out = device->cached.list.left_out;
	uint64_t late =
		blocks->bytes[BLOCK_UNSEEN] / device->page_size - left_out;
	bool is_unknown = device->is_unasked && device->pages &&
			  !device->identity.fstype;
	struct error err;

	if (*blocks->why) {
		error_doing(&err, ERROR_PARTIAL, "telling blocks apart",
			    device->name, "%s", blocks->why);
		error_print(&err);
	}
	if (left_out) {
		error_doing(&err, ERROR_PARTIAL, "listing cached pages",
			    device->name,
			    "%ju of %ju are in parts of the device that were "
			    "left out: there are too many",
			    (uintmax_t)left_out, (uintmax_t)device->pages);
		error_print(&err);
	}
	if (late) {
		error_advise(&err, ERROR_PARTIAL, "looking at cached pages",
			     device->name, "--timeout 60 looks at more",
			     "%ju of %ju were looked at in time",
			     (uintmax_t)(device->pages - left_out - late),
			     (uintmax_t)device->pages);
		error_print(&err);
	}
	if (blocks->owners.read_blocks != blocks->owners.table_blocks) {
		error_advise(&err, ERROR_PARTIAL, "reading cached inodes",
			     device->name, "--timeout 60 reads more",
			     "%ju of %ju blocks of inode tables "
			     "were read in time, so more blocks "
			     "have an owner than shown",
			     (uintmax_t)blocks->owners.read_blocks,
			     (uintmax_t)blocks->owners.table_blocks);
		error_print(&err);
	}
	/* What is known without libblkid is enough. */
	if (is_unknown) {
		err = device->unasked;
		error_within(&err, 0, "telling what is on it", device->name);
		error_print(&err);
	}
	return is_unknown || *blocks->why || !blocks_are_whole(blocks);
}

static int measure_and_print(void *data, struct selection *selection,
			     const struct sysroot *root)
{
	const struct options *options = data;
	_cleanup_(device_blocks_deinit) struct device_blocks device = { 0 };
	struct error err;
	int ret = device_blocks_read(&device, root, options->common.vmcore,
				     selection, &err);
	bool found = ret > 0;

	if (found)
		ret = print(&device, options, root, &err);
	if (ret < 0)
		return exit_printing(&err);
	command_print_vain(selection);
	return found && print_missing(&device) ? EXIT_PARTIAL : EXIT_OK;
}

static int run(void *data, const struct sysroot *root)
{
	return command_run_selected(SELECTS_DEVICES, root, data,
				    measure_and_print, data);
}

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
	.table_at = offsetof(struct options, table),
	.document = &block_document,
	.exit_status =
		"Exit status: 0 all told, 1 failure, 2 /proc/kcore cannot be "
		"used, 3 told in part.\n",
	.options_size = sizeof(struct options),
	.check = check,
	.run = run,
};
