// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "devices_options.h"
#include "error.h"
#include "interval.h"

enum { OPTION_SINCE = COMMAND_OPTION, OPTION_SAVE, OPTION_VMCORE };

const char devices_letters[] = "abc:no:OPrs:x:";

const struct option devices_names[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "bytes", no_argument, NULL, 'b' },
	{ "noheadings", no_argument, NULL, 'n' },
	{ "output", required_argument, NULL, 'o' },
	{ "output-all", no_argument, NULL, 'O' },
	{ "pairs", no_argument, NULL, 'P' },
	{ "raw", no_argument, NULL, 'r' },
	{ "sort", required_argument, NULL, 'x' },
	{ "seconds", required_argument, NULL, 's' },
	{ "count", required_argument, NULL, 'c' },
	{ "since", required_argument, NULL, OPTION_SINCE },
	{ "save", required_argument, NULL, OPTION_SAVE },
	{ "vmcore", required_argument, NULL, OPTION_VMCORE },
	{ 0 },
};

static const char one_format[] =
	"reading options: -J, -P and -r: use one of them";

void devices_print_help(void)
{
	fputs("Usage: bufstat devices [options]\n"
	      "\n"
	      "Which block devices the page cache behind Buffers belongs to.\n"
	      "\n"
	      " -a, --all             also devices without pages\n"
	      " -b, --bytes           sizes in bytes\n"
	      " -n, --noheadings      no headings\n"
	      " -o, --output LIST     these columns; +LIST adds to the usual\n"
	      " -O, --output-all      all columns\n"
	      " -P, --pairs           KEY=\"value\" pairs\n"
	      " -r, --raw             fields with one space between them\n"
	      " -x, --sort COLUMN     sort ascending; the rest stays last\n"
	      " -s, --seconds N       again every N seconds, with what changed\n"
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

static int set_format(struct devices_options *options, enum table_format format,
		      struct error *err)
{
	enum table_format *place = &options->style.format;

	if (*place != TABLE_PLAIN && *place != format)
		return error_set(err, EINVAL, one_format);
	*place = format;
	return 0;
}

int devices_check_options(void *data, struct error *err)
{
	const struct devices_options *options = data;

	if (options->common.json && options->style.format != TABLE_PLAIN)
		return error_set(err, EINVAL, one_format);
	if (options->vmcore &&
	    (options->common.source || options->common.sysroot ||
	     options->interval.repeats))
		return error_set(err, EINVAL,
				 "reading options: --vmcore: a dump has one "
				 "source and one instant: not with --source, "
				 "--sysroot, --capture, -s or -c");
	return 0;
}

int devices_take_option(void *data, int option, struct error *err)
{
	struct devices_options *options = data;

	switch (option) {
	case 'a':
		options->all = true;
		return 0;
	case 'b':
		options->style.bytes = true;
		return 0;
	case 'n':
		options->style.no_headings = true;
		return 0;
	case 'c':
		return interval_set_count(&options->interval, optarg, err);
	case 's':
		return interval_set_seconds(&options->interval, optarg, err);
	case 'o':
		options->columns_chosen = true;
		return column_choice_parse(&options->columns, &device_columns,
					   optarg, err);
	case 'O':
		options->columns_chosen = true;
		column_choice_all(&options->columns, &device_columns);
		return 0;
	case 'P':
		return set_format(options, TABLE_PAIRS, err);
	case 'r':
		return set_format(options, TABLE_RAW, err);
	case 'x':
		options->sort = column_find(&device_columns, optarg,
					    strlen(optarg), err);
		return options->sort ? 0 : -EINVAL;
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
	return 0;
}

void devices_options_init(struct devices_options *options)
{
	*options = (struct devices_options){ 0 };
	column_choice_default(&options->columns, &device_columns);
}
