// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cli/exit_code.h"
#include "commands/cmd_who.h"
#include "commands/command.h"
#include "commands/command_question.h"
#include "filesystems/selection.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/source.h"
#include "who/run_program.h"
#include "who/tracing.h"
#include "who/who_now.h"
#include "who/who_rows.h"

static const char *const by_words[] = {
	[WHO_BY_PROCESS] = "process",
	[WHO_BY_COMMAND] = "command",
};

#define BY_WORDS (sizeof(by_words) / sizeof(*by_words))

static const char *by_word(size_t which)
{
	return WHO_BY_PROCESS + which < BY_WORDS ?
		       by_words[WHO_BY_PROCESS + which] :
		       NULL;
}

static int take_by(void *place, const struct option_given *given,
		   struct error *err)
{
	for (size_t i = WHO_BY_PROCESS; i < BY_WORDS; i++) {
		if (strcmp(given->value, by_words[i]) != 0)
			continue;
		*(enum who_by *)place = (enum who_by)i;
		return 0;
	}
	return error_option(err, "--by", "%s: use process or command",
			    given->value);
}

static const struct option_row option_rows[] = {
	ROW_GROUP(struct who_options, asked.table.style.unit, size_options),
	ROW_GROUP(struct who_options, asked.table, table_options),
	ROW_GROUP(struct who_options, asked.table, top_option),
	ROW_CALL('s', "seconds", struct who_options, asked.repeat.interval, "N",
		 repeat_take_seconds, "report every N seconds"),
	ROW_CALL('c', "count", struct who_options, asked.repeat.interval, "N",
		 repeat_take_count, "end after N reports"),
	ROW_CALL('\0', "by", struct who_options, by, "WHAT", take_by,
		 "a row for each process, or for each command of a cgroup",
		 .word = by_word),
	ROW_FLAG('\0', "now", struct who_options, now,
		 "whose pages are cached now, by cgroup; traces nothing"),
	ROW_FLAG('\0', "verify", struct who_options, verify,
		 "read a file of 64 MiB to check what is counted"),
	ROW_CALL('\0', "at", struct who_options, asked.common.at, "TIME",
		 moment_take, "who filled caches then, if bufstat record ran"),
	ROW_CALL('\0', "from", struct who_options, from, "TIME", moment_take,
		 "the same, from then on"),
	ROW_CALL('\0', "to", struct who_options, to, "TIME", moment_take,
		 "until then; the default is now"),
	ROW_TEXT('\0', "dir", struct who_options, dir, "DIR", WORDS_DIRECTORIES,
		 "where --verify makes the file (/var/tmp), or the recording "
		 "for --at, --from and --to"),
	ROW_GROUP(struct who_options, asked.common, json_option),
	ROW_GROUP(struct who_options, asked.common, json_lines_option),
	ROW_GROUP(struct who_options, asked.common, source_option),
	ROW_GROUP(struct who_options, asked.common, tree_options),
	ROW_GROUP(struct who_options, asked.common, timeout_option),
	ROW_GROUP(struct who_options, asked.common, help_options),
	{ 0 },
};

static bool is_past(const struct who_options *options)
{
	return options->asked.common.at.count || options->from.count ||
	       options->to.count;
}

/* A recording has been made already. */
static int check_past(const struct who_options *options, struct error *err)
{
	const char *other =
		options->now				   ? "--now" :
		options->asked.common.program		   ? "a program" :
		options->asked.repeat.interval.repeats	   ? "-s and -c" :
		options->verify				   ? "--verify" :
		options->by				   ? "--by" :
		options->asked.common.source		   ? "--source" :
		options->asked.common.patience.seconds > 0 ? "--timeout" :
		(options->asked.common.at.count &&
		 (options->from.count || options->to.count)) ?
							     "--from and --to" :
							     NULL;

	if (!other)
		return 0;
	return error_option(err,
			    options->asked.common.at.count ? "--at" : "--from",
			    "cannot be used with %s", other);
}

/* A captured host does nothing, but it may have a recording. */
static int refuse_captured(struct error *err)
{
	return error_advise(err, EINVAL, "reading options",
			    "--sysroot or --capture",
			    "--at or --from TIME shows its recording, if it "
			    "has one",
			    "a captured host does nothing");
}

/* --now measures once and traces nothing. */
static int check_now(const struct who_options *options, struct error *err)
{
	const struct common_options *common = &options->asked.common;

	if (options->asked.repeat.interval.repeats || options->verify ||
	    common->program || common->source || options->by)
		return error_option(err, "--now",
				    "it traces nothing: not with -s, -c, --by, "
				    "--source, --verify or a command");
	return 0;
}

static int check_traced(const struct who_options *options, struct error *err)
{
	const struct common_options *common = &options->asked.common;

	if (options->verify &&
	    (common->json || common->program || common->operand_count ||
	     options->asked.repeat.interval.repeats))
		return error_option(err, "--verify", "only with --dir");
	if (common->patience.seconds > 0)
		return error_advise(err, EINVAL, "reading options", "--timeout",
				    "-s N -c 1 traces for N seconds",
				    "only with --now");
	return 0;
}

/* The columns that are shown if the user chose none. */
static const char *usual_columns(const struct who_options *options)
{
	if (options->now)
		return options->asked.common.json ? who_now_json_columns :
						    who_now_columns;
	return options->asked.common.json ? who_json_columns : NULL;
}

static int check(void *data, struct error *err)
{
	struct who_options *options = data;
	const char *usual = usual_columns(options);
	int ret = is_past(options)		? check_past(options, err) :
		  options->asked.common.sysroot ? refuse_captured(err) :
		  options->now			? check_now(options, err) :
						  check_traced(options, err);

	if (ret < 0)
		return ret;
	if (usual && !options->asked.table.columns_chosen)
		column_choice_parse(&options->asked.table.columns, &who_columns,
				    usual, NULL);
	return 0;
}

static const struct question_command asks_now = {
	.question = &who_question,
	.selects = SELECTS_CACHES,
	.document = &who_now_document,
};

static int run(void *data, const struct sysroot *root)
{
	const struct who_options *options = data;
	_cleanup_(selection_deinit) struct selection selection = { 0 };
	struct error err;

	if (is_past(options))
		return who_past_run(options, root);
	if (options->now)
		return command_ask(&command_who, options, root);
	/* Tracing takes as long as the user wants. */
	patience_end(root->patience);
	if (selection_init(&selection, SELECTS_FILESYSTEMS, root,
			   options->asked.common.operands,
			   options->asked.common.operand_count, &err) < 0) {
		error_print(&err);
		return options->asked.common.program ? PROGRAM_NOT_RUN :
						       EXIT_FAILED;
	}
	command_print_refused(&selection);
	return selection_is_vain(&selection) ?
		       selection.code :
		       who_traced_run(options, root, &selection);
}

static const struct option_document option_documents[] = {
	{ "now", &who_now_document },
	{ "at", &who_past_document },
	{ 0 },
};

const struct command_line command_who = {
	.name = "who",
	.brief = "which process fills the caches",
	.rows = option_rows,
	.operands = "[DEVICE|PATH...] [-- COMMAND [ARG...]]",
	.runs_program = true,
	.words = WORDS_DEVICES_AND_FILES,
	.about =
		"Traces which processes bring pages into the cache of each device "
		"and filesystem,\n"
		"or of those given, and which take them out, until Ctrl-C, or "
		"while COMMAND runs.\n"
		"Whoever takes a page out need not be who brought it in. Needs "
		"root, libbpf and\n"
		"a kernel with BTF (CONFIG_DEBUG_INFO_BTF).\n"
		"--now traces nothing: it says to which cgroups the pages that "
		"are cached now\n"
		"are charged. It needs /proc/kcore.\n",
	.columns = &who_columns,
	.table_at = offsetof(struct who_options, asked.table),
	.asks = &asks_now, /* with --now */
	.document = &traced_document,
	.option_documents = option_documents,
	.exit_status =
		"Exit status: 0 all traced, 1 failure, 2 nothing here can trace "
		"or, with --now,\n"
		"measure, 3 events were lost, or not all caches could be "
		"measured. With COMMAND\n"
		"its own; 126 if it cannot be executed, 127 if it is not found, "
		"125 if bufstat\n"
		"failed.\n",
	.options_size = sizeof(struct who_options),
	.check = check,
	.run = run,
};
