// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "commands/command.h"
#include "fields/fields.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "measure/snapshot.h"
#include "measure/source.h"
#include "repro/conduct.h"
#include "repro/experiment.h"
#include "repro/progress.h"
#include "repro/repro_json.h"
#include "repro/repro_text.h"
#include "repro/scenario.h"
#include "repro/stop.h"
#include "worker/reach.h"

#define MIB (UINT64_C(1) << 20)
#define DEFAULT_FILES 10000
#define MAX_FILES 10000000

/*
 * The exit codes of verdicts. Inconclusive shares the code of a partial
 * measurement; refuted follows the usual codes.
 */
enum { EXIT_INCONCLUSIVE = EXIT_PARTIAL, EXIT_REFUTED };

struct options {
	struct common_options common;
	struct repro_options repro;
	bool list;
	bool verbose;
	bool all;
};

/* Rounds up to whole mebibytes, the unit in which the commands count. */
static int take_size(void *place, const struct option_given *given,
		     struct error *err)
{
	uint64_t size;

	if (!size_parse(given->value, &size))
		return error_advise(err, EINVAL, "reading options", "--size",
				    "for example 100M or 1G", "%s: not a size",
				    given->value);
	*(uint64_t *)place = (size + MIB - 1) / MIB * MIB;
	return 0;
}

static int take_files(void *place, const struct option_given *given,
		      struct error *err)
{
	uint64_t *files = place;

	/* Fewer inodes than fill a page cannot be seen. */
	if (number_parse(given->value, MAX_FILES, files) && *files >= 100)
		return 0;
	return error_option(err, "--files", "%s: not a number from 100 to %d",
			    given->value, MAX_FILES);
}

static const char *scenario_word(size_t which)
{
	if (which == scenario_count())
		return "all";
	return which < scenario_count() ? scenario_at(which)->name : NULL;
}

static const char no_capture[] = "a captured tree is no place for experiments";

static const struct option_row option_rows[] = {
	ROW_FLAG('\0', "scenarios", struct options, list, "list them"),
	ROW_MOVED('\0', "list", "list", "scenarios"),
	ROW_CALL('\0', "size", struct options, repro.size_bytes, "SIZE",
		 take_size,
		 "read or write SIZE (100M, or less on a small host)"),
	ROW_CALL('\0', "files", struct options, repro.files, "N", take_files,
		 "make N files for find (10000)"),
	ROW_TEXT('\0', "place", struct options, repro.dir, "DIR",
		 WORDS_DIRECTORIES, "make the file in DIR (/var/tmp)"),
	ROW_MOVED('\0', "dir", "dir", "place"),
	ROW_TEXT('\0', "device", struct options, repro.device, "DEV",
		 WORDS_DEVICES,
		 "dd and drop: read DEV, not a loop device; nothing is written "
		 "to it"),
	ROW_FLAG('\0', "external", struct options, repro.external,
		 "run dd and find, where the scenario is one"),
	ROW_FLAG('\0', "opposite", struct options, repro.opposite,
		 "claim the opposite, which must be refuted"),
	ROW_FLAG('\0', "keep", struct options, repro.keep,
		 "keep the loop device and its file"),
	ROW_MOVED('v', "committed", "verbose", "verbose"),
	ROW_FLAG('\0', "verbose", struct options, verbose,
		 "say each step on standard error"),
	ROW_GROUP(struct options, common, json_option),
	ROW_GROUP(struct options, common, source_option),
	ROW_REFUSED('\0', "sysroot", "DIR", no_capture),
	ROW_REFUSED('\0', "capture", "FILE", no_capture),
	ROW_GROUP(struct options, common, timeout_option),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

static void init(void *data)
{
	struct options *options = data;

	options->repro.dir = LAB_DEFAULT_PLACE;
	options->repro.files = DEFAULT_FILES;
}

static int check_scenario(const struct options *options, const char *name,
			  struct error *err)
{
	const struct scenario *scenario = scenario_find(name, err);

	if (!scenario)
		return -EINVAL;
	if (options->repro.device && !scenario->takes_device)
		return error_doing(err, EINVAL, "reading arguments", name,
				   "--device is for dd and drop only");
	return 0;
}

static int check(void *data, struct error *err)
{
	struct options *options = data;
	const struct common_options *common = &options->common;
	int ret = 0;

	options->repro.source = common->source;
	if (options->list)
		return 0;
	if (!common->operand_count)
		return error_advise(err, EINVAL, "reading arguments", "repro",
				    "see bufstat repro --scenarios",
				    "SCENARIO is missing");
	options->all = common->operand_count == 1 &&
		       strcmp(common->operands[0], "all") == 0;
	if (options->all && (options->repro.device || options->repro.keep))
		return error_doing(err, EINVAL, "reading arguments", "all",
				   "name the scenario for --device and --keep");
	for (size_t i = 0; !ret && !options->all && i < common->operand_count;
	     i++)
		ret = check_scenario(options, common->operands[i], err);
	return ret;
}

/* State that all scenarios of one run share. */
struct session {
	struct document_head head;
	const struct options *options;
	const struct sysroot *root;
	struct stop stop;
	struct progress progress;
	struct string_list removed;
	struct outcome *outcomes;
	size_t count;
	bool is_untold; /* there was no memory to tell all of it */
};

static void watch(void *data, enum experiment_event event,
		  const struct outcome *outcome)
{
	struct session *session = data;
	int ret = 0;

	if (session->options->common.json)
		return;
	if (!session->options->all)
		ret = repro_text_tell(stdout, event, outcome);
	else if (event == EXPERIMENT_ENDS)
		ret = repro_text_row(stdout, outcome);
	session->is_untold |= ret < 0;
}

static int run_one(struct session *session, const struct scenario *scenario)
{
	struct experiment experiment = {
		.root = session->root,
		.options = &session->options->repro,
		.scenario = scenario,
		.stop = &session->stop,
		.progress = &session->progress,
		.watch = watch,
		.watch_data = session,
		.outcome = &session->outcomes[session->count],
	};

	if (session->count && !session->options->all &&
	    !session->options->common.json)
		putchar('\n');
	session->count++;
	return experiment_run(&experiment);
}

static size_t scenarios_asked(const struct options *options)
{
	return options->all ? scenario_count() : options->common.operand_count;
}

static int run_all(struct session *session)
{
	const struct common_options *common = &session->options->common;
	bool all = session->options->all;
	size_t count = scenarios_asked(session->options);
	int ret = 0;

	if (all && !common->json)
		repro_text_heading(stdout);
	for (size_t i = 0; !ret && i < count; i++)
		ret = run_one(session,
			      all ? scenario_at(i) :
				    scenario_find(common->operands[i], NULL));
	return ret;
}

static void say_removed(const struct session *session)
{
	for (size_t i = 0; i < session->removed.count; i++) {
		struct error err;

		error_doing(&err, 0, "removed", session->removed.strings[i],
			    "left by a run that was killed");
		error_print(&err);
	}
}

/*
 * Prints why experiments were not judged. The table of all scenarios has
 * already said it, in its rows.
 */
static void say_errors(const struct session *session)
{
	for (size_t i = 0; i < session->count; i++) {
		if (session->outcomes[i].state != OUTCOME_JUDGED)
			error_print(&session->outcomes[i].error);
	}
}

static bool is_complete(const struct session *session)
{
	bool complete = true;

	for (size_t i = 0; i < session->count; i++)
		complete &= session->outcomes[i].state == OUTCOME_JUDGED &&
			    (session->outcomes[i].source ||
			     !*session->outcomes[i].device_name);
	return complete && session->count;
}

static const struct field session_list[] = {
	{ FIELD_PART(struct session, head, &document_head_fields) },
	{ FIELD_STRINGS(struct session, removed, "removed", SAYS_FILE),
	  .about = "what killed runs had left" },
	{ FIELD_LIST(struct session, outcomes, count, "experiments",
		     &experiment_fields, UINT64_MAX) },
};

static const struct fields session_fields =
	FIELDS(struct session, session_list);

static void print_json(struct session *session)
{
	session->head = (struct document_head){
		provenance_of(session->root, NULL),
		session->count ? session->outcomes->source : NULL,
		is_complete(session),
	};
	for (size_t i = 0; i < session->count; i++) {
		struct outcome *outcome = &session->outcomes[i];

		if (outcome->state != OUTCOME_JUDGED)
			continue;
		outcome->because = verdict_text(outcome);
		session->is_untold |= !outcome->because;
	}
	document_print(stdout, false, &session_fields, session);
}

static int code_of(const struct outcome *outcome)
{
	static const int codes[] = {
		[VERDICT_CONFIRMED] = EXIT_OK,
		[VERDICT_REFUTED] = EXIT_REFUTED,
		[VERDICT_INCONCLUSIVE] = EXIT_INCONCLUSIVE,
	};

	if (outcome->state == OUTCOME_NOT_RUN)
		return EXIT_NO_SOURCE;
	if (outcome->state == OUTCOME_FAILED)
		return EXIT_FAILED;
	return codes[outcome->verdict];
}

/*
 * The worst code. With all, scenarios that this host cannot run do not count if
 * another was confirmed.
 */
static int exit_code(const struct session *session)
{
	static const int worst_first[] = { EXIT_REFUTED, EXIT_FAILED,
					   EXIT_INCONCLUSIVE, EXIT_NO_SOURCE,
					   EXIT_OK };
	size_t counts[EXIT_REFUTED + 1] = { 0 };

	for (size_t i = 0; i < session->count; i++)
		counts[code_of(&session->outcomes[i])]++;
	if (session->options->all && counts[EXIT_OK])
		counts[EXIT_NO_SOURCE] = 0;
	for (size_t i = 0; i < sizeof(worst_first) / sizeof(*worst_first);
	     i++) {
		if (counts[worst_first[i]])
			return worst_first[i];
	}
	return EXIT_FAILED;
}

/* Fails, before anything is made, if the source of --source is unusable. */
static int check_source(const struct session *session, struct error *err)
{
	const char *source = session->options->common.source;
	struct snapshot snapshot = { 0 };
	int ret = 0;

	if (source)
		ret = source_collect_device(session->root, source, 0, &snapshot,
					    err);
	snapshot_deinit(&snapshot);
	/* Device 0 never exists, so any other error only says so. */
	return ret < 0 && err->class == ERROR_UNUSABLE ? ret : 0;
}

static int begin(struct session *session, struct error *err)
{
	if (geteuid() != 0)
		return error_advise(err, EPERM, "reproducing",
				    "it makes loop devices and mounts them",
				    "use sudo", "only root may do this");
	session->outcomes = calloc(scenarios_asked(session->options),
				   sizeof(*session->outcomes));
	if (!session->outcomes)
		return error_errno(err, ENOMEM, "reproducing", "the scenarios");
	return check_source(session, err);
}

static void end(struct session *session)
{
	for (size_t i = 0; i < session->count; i++)
		outcome_deinit(&session->outcomes[i]);
	free(session->outcomes);
	string_list_deinit(&session->removed);
	fflush(stdout);
	stop_deinit(&session->stop);
}

static int run_session(struct session *session)
{
	const struct options *options = session->options;
	struct error err = { 0 };
	int ret = begin(session, &err);

	if (!ret)
		ret = reach("running experiments", options->repro.dir, &err);
	if (!ret)
		ret = lab_isolate(&err);
	if (!ret)
		ret = lab_remove_dead(session->root, options->repro.dir,
				      &session->removed, &err);
	say_removed(session);
	if (ret < 0)
		return exit_printing(&err);
	ret = run_all(session);
	if (options->common.json)
		print_json(session);
	if (!options->all || options->common.json)
		say_errors(session);
	if (session->is_untold) {
		error_errno(&err, ENOMEM, "printing", "the experiments");
		return exit_printing(&err);
	}
	return ret < 0 ? EXIT_FAILED : exit_code(session);
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	struct session session = { .options = options, .root = root };
	int code;

	if (options->list) {
		if (options->common.json)
			repro_json_list(stdout);
		else
			repro_text_list(stdout);
		return EXIT_OK;
	}
	/* What takes long here is the experiment, and progress tells of it. */
	root->patience->tell = NULL;
	patience_end(root->patience);
	stop_init(&session.stop);
	progress_init(&session.progress, stderr, options->verbose);
	code = run_session(&session);
	end(&session);
	return code;
}

const struct command_line command_repro = {
	.name = "repro",
	.brief = "show what fills buffers, by experiment",
	.rows = option_rows,
	.operands = "SCENARIO... | all",
	.word = scenario_word,
	.document = &session_fields,
	.about = "Show on this kernel what fills Buffers and Cached and what "
		 "does not: each\n"
		 "scenario is an experiment with a verdict. It uses a loop "
		 "device on a sparse\n"
		 "file; both are made for it and removed afterwards. It writes "
		 "to no other device\n"
		 "and drops nothing else from the cache.\n",
	.exit_status =
		"Exit status: 0 all confirmed, 1 failure, 2 the host lacks "
		"something that is\n"
		"needed, 3 inconclusive, 4 refuted.\n",
	.options_size = sizeof(struct options),
	.init = init,
	.check = check,
	.run = run,
};
