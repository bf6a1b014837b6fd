// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "command.h"
#include "command_line.h"
#include "error.h"
#include "experiment.h"
#include "json_out.h"
#include "number.h"
#include "progress.h"
#include "provenance.h"
#include "repro_json.h"
#include "repro_text.h"
#include "snapshot.h"
#include "source.h"
#include "stop.h"
#include "sysroot.h"

#define MIB (UINT64_C(1) << 20)
#define DEFAULT_SIZE (100 * MIB)
#define DEFAULT_FILES 10000
#define MAX_FILES 10000000

/* Behind the usual ones: a verdict is not a measurement that went well. */
enum { EXIT_INCONCLUSIVE = EXIT_PARTIAL, EXIT_REFUTED };

struct options {
	struct common_options common;
	struct repro_options repro;
	bool list;
	bool verbose;
	bool all;
};

enum {
	OPTION_DEVICE = COMMAND_OPTION,
	OPTION_DIR,
	OPTION_EXTERNAL,
	OPTION_FILES,
	OPTION_KEEP,
	OPTION_LIST,
	OPTION_OPPOSITE,
	OPTION_SIZE,
};

static const struct option names[] = {
	{ "device", required_argument, NULL, OPTION_DEVICE },
	{ "dir", required_argument, NULL, OPTION_DIR },
	{ "external", no_argument, NULL, OPTION_EXTERNAL },
	{ "files", required_argument, NULL, OPTION_FILES },
	{ "keep", no_argument, NULL, OPTION_KEEP },
	{ "list", no_argument, NULL, OPTION_LIST },
	{ "opposite", no_argument, NULL, OPTION_OPPOSITE },
	{ "size", required_argument, NULL, OPTION_SIZE },
	{ "verbose", no_argument, NULL, 'v' },
	{ 0 },
};

static void print_help(void)
{
	fputs("Usage: bufstat repro [options] SCENARIO...\n"
	      "       bufstat repro [options] all\n"
	      "       bufstat repro --list\n"
	      "\n"
	      "Show on this kernel what fills Buffers and Cached and what does "
	      "not: each\n"
	      "scenario is an experiment with a verdict. It takes place on a "
	      "loop device on\n"
	      "a sparse file that is made for it and removed afterwards; no "
	      "other device is\n"
	      "written to, and nothing of the rest of the cache is dropped.\n"
	      "\n"
	      "     --list            the scenarios\n"
	      "     --size SIZE       read or write that much (100M)\n"
	      "     --files N         files for find (10000)\n"
	      "     --dir DIR         where the file is made (/var/tmp)\n"
	      "     --device DEV      dd and drop: read DEV, which is not "
	      "written to,\n"
	      "                       in place of a loop device\n"
	      "     --external        run dd and find, where the scenario is "
	      "one\n"
	      "     --opposite        claim the opposite: has to be refuted\n"
	      "     --keep            leave the loop device and its file\n"
	      " -v, --verbose         say each step on standard error\n",
	      stdout);
	command_line_print_common();
	fputs("\n"
	      "Exit status: 0 all confirmed, 1 failure, 2 the host lacks what "
	      "it takes,\n"
	      "3 inconclusive, 4 refuted.\n",
	      stdout);
}

/* Whole mebibytes: the commands count them. */
static int set_size(struct repro_options *repro, const char *text,
		    struct error *err)
{
	static const char units[] = "KMGT";
	const char *rest = text, *unit;
	uint64_t size = 0;
	bool good = number_scan(&rest, UINT64_C(1) << 20, &size);

	unit = *rest ? strchr(units, *rest) : NULL;
	for (int i = 0; unit && i <= unit - units; i++)
		size <<= 10;
	if (unit)
		rest++;
	if (unit && strncmp(rest, "iB", 2) == 0)
		rest += 2;
	if (!good || *rest || !size || size > UINT64_C(1) << 50)
		return error_set(
			err, EINVAL,
			"reading options: --size: %s: not a size (100M "
			"or 1G, say)",
			text);
	repro->size_bytes = (size + MIB - 1) / MIB * MIB;
	return 0;
}

static int set_files(struct repro_options *repro, const char *text,
		     struct error *err)
{
	/* A page of inodes is the least that can be seen. */
	if (number_parse(text, MAX_FILES, &repro->files) && repro->files >= 100)
		return 0;
	return error_set(err, EINVAL,
			 "reading options: --files: %s: not a number from 100 "
			 "to %d",
			 text, MAX_FILES);
}

static int take_option(void *data, int option, struct error *err)
{
	struct options *options = data;
	struct repro_options *repro = &options->repro;

	switch (option) {
	case OPTION_DEVICE:
		repro->device = optarg;
		break;
	case OPTION_DIR:
		repro->dir = optarg;
		break;
	case OPTION_EXTERNAL:
		repro->external = true;
		break;
	case OPTION_FILES:
		return set_files(repro, optarg, err);
	case OPTION_KEEP:
		repro->keep = true;
		break;
	case OPTION_LIST:
		options->list = true;
		break;
	case OPTION_OPPOSITE:
		repro->opposite = true;
		break;
	case OPTION_SIZE:
		return set_size(repro, optarg, err);
	case 'v':
		options->verbose = true;
		break;
	}
	return 0;
}

static int check_scenario(const struct options *options, const char *name,
			  struct error *err)
{
	const struct scenario *scenario = scenario_find(name, err);

	if (!scenario)
		return -EINVAL;
	if (options->repro.device && !scenario->takes_device)
		return error_set(err, EINVAL,
				 "reading arguments: %s: --device is for dd "
				 "and drop only",
				 name);
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
		return error_set(err, EINVAL,
				 "reading arguments: repro: SCENARIO is "
				 "missing (see bufstat repro --list)");
	options->all = common->operand_count == 1 &&
		       strcmp(common->operands[0], "all") == 0;
	if (options->all && (options->repro.device || options->repro.keep))
		return error_set(err, EINVAL,
				 "reading arguments: all: name the scenario "
				 "for --device and --keep");
	for (size_t i = 0; !ret && !options->all && i < common->operand_count;
	     i++)
		ret = check_scenario(options, common->operands[i], err);
	return ret;
}

/* What all scenarios of one run share. */
struct session {
	const struct options *options;
	const struct sysroot *root;
	struct stop stop;
	struct progress progress;
	struct string_list removed;
	struct outcome *outcomes;
	size_t count;
};

static void watch(void *data, enum experiment_event event,
		  const struct outcome *outcome)
{
	const struct session *session = data;

	if (session->options->common.json)
		return;
	if (!session->options->all)
		repro_text_tell(stdout, event, outcome);
	else if (event == EXPERIMENT_ENDS)
		repro_text_row(stdout, outcome);
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

		error_set(&err, 0, "removed: %s: left by a run that was killed",
			  session->removed.strings[i]);
		error_print(&err);
	}
}

/* Failures are for standard error where standard output is a document. */
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

static int print_json(const struct session *session, struct error *err)
{
	const char *source = session->count ? session->outcomes[0].source :
					      NULL;
	struct provenance provenance;
	struct json_out json;
	int ret = provenance_init(&provenance, session->root);

	json_out_init(&json, stdout);
	json_out_object(&json, NULL);
	provenance_write(&json, &provenance, source, is_complete(session));
	json_out_strings(&json, "removed", &session->removed);
	json_out_array(&json, "experiments");
	for (size_t i = 0; i < session->count; i++)
		repro_json_write(&json, &session->outcomes[i]);
	json_out_array_end(&json);
	json_out_object_end(&json);
	json_out_finish(&json);
	provenance_deinit(&provenance);
	return ret < 0 ? error_errno(err, -ret, "printing", "the result") : 0;
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
 * The worst. What a host cannot run counts only where it was asked for by name,
 * or nothing else could be run.
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

/* Before anything is made: is there one of the name that was asked for? */
static int check_source(const struct session *session, struct error *err)
{
	const char *source = session->options->common.source;
	struct snapshot snapshot = { 0 };
	int ret = 0;

	if (source)
		ret = source_collect_device(session->root, source, 0, &snapshot,
					    err);
	snapshot_deinit(&snapshot);
	/* That there is no device 0 is no matter. */
	return ret == -EINVAL || ret == -EOPNOTSUPP ? ret : 0;
}

static int begin(struct session *session, struct error *err)
{
	if (!sysroot_is_live(session->root))
		return error_set(err, EINVAL,
				 "reproducing: %s: a captured tree is no place "
				 "for experiments",
				 session->root->prefix);
	if (geteuid() != 0)
		return error_set(err, EPERM,
				 "reproducing: it makes loop devices and "
				 "mounts them: it is for root (use sudo)");
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
	struct error err = { "" };
	int ret = begin(session, &err);

	if (!ret)
		ret = lab_isolate(&err);
	if (!ret)
		ret = lab_remove_dead(session->root, options->repro.dir,
				      &session->removed, &err);
	say_removed(session);
	if (ret < 0) {
		error_print(&err);
		return ret == -EOPNOTSUPP ? EXIT_NO_SOURCE : EXIT_FAILED;
	}
	ret = run_all(session);
	if (options->common.json && print_json(session, &err) < 0) {
		error_print(&err);
		ret = -ENOMEM;
	}
	if (!options->all || options->common.json)
		say_errors(session);
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
	stop_init(&session.stop);
	progress_init(&session.progress, stderr, options->verbose);
	code = run_session(&session);
	end(&session);
	return code;
}

int cmd_repro(int argc, char **argv)
{
	static const struct command_line line = {
		.name = "repro",
		.print_help = print_help,
		.letters = "v",
		.names = names,
		.take_option = take_option,
		.check = check,
		.takes_operands = true,
		.run = run,
	};
	struct options options = {
		.repro = {
			.dir = LAB_DEFAULT_PLACE,
			.size_bytes = DEFAULT_SIZE,
			.files = DEFAULT_FILES,
		},
	};

	return command_line_run(&line, argc, argv, &options.common, &options);
}
