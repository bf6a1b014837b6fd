// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/command_line.h"
#include "cli/table_options.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/terminal.h"

static int refuse_two_formats(bool tree, struct error *err)
{
	return error_option(err, tree ? "-J, -P, -r and -T" : "-J, -P and -r",
			    "use one of them");
}

void table_options_init(struct table_options *options,
			const struct column_set *set)
{
	*options = (struct table_options){ .set = set };
	column_choice_default(&options->columns, set);
}

static int take_format(void *place, const struct option_given *given,
		       struct error *err)
{
	enum table_format *format = place;

	if (*format != TABLE_PLAIN && *format != (unsigned int)given->row->code)
		return refuse_two_formats(
			*format == TABLE_TREE || given->row->code == TABLE_TREE,
			err);
	*format = (enum table_format)given->row->code;
	return 0;
}

int table_options_check(const struct table_options *options, bool json,
			struct error *err)
{
	if (json && options->style.format != TABLE_PLAIN)
		return refuse_two_formats(options->style.format == TABLE_TREE,
					  err);
	return 0;
}

static int take_columns(void *place, const struct option_given *given,
			struct error *err)
{
	struct table_options *options = place;

	options->columns_chosen = true;
	return column_choice_parse(&options->columns, options->set,
				   given->value, err);
}

static int take_all_columns(void *place,
			    const struct option_given *given
			    __attribute__((unused)),
			    struct error *err __attribute__((unused)))
{
	struct table_options *options = place;

	options->columns_chosen = true;
	column_choice_all(&options->columns, options->set);
	return 0;
}

static int take_sort(void *place, const struct option_given *given,
		     struct error *err)
{
	struct table_options *options = place;
	const char *name = given->value;

	options->order.descends = *name == '-';
	name += *name == '-' || *name == '+';
	options->order.column =
		column_find(options->set, name, strlen(name), err);
	return options->order.column ? 0 : -EINVAL;
}

int table_take_rows(void *place, const struct option_given *given,
		    struct error *err)
{
	uint64_t rows;

	if (!number_parse(given->value, INT_MAX, &rows) || !rows)
		return error_object(
			err,
			error_option(err, NULL,
				     "%s: not a number of rows from 1 on",
				     given->value),
			"--%s", given->row->name);
	*(size_t *)place = (size_t)rows;
	return 0;
}

const struct option_row layout_options[] = {
	ROW_CALL('T', "tree", struct table_options, style.format, NULL,
		 take_format, "a tree: what each device is part of or built on",
		 .code = TABLE_TREE),
	{ 0 },
};

const struct option_row top_option[] = {
	ROW_CALL('\0', "top", struct table_options, top, "N", table_take_rows,
		 "only the N largest; the others are added up"),
	{ 0 },
};

static int take_unit(void *place, const struct option_given *given,
		     struct error *err)
{
	const unsigned int power = (unsigned int)given->row->code;
	struct size_unit *unit = place;

	if (unit->power && unit->power != power)
		return error_option(err, "-b, -k, -m and -g",
				    "use one of them");
	unit->power = power;
	return 0;
}

static int take_decimal_unit(void *place, const struct option_given *given,
			     struct error *err)
{
	struct size_unit *unit = place;

	unit->si = true;
	return take_unit(place, given, err);
}

#define ROW_HIDDEN_UNIT(n, c, t)                                               \
	ROW_WHOLE('\0', n, NULL, t, "as in free", .code = (c),                 \
		  .flags = OPTION_HIDDEN)

/* They mean what they mean to free, but -h is --help in a command. */
const struct option_row size_options[] = {
	ROW_WHOLE('b', "bytes", NULL, take_unit, "sizes in bytes", .code = 1),
	ROW_WHOLE('k', "kibi", NULL, take_unit, "sizes in kibibytes",
		  .code = 2),
	ROW_WHOLE('m', "mebi", NULL, take_unit, "sizes in mebibytes",
		  .code = 3),
	ROW_WHOLE('g', "gibi", NULL, take_unit, "sizes in gibibytes",
		  .code = 4),
	ROW_HIDDEN_UNIT("tebi", 5, take_unit),
	ROW_HIDDEN_UNIT("pebi", 6, take_unit),
	ROW_HIDDEN_UNIT("kilo", 2, take_decimal_unit),
	ROW_HIDDEN_UNIT("mega", 3, take_decimal_unit),
	ROW_HIDDEN_UNIT("giga", 4, take_decimal_unit),
	ROW_HIDDEN_UNIT("tera", 5, take_decimal_unit),
	ROW_HIDDEN_UNIT("peta", 6, take_decimal_unit),
	ROW_FLAG('\0', "human", struct size_unit, human,
		 "each size in the unit that keeps it short (the default)"),
	ROW_FLAG('\0', "si", struct size_unit, si,
		 "units of 1000 in place of 1024"),
	{ 0 },
};

const struct option_row table_options[] = {
	ROW_FLAG('n', "noheadings", struct table_options, style.no_headings,
		 "no headings"),
	ROW_WHOLE('o', "output", "LIST", take_columns,
		  "show these columns; +LIST adds to the default",
		  .words = WORDS_COLUMN_LIST),
	ROW_WHOLE('O', "output-all", NULL, take_all_columns, "all columns"),
	ROW_CALL('P', "pairs", struct table_options, style.format, NULL,
		 take_format, "KEY=\"value\" pairs", .code = TABLE_PAIRS),
	ROW_CALL('r', "raw", struct table_options, style.format, NULL,
		 take_format, "fields with one space between them",
		 .code = TABLE_RAW),
	ROW_FLAG('y', "shell", struct table_options, style.shell_names,
		 "headings and keys that a shell takes as variables"),
	ROW_WHOLE('x', "sort", "COLUMN", take_sort,
		  "sort ascending, or descending with -COLUMN",
		  .words = WORDS_COLUMN),
	{ 0 },
};

bool table_options_only_changed(const struct table_options *options,
				const struct common_options *common, bool all)
{
	return options->style.format == TABLE_PLAIN && !common->json && !all;
}

const char *clock_text(char text[MOMENT_TEXT_SIZE])
{
	return moment_text(time(NULL) * INT64_C(1000), text);
}

void table_options_print_clock(const struct table_options *options)
{
	char text[MOMENT_TEXT_SIZE];

	if (table_format_is_plain(options->style.format) &&
	    !options->style.no_headings)
		puts(clock_text(text));
}

struct table_style table_options_style(const struct table_options *options)
{
	struct table_style style = options->style;

	style.emphasis = table_format_is_plain(style.format) &&
			 terminal_has_emphasis(stdout);
	/* A column that the user named is never left out. */
	if (!options->columns_chosen)
		style.terminal_width = terminal_width(stdout);
	return style;
}
