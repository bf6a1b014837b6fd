// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "command.h"
#include "explain/explain.h"
#include "explain/explain_facts.h"
#include "frame/command_line.h"
#include "frame/interval.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/terminal.h"
#include "measure/refused.h"
#include "measure/source.h"
#include "store/format.h"

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

/* Says what of a dump could not be read; the text has less of it. */
static void print_refused(const struct explain_facts *facts)
{
	const struct filesystems *all = &facts->filesystems;
	struct error err;

	if (!facts->has_filesystems) {
		err = facts->why_no_filesystems;
		error_within(&err, -ENODATA, "measuring", "the filesystems");
		error_print(&err);
	}
	for (size_t i = 0; i < all->count; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];

		if (!filesystem->sample->refused)
			continue;
		error_doing(&err, ERROR_PARTIAL, "measuring",
			    filesystem_place(filesystem), "%s",
			    filesystem->sample->refused);
		error_print(&err);
	}
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

	int ret =
		options->vmcore ?
			explain_facts_init_dump(&facts, root, options->vmcore,
						&err) :
			explain_facts_init(&facts, root, options->source, &err);

	if (ret < 0) {
		error_print(&err);
		return options->vmcore ? exit_code_of(&err) : EXIT_FAILED;
	}
	if (print(&facts, options->json, &err) < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	refused_print(&facts.measurement, true, NULL);
	if (facts.is_dump)
		print_refused(&facts);
	return exit_code(&facts);
}

static const struct option_row option_rows[] = {
	ROW_TEXT('\0', "vmcore", struct common_options, vmcore, "FILE",
		 WORDS_FILES, "the kernel in a dump"),
	{ .type = OPTION_GROUP, .group = past_options },
	{ .type = OPTION_GROUP, .group = measuring_options },
	{ 0 },
};

static int check(void *data, struct error *err)
{
	const struct common_options *options = data;
	const struct repeat_options once = { 0 };

	return repeat_check_dump(&once, options, err);
}

const struct command_line command_explain = {
	.name = "explain",
	.brief = "what free's columns mean on this host",
	.rows = option_rows,
	.check = check,
	.about =
		"What free's columns mean on this host, with its numbers: where "
		"each comes\n"
		"from, what it is made of, and what would release it.\n",
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source "
		"(/proc/meminfo is\n"
		"explained all the same), 3 measured in part.\n",
	.reads_recording = STORE_DEVICES,
	.options_size = sizeof(struct common_options),
	.run = run,
};
