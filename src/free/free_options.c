// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "error.h"
#include "free_options.h"
#include "interval.h"
#include "nearest.h"

enum option_kind {
	OPTION_UNIT,
	OPTION_FLAG,
	OPTION_SECONDS,
	OPTION_COUNT,
	OPTION_HELP,
	OPTION_VERSION,
	/* Unknown to free: */
	OPTION_ONLY_FREE,
	OPTION_FILESYSTEMS,
	OPTION_SOURCE,
	OPTION_SYSROOT,
	OPTION_JSON,
	OPTION_SINCE,
	OPTION_SAVE,
};

/*
 * In free's order: getopt_long() lists what an ambiguous abbreviation may stand
 * for in the order of its table. Those that bufstat adds stand last; none of
 * them may share a prefix that is unique among free's.
 */
static const struct option_row {
	const char *name;
	char letter; /* '\0': there is none */
	enum option_kind kind;
	enum free_unit unit;
	unsigned int flags;
	const char *argument;
	const char *help;
} rows[] = {
	{ "bytes", 'b', OPTION_UNIT, FREE_UNIT_BYTES, 0, NULL, "bytes" },
	{ "kilo", 0, OPTION_UNIT, FREE_UNIT_KILO, FREE_SI, NULL,
	  "kilobytes, of 1000" },
	{ "mega", 0, OPTION_UNIT, FREE_UNIT_MEGA, FREE_SI, NULL, "megabytes" },
	{ "giga", 0, OPTION_UNIT, FREE_UNIT_GIGA, FREE_SI, NULL, "gigabytes" },
	{ "tera", 0, OPTION_UNIT, FREE_UNIT_TERA, FREE_SI, NULL, "terabytes" },
	{ "peta", 0, OPTION_UNIT, FREE_UNIT_PETA, FREE_SI, NULL, "petabytes" },
	{ "kibi", 'k', OPTION_UNIT, FREE_UNIT_KILO, 0, NULL,
	  "kibibytes, of 1024 (the default)" },
	{ "mebi", 'm', OPTION_UNIT, FREE_UNIT_MEGA, 0, NULL, "mebibytes" },
	{ "gibi", 'g', OPTION_UNIT, FREE_UNIT_GIGA, 0, NULL, "gibibytes" },
	{ "tebi", 0, OPTION_UNIT, FREE_UNIT_TERA, 0, NULL, "tebibytes" },
	{ "pebi", 0, OPTION_UNIT, FREE_UNIT_PETA, 0, NULL, "pebibytes" },
	{ "human", 'h', OPTION_FLAG, 0, FREE_HUMAN, NULL,
	  "each size in the unit that keeps it short" },
	{ "si", 0, OPTION_FLAG, 0, FREE_SI, NULL,
	  "units of 1000 in place of 1024" },
	{ "lohi", 'l', OPTION_FLAG, 0, FREE_LOHI, NULL,
	  "add low and high memory" },
	{ "line", 'L', OPTION_FLAG, 0, FREE_LINE, NULL,
	  "a single line, without a breakdown" },
	{ "total", 't', OPTION_FLAG, 0, FREE_TOTAL, NULL,
	  "add memory and swap together" },
	{ "committed", 'v', OPTION_FLAG, 0, FREE_COMMITTED, NULL,
	  "add committed memory and its limit" },
	{ "seconds", 's', OPTION_SECONDS, 0, 0, "N",
	  "print again every N seconds" },
	{ "count", 'c', OPTION_COUNT, 0, 0, "N", "stop after N times" },
	{ "wide", 'w', OPTION_FLAG, 0, FREE_WIDE, NULL,
	  "buffers and cache in columns of their own" },
	{ "help", 0, OPTION_HELP, 0, 0, NULL, "show this" },
	{ "version", 'V', OPTION_VERSION, 0, 0, NULL, "show the version" },
	{ "only-free", 0, OPTION_ONLY_FREE, 0, FREE_ONLY, NULL,
	  "free's table without the breakdown" },
	{ "filesystems", 0, OPTION_FILESYSTEMS, 0, FREE_FILESYSTEMS, NULL,
	  "add which filesystems have most of Cached" },
	{ "json", 'J', OPTION_JSON, 0, FREE_JSON, NULL,
	  "all of it as JSON, sizes in bytes" },
	{ "since", 0, OPTION_SINCE, 0, 0, "FILE",
	  "show what changed since FILE was saved" },
	{ "save", 0, OPTION_SAVE, 0, 0, "FILE",
	  "keep the last sample in FILE" },
	{ "source", 0, OPTION_SOURCE, 0, 0, "NAME",
	  "take the breakdown from this source" },
	{ "sysroot", 0, OPTION_SYSROOT, 0, 0, "DIR",
	  "read a captured tree instead of this host" },
	/* A tree may be packed: two names for one thing that say what it is. */
	{ "capture", 0, OPTION_SYSROOT, 0, 0, "FILE",
	  "read what bufstat capture wrote" },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

/* What getopt_long() returns for a long option: this plus its row. */
#define LONG_BASE (CHAR_MAX + 1)

struct getopt_tables {
	char letters[2 * ROWS + 1];
	struct option names[ROWS + 1];
};

static size_t row_count(bool as_free)
{
	size_t count = 0;

	while (count < ROWS &&
	       !(as_free && rows[count].kind >= OPTION_ONLY_FREE))
		count++;
	return count;
}

static void fill_tables(struct getopt_tables *tables, bool as_free)
{
	size_t count = row_count(as_free);
	char *letter = tables->letters;

	for (size_t i = 0; i < count; i++) {
		bool has_argument = rows[i].argument;

		tables->names[i] = (struct option){
			.name = rows[i].name,
			.has_arg = has_argument,
			.val = LONG_BASE + (int)i,
		};
		if (!rows[i].letter)
			continue;
		*letter++ = rows[i].letter;
		if (has_argument)
			*letter++ = ':';
	}
	*letter = '\0';
	tables->names[count] = (struct option){ 0 };
}

/* NULL for what getopt_long() returns in place of an option. */
static const struct option_row *find_row(int value)
{
	if (value >= LONG_BASE)
		return &rows[value - LONG_BASE];
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].letter == value)
			return &rows[i];
	}
	return NULL;
}

static int take_option(struct free_options *options,
		       const struct option_row *row, struct error *err)
{
	options->flags |= row->flags;
	switch (row->kind) {
	case OPTION_UNIT:
		if (options->unit != FREE_UNIT_DEFAULT)
			return error_set(err, EINVAL, "%s",
					 "Multiple unit options don't make "
					 "sense.");
		options->unit = row->unit;
		break;
	case OPTION_FLAG:
	case OPTION_ONLY_FREE:
	case OPTION_FILESYSTEMS:
	case OPTION_JSON:
		break;
	case OPTION_SECONDS:
		return interval_set_seconds(&options->interval, optarg, err);
	case OPTION_COUNT:
		return interval_set_count(&options->interval, optarg, err);
	case OPTION_SOURCE:
		options->source = optarg;
		break;
	case OPTION_SYSROOT:
		options->sysroot = optarg;
		break;
	case OPTION_SINCE:
		options->since = optarg;
		break;
	case OPTION_SAVE:
		options->save = optarg;
		break;
	case OPTION_HELP:
		options->action = FREE_HELP;
		break;
	case OPTION_VERSION:
		options->action = FREE_VERSION;
		break;
	}
	return 0;
}

int free_options_parse(struct free_options *options, int argc, char **argv,
		       bool as_free, struct error *err)
{
	struct getopt_tables tables;
	int value, ret;

	*options = (struct free_options){ 0 };
	if (as_free)
		options->flags = FREE_ONLY;
	fill_tables(&tables, as_free);

	optind = 0; /* glibc: start anew */
	while ((value = getopt_long(argc, argv, tables.letters, tables.names,
				    NULL)) != -1) {
		const struct option_row *row = find_row(value);

		if (!row) {
			options->action = FREE_USAGE;
			if (strncmp(argv[optind - 1], "--", 2) == 0)
				options->refused = argv[optind - 1];
			return 0;
		}
		ret = take_option(options, row, err);
		if (ret < 0)
			return ret;
		/* The first of these ends it: free looks no further. */
		if (options->action != FREE_PRINT)
			return 0;
	}
	if (optind < argc) {
		options->action = FREE_USAGE;
		options->operand = argv[optind];
	}
	return 0;
}

const char *free_option_nearest(const char *refused)
{
	const char *word = refused + strlen("--");
	struct nearest nearest;

	nearest_init(&nearest, word, strcspn(word, "="));
	for (size_t i = 0; i < ROWS; i++)
		nearest_try(&nearest, rows[i].name);
	/* There is such an option: it is its value that was wrong. */
	return nearest.distance ? nearest.name : NULL;
}

static void print_row(FILE *out, const struct option_row *row)
{
	char name[32];

	snprintf(name, sizeof(name), "%s%s%s", row->name,
		 row->argument ? " " : "", row->argument ? row->argument : "");
	if (row->letter)
		fprintf(out, " -%c, --%-16s%s\n", row->letter, name, row->help);
	else
		fprintf(out, "     --%-16s%s\n", name, row->help);
}

void free_options_help(FILE *out, const char *program, bool as_free)
{
	fprintf(out, "\nUsage:\n %s [OPTION]...\n", program);
	if (!as_free)
		fprintf(out,
			" %s COMMAND [OPTION]...\n"
			"\n"
			"Prints free's table, then the block devices that its "
			"buffers belong to.\n"
			"\n"
			"Commands:\n"
			" capture               a host as one file, for --capture\n"
			" devices               every block device in full\n"
			" drop                  release a device's clean pages\n"
			" explain               what free's columns mean "
			"on this host\n"
			" export                metrics for Prometheus\n"
			" files                 the files with most pages\n"
			" filesystems, fs       what cache is made of\n"
			" module                state of the kernel module, "
			"load, unload\n"
			" repro                 show what fills buffers, by "
			"experiment\n"
			" sources               what can measure this host, and what "
			"not\n",
			program);
	fputs("\nOptions:\n", out);
	for (size_t i = 0; i < row_count(as_free); i++)
		print_row(out, &rows[i]);
}
