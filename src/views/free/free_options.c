// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table_options.h"
#include "free/free_options.h"
#include "lib/error.h"
#include "measure/source.h"

static int take_unit(void *data, const struct option_given *given,
		     struct error *err)
{
	struct free_options *options = data;

	if (options->unit != FREE_UNIT_DEFAULT)
		return error_set(err, EINVAL, "%s",
				 "Multiple unit options don't make sense.");
	options->unit = (enum free_unit)given->row->code;
	return 0;
}

static int take_decimal_unit(void *data, const struct option_given *given,
			     struct error *err)
{
	struct free_options *options = data;

	options->flags |= FREE_SI;
	return take_unit(data, given, err);
}

#define ROW_UNIT(l, n, c, t, h) ROW_WHOLE(l, n, NULL, t, h, .code = (c))
#define ROW_BITS(l, n, c, h)                                                   \
	{                                                                      \
		.type = OPTION_BITS, .letter = (l), .name = (n), .code = (c),  \
		.place = OPTION_PLACE(unsigned int, struct free_options,       \
				      flags),                                  \
		.help = (h)                                                    \
	}

/*
 * In free's order: getopt_long() lists what an ambiguous abbreviation may mean
 * in the order of its table.
 */
static const struct option_row frees_own[] = {
	ROW_UNIT('b', "bytes", FREE_UNIT_BYTES, take_unit, "bytes"),
	ROW_UNIT('\0', "kilo", FREE_UNIT_KILO, take_decimal_unit,
		 "kilobytes, of 1000"),
	ROW_UNIT('\0', "mega", FREE_UNIT_MEGA, take_decimal_unit, "megabytes"),
	ROW_UNIT('\0', "giga", FREE_UNIT_GIGA, take_decimal_unit, "gigabytes"),
	ROW_UNIT('\0', "tera", FREE_UNIT_TERA, take_decimal_unit, "terabytes"),
	ROW_UNIT('\0', "peta", FREE_UNIT_PETA, take_decimal_unit, "petabytes"),
	ROW_UNIT('k', "kibi", FREE_UNIT_KILO, take_unit,
		 "kibibytes, of 1024 (the default)"),
	ROW_UNIT('m', "mebi", FREE_UNIT_MEGA, take_unit, "mebibytes"),
	ROW_UNIT('g', "gibi", FREE_UNIT_GIGA, take_unit, "gibibytes"),
	ROW_UNIT('\0', "tebi", FREE_UNIT_TERA, take_unit, "tebibytes"),
	ROW_UNIT('\0', "pebi", FREE_UNIT_PETA, take_unit, "pebibytes"),
	ROW_BITS('h', "human", FREE_HUMAN,
		 "each size in the unit that keeps it short"),
	ROW_BITS('\0', "si", FREE_SI, "units of 1000 in place of 1024"),
	ROW_BITS('l', "lohi", FREE_LOHI, "add low and high memory"),
	ROW_BITS('L', "line", FREE_LINE, "a single line, without a breakdown"),
	ROW_BITS('t', "total", FREE_TOTAL, "add memory and swap together"),
	ROW_BITS('v', "committed", FREE_COMMITTED,
		 "add committed memory and its limit"),
	ROW_CALL('s', "seconds", struct free_options, repeat.interval, "N",
		 repeat_take_seconds, "print again every N seconds"),
	ROW_CALL('c', "count", struct free_options, repeat.interval, "N",
		 repeat_take_count, "stop after N times"),
	ROW_BITS('w', "wide", FREE_WIDE,
		 "buffers and cache in columns of their own"),
	ROW_ANSWER('\0', "help", struct free_options, action, FREE_HELP,
		   "show this"),
	ROW_ANSWER('V', "version", struct free_options, action, FREE_VERSION,
		   "show the version", .flags = OPTION_BEFORE_COMMAND),
	{ 0 },
};

/*
 * bufstat's own options come last, and leave free's their abbreviations:
 * tests/unit/commands/test_option.c.
 */
const struct option_row free_options[] = {
	{ .type = OPTION_GROUP, .group = frees_own },
	ROW_BITS('\0', "only-free", FREE_ONLY,
		 "free's table without the breakdown"),
	ROW_BITS('\0', "filesystems", FREE_FILESYSTEMS,
		 "add which filesystems have most of Cached"),
	ROW_CALL('\0', "rows", struct free_options, rows, "N", table_take_rows,
		 "at most N rows of the breakdown (else what fits)"),
	ROW_BITS('\0', "all", FREE_ALL,
		 "all rows: those that do not fit, or with -s did not change"),
	ROW_GROUP(struct free_options, repeat, compare_options),
	ROW_GROUP(struct free_options, common, json_option),
	ROW_GROUP(struct free_options, common, json_lines_option),
	ROW_GROUP(struct free_options, common, source_option),
	ROW_GROUP(struct free_options, common, tree_options),
	ROW_GROUP(struct free_options, common, timeout_option),
	{ 0 },
};

static void list_init(struct option_list *list, bool as_free)
{
	option_list_init(list, as_free ? frees_own : free_options);
}

int free_options_parse(struct free_options *options, int argc, char **argv,
		       bool as_free, struct error *err)
{
	struct option_list list;
	int slot, ret;

	*options = (struct free_options){ 0 };
	if (as_free)
		options->flags = FREE_ONLY;
	list_init(&list, as_free);

	optind = 0; /* glibc: start anew */
	while ((slot = option_list_next(&list, argc, argv, OPTIONS_AS_FREE)) !=
	       OPTION_NO_MORE) {
		if (slot < 0) {
			options->action = FREE_USAGE;
			if (strncmp(argv[optind - 1], "--", 2) == 0)
				options->refused = argv[optind - 1];
			return 0;
		}
		ret = option_list_take(&list, slot, options, optarg, err);
		/* Like free, stop at the first --help or --version. */
		if (ret)
			return ret < 0 ? ret : 0;
	}
	if (optind < argc) {
		options->action = FREE_USAGE;
		options->operand = argv[optind];
	}
	return 0;
}

const char *free_option_nearest(const char *refused)
{
	const char *word = refused + strlen("--"), *meant;
	struct option_list list;

	list_init(&list, false);
	meant = option_nearest(&list, refused);
	/* If the option exists, its value was wrong. */
	if (meant && strlen(meant) == strcspn(word, "=") &&
	    strncmp(meant, word, strlen(meant)) == 0)
		return NULL;
	return meant;
}

void free_options_print_usage(FILE *out, const char *program, bool as_free)
{
	struct option_list list;
	size_t theirs;
	char start[64];

	fprintf(out, "\nUsage:\n");
	if (as_free) {
		fprintf(out, " %s [OPTION]...\n", program);
		return;
	}
	list_init(&list, true);
	theirs = list.count;
	list_init(&list, false);
	snprintf(start, sizeof(start), " %s [free's options]", program);
	option_list_print_synopsis(out, &list, theirs, start, NULL);
	fprintf(out, " %s COMMAND [OPTION]...\n", program);
}

void free_options_print(FILE *out, bool as_free)
{
	struct option_list list;

	list_init(&list, as_free);
	fputs("\nOptions:\n", out);
	option_list_print(out, &list);
}
