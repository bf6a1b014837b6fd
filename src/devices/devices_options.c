// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "devices_options.h"
#include "error.h"

enum { OPTION_VMCORE = REPEAT_OPTIONS_END };

const char devices_letters[] = TABLE_LETTERS REPEAT_LETTERS "a";

const struct option devices_names[] = {
	TABLE_NAMES,
	REPEAT_NAMES,
	{ "all", no_argument, NULL, 'a' },
	{ "vmcore", required_argument, NULL, OPTION_VMCORE },
	{ 0 },
};

void devices_print_help(void)
{
	fputs("Usage: bufstat devices [options]\n"
	      "\n"
	      "Which block devices the page cache behind Buffers belongs to.\n"
	      "\n"
	      " -a, --all             also devices without pages\n",
	      stdout);
	table_options_print_help();
	repeat_options_print_help();
	fputs("     --vmcore FILE     the devices of the kernel in a dump\n",
	      stdout);
	command_line_print_common();
	column_print_help(&device_columns);
	fputs("\n"
	      "Exit status: 0 all measured, 1 failure, 2 no usable source,\n"
	      "3 measured in part (a device or a source refused).\n",
	      stdout);
}

int devices_check_options(void *data, struct error *err)
{
	const struct devices_options *options = data;

	if (options->vmcore &&
	    (options->common.source || options->common.sysroot ||
	     options->repeat.interval.repeats))
		return error_set(err, EINVAL,
				 "reading options: --vmcore: a dump has one "
				 "source and one instant: not with --source, "
				 "--sysroot, --capture, -s or -c");
	return table_options_check(&options->table, options->common.json, err);
}

int devices_take_option(void *data, int option, struct error *err)
{
	struct devices_options *options = data;

	switch (option) {
	case 'a':
		options->all = true;
		return 0;
	case OPTION_VMCORE:
		options->vmcore = optarg;
		return 0;
	default:
		if (table_options_take(&options->table, option, err) < 0)
			return -EINVAL;
		return repeat_options_take(&options->repeat, option, err);
	}
}

void devices_options_init(struct devices_options *options)
{
	*options = (struct devices_options){ 0 };
	table_options_init(&options->table, &device_columns);
}
