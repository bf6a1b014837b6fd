// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "cleanup.h"
#include "command.h"
#include "command_line.h"
#include "error.h"
#include "explain.h"
#include "explain_facts.h"
#include "refused.h"
#include "terminal.h"

static void print_help(void)
{
	fputs("Usage: bufstat explain [options]\n"
	      "\n"
	      "What free's columns mean on this host, with its numbers: where "
	      "each comes\n"
	      "from, what it is made of, and what would release it.\n"
	      "\n",
	      stdout);
	command_line_print_common();
	fputs("\n"
	      "Exit status: 0 all measured, 1 failure, 2 no usable source (what "
	      "/proc/meminfo\n"
	      "says is explained all the same), 3 measured in part.\n",
	      stdout);
}

#define WIDEST 80 /* lines longer than this are hard to read */

static unsigned int text_columns(FILE *out)
{
	size_t width = terminal_width(out);

	return width && width < WIDEST ? (unsigned int)width : WIDEST;
}

static int print(const struct explain_facts *facts, bool json,
		 struct error *err)
{
	struct explanation explanation;
	int ret;

	if (json) {
		ret = explain_print_json(stdout, facts);
		return ret < 0 ? error_errno(err, -ret, "writing",
					     "the explanation") :
				 0;
	}
	ret = explanation_init(&explanation, facts);
	if (ret < 0)
		error_errno(err, -ret, "writing", "the explanation");
	else
		explanation_print(stdout, &explanation, text_columns(stdout));
	explanation_deinit(&explanation);
	return ret;
}

static int exit_code(const struct explain_facts *facts)
{
	if (facts->measurement.collected == -EOPNOTSUPP)
		return EXIT_NO_SOURCE;
	if (!explain_is_measured(facts))
		return EXIT_FAILED;
	return explain_is_complete(facts) ? EXIT_OK : EXIT_PARTIAL;
}

static int run(void *data, const struct sysroot *root)
{
	_cleanup_(explain_facts_deinit) struct explain_facts facts;
	const struct common_options *options = data;
	struct error err;

	if (explain_facts_init(&facts, root, options->source, &err) < 0 ||
	    print(&facts, options->json, &err) < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	refused_print(&facts.measurement, true);
	return exit_code(&facts);
}

int cmd_explain(int argc, char **argv)
{
	static const struct command_line line = {
		.name = "explain",
		.print_help = print_help,
		.run = run,
	};
	struct common_options options = { 0 };

	return command_line_run(&line, argc, argv, &options, &options);
}
