// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "command.h"
#include "explain/explain.h"
#include "explain/explain_facts.h"
#include "frame/command_line.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/terminal.h"
#include "measure/refused.h"
#include "measure/source.h"

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
	if (!explain_is_measured(facts))
		return exit_code_of(&facts->measurement.why);
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
	refused_print(&facts.measurement, true, NULL);
	return exit_code(&facts);
}

const struct command_line command_explain = {
	.name = "explain",
	.brief = "what free's columns mean on this host",
	.rows = measuring_options,
	.about =
		"What free's columns mean on this host, with its numbers: where "
		"each comes\n"
		"from, what it is made of, and what would release it.\n",
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source "
		"(/proc/meminfo is\n"
		"explained all the same), 3 measured in part.\n",
	.options_size = sizeof(struct common_options),
	.run = run,
};
