// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "table_options.h"
#include "terminal.h"

static const char one_format[] =
	"reading options: -J, -P and -r: use one of them";

void table_options_init(struct table_options *options,
			const struct column_set *set)
{
	*options = (struct table_options){ .set = set };
	column_choice_default(&options->columns, set);
}

void table_options_print_help(void)
{
	fputs(" -b, --bytes           sizes in bytes\n"
	      " -n, --noheadings      no headings\n"
	      " -o, --output LIST     these columns; +LIST adds to the usual\n"
	      " -O, --output-all      all columns\n"
	      " -P, --pairs           KEY=\"value\" pairs\n"
	      " -r, --raw             fields with one space between them\n"
	      " -x, --sort COLUMN     sort ascending; the rest stays last\n",
	      stdout);
}

static int set_format(struct table_options *options, enum table_format format,
		      struct error *err)
{
	enum table_format *place = &options->style.format;

	if (*place != TABLE_PLAIN && *place != format)
		return error_set(err, EINVAL, one_format);
	*place = format;
	return 0;
}

int table_options_check(const struct table_options *options, bool json,
			struct error *err)
{
	if (json && options->style.format != TABLE_PLAIN)
		return error_set(err, EINVAL, one_format);
	return 0;
}

int table_options_take(struct table_options *options, int option,
		       struct error *err)
{
	switch (option) {
	case 'b':
		options->style.bytes = true;
		return 0;
	case 'n':
		options->style.no_headings = true;
		return 0;
	case 'o':
		options->columns_chosen = true;
		return column_choice_parse(&options->columns, options->set,
					   optarg, err);
	case 'O':
		options->columns_chosen = true;
		column_choice_all(&options->columns, options->set);
		return 0;
	case 'P':
		return set_format(options, TABLE_PAIRS, err);
	case 'r':
		return set_format(options, TABLE_RAW, err);
	case 'x':
		options->sort =
			column_find(options->set, optarg, strlen(optarg), err);
		return options->sort ? 0 : -EINVAL;
	}
	return 0;
}

struct table_style table_options_style(const struct table_options *options)
{
	struct table_style style = options->style;

	style.emphasis = style.format == TABLE_PLAIN &&
			 terminal_has_emphasis(stdout);
	/* What the user asked for by name is not left out. */
	if (!options->columns_chosen)
		style.terminal_width = terminal_width(stdout);
	return style;
}
