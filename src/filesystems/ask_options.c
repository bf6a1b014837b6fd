// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ask_options.h"
#include "command_line.h"
#include "error.h"
#include "number.h"
#include "table_options.h"

#define MOST_SECONDS 3600

void ask_options_print_help(void)
{
	fputs("     --timeout N       give a filesystem N seconds to answer "
	      "(10)\n",
	      stdout);
}

int ask_options_timeout(double *seconds, const char *text, struct error *err)
{
	uint64_t number;

	if (!number_parse(text, MOST_SECONDS, &number) || !number)
		return error_set(err, EINVAL,
				 "reading options: --timeout: %s: not a number "
				 "of seconds from 1 to %d",
				 text, MOST_SECONDS);
	*seconds = (double)number;
	return 0;
}

int ask_options_check(const struct common_options *common,
		      const struct table_options *table, struct error *err)
{
	if (common->source && strcmp(common->source, "module") != 0)
		return error_set(err, EINVAL,
				 "reading options: --source: %s: only the "
				 "module knows of filesystems",
				 common->source);
	return table_options_check(table, common->json, err);
}
