// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "devices_options.h"
#include "error.h"
#include "interval.h"

enum { OPTION_SINCE = COMMAND_OPTION, OPTION_SAVE, OPTION_VMCORE };

const char devices_letters[] = TABLE_LETTERS "ac:s:";

const struct option devices_names[] = {
	TABLE_NAMES,
	{ "all", no_argument, NULL, 'a' },
	{ "seconds", required_argument, NULL, 's' },
	{ "count", required_argument, NULL, 'c' },
	{ "since", required_argument, NULL, OPTION_SINCE },
	{ "save", required_argument, NULL, OPTION_SAVE },
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
	fputs(" -s, --seconds N       again every N seconds, with what changed\n"
	      " -c, --count N         stop after N times\n"
	      "     --since FILE      show what changed since FILE was saved\n"
	      "     --save FILE       keep the last sample in FILE (JSON)\n"
	      "     --vmcore FILE     the devices of the kernel in a dump\n",
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
	     options->interval.repeats))
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
	case 'c':
		return interval_set_count(&options->interval, optarg, err);
	case 's':
		return interval_set_seconds(&options->interval, optarg, err);
	case OPTION_SINCE:
		options->since = optarg;
		return 0;
	case OPTION_SAVE:
		options->save = optarg;
		return 0;
	case OPTION_VMCORE:
		options->vmcore = optarg;
		return 0;
	}
	return table_options_take(&options->table, option, err);
}

void devices_options_init(struct devices_options *options)
{
	*options = (struct devices_options){ 0 };
	table_options_init(&options->table, &device_columns);
}
