// SPDX-License-Identifier: GPL-2.0-or-later
#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include <bufstat/version.h>

#include "cleanup.h"
#include "command_line.h"
#include "error.h"
#include "exit_code.h"
#include "option_error.h"
#include "sysroot.h"

enum { OPTION_SOURCE = 0x100, OPTION_SYSROOT };

#define COMMON_LETTERS "JhV"

static const struct option common_names[] = {
	{ "json", no_argument, NULL, 'J' },
	{ "source", required_argument, NULL, OPTION_SOURCE },
	{ "sysroot", required_argument, NULL, OPTION_SYSROOT },
	/* A tree may be packed: two names for one thing that say what it is. */
	{ "capture", required_argument, NULL, OPTION_SYSROOT },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 },
};

#define COMMON (sizeof(common_names) / sizeof(*common_names))

struct getopt_tables {
	char letters[64];
	struct option names[32];
};

void command_line_print_common(void)
{
	fputs(" -J, --json            JSON; numbers in the unit of their key\n"
	      "     --source NAME     module, cachestat, kcore (else the best)\n"
	      "     --sysroot DIR     read a captured tree, not this host\n"
	      "     --capture FILE    read what bufstat capture wrote\n"
	      " -h, --help            this text\n"
	      " -V, --version         the version\n",
	      stdout);
}

static void fill_tables(struct getopt_tables *tables,
			const struct command_line *line)
{
	size_t count = 0;
	int length = snprintf(tables->letters, sizeof(tables->letters),
			      ":%s" COMMON_LETTERS,
			      line->letters ? line->letters : "");

	assert((size_t)length < sizeof(tables->letters));
	for (; line->names && line->names[count].name; count++) {
		assert(count + COMMON <
		       sizeof(tables->names) / sizeof(*tables->names));
		tables->names[count] = line->names[count];
	}
	for (size_t i = 0; i < COMMON; i++)
		tables->names[count++] = common_names[i];
}

/* Returns whether that was all there is to do. */
static bool answer(const struct command_line *line, int option)
{
	if (option == 'h')
		line->print_help();
	else if (option == 'V')
		puts("bufstat " BUFSTAT_VERSION);
	else
		return false;
	return true;
}

static int take_option(const struct command_line *line, int option,
		       struct common_options *common, void *options,
		       struct error *err)
{
	switch (option) {
	case 'J':
		common->json = true;
		return 0;
	case OPTION_SOURCE:
		common->source = optarg;
		return 0;
	case OPTION_SYSROOT:
		common->sysroot = optarg;
		return 0;
	}
	return line->take_option(options, option, err);
}

static int take_operands(const struct command_line *line, int argc, char **argv,
			 struct common_options *common, struct error *err)
{
	if (optind < argc && !line->takes_operands)
		return error_set(err, EINVAL,
				 "reading options: %s: %s takes no arguments",
				 argv[optind], line->name);
	common->operands = argv + optind;
	common->operand_count = (size_t)(argc - optind);
	return 0;
}

/* *@answered: --help or --version did all there is to do. */
static int parse(const struct command_line *line, int argc, char **argv,
		 struct common_options *common, void *options, bool *answered,
		 struct error *err)
{
	struct getopt_tables tables;
	int option, ret = 0;
	char help[64];

	snprintf(help, sizeof(help), "bufstat %s --help", line->name);
	fill_tables(&tables, line);
	*answered = false;
	opterr = 0;
	while (!ret && (option = getopt_long(argc, argv, tables.letters,
					     tables.names, NULL)) != -1) {
		if (option == '?' || option == ':')
			return option_error(argv, option, tables.names, help,
					    err);
		*answered = answer(line, option);
		if (*answered)
			return 0;
		ret = take_option(line, option, common, options, err);
	}
	if (!ret)
		ret = take_operands(line, argc, argv, common, err);
	if (!ret && line->check)
		ret = line->check(options, err);
	return ret;
}

int command_line_run(const struct command_line *line, int argc, char **argv,
		     struct common_options *common, void *options)
{
	_cleanup_(sysroot_deinit) struct sysroot root = { .fd = -1 };
	struct error err;
	bool answered;
	int ret = parse(line, argc, argv, common, options, &answered, &err);

	if (!ret && answered)
		return EXIT_OK;
	if (!ret)
		ret = sysroot_init(&root, common->sysroot, &err);
	if (ret < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	return line->run(options, &root);
}
