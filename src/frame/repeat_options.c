// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "repeat_options.h"

void repeat_options_print_help(void)
{
	fputs(" -s, --seconds N       again every N seconds, with what changed\n"
	      " -c, --count N         stop after N times\n"
	      "     --since FILE      show what changed since FILE was saved\n"
	      "     --save FILE       keep the last sample in FILE (JSON)\n",
	      stdout);
}

int repeat_options_take(struct repeat_options *options, int option,
			struct error *err)
{
	switch (option) {
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
	}
	return 0;
}
