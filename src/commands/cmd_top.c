// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "cli/command_line.h"
#include "cli/interval.h"
#include "cli/moment.h"
#include "commands/command.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/source.h"
#include "store/recording.h"
#include "top/batch.h"
#include "top/loop.h"
#include "top/tab.h"
#include "worker/reach.h"

struct options {
	struct common_options common;
	struct interval interval;
	struct moment at;
	enum question_id tab;
	bool batch;
};

static const char *tab_word(size_t which)
{
	return which < QUESTION_TABS ? questions[which]->name : NULL;
}

static int take_tab(void *place, const struct option_given *given,
		    struct error *err)
{
	enum question_id tab = tab_find(given->value);

	if (tab == QUESTION_TABS)
		return error_advise(err, EINVAL, "reading options", "--tab",
				    "see bufstat top --help", "%s: no such tab",
				    given->value);
	*(enum question_id *)place = tab;
	return 0;
}

static const struct option_row option_rows[] = {
	ROW_FLAG('\0', "batch", struct options, batch,
		 "print tables one after the other, for a file or a pipe"),
	ROW_CALL('c', "count", struct options, interval, "N", repeat_take_count,
		 "with --batch: stop after N times"),
	ROW_MOVED('b', "bytes", "batch", "batch"),
	ROW_MOVED('n', "noheadings", "iterations", "count"),
	ROW_CALL('s', "seconds", struct options, interval, "N",
		 repeat_take_seconds, "measure every N seconds (1)"),
	ROW_CALL('\0', "tab", struct options, tab, "NAME", take_tab,
		 "begin with devices (the default), filesystems, files, who, "
		 "cgroups, slab or memory",
		 .word = tab_word),
	ROW_TEXT('\0', "dir", struct options, common.recording, "DIR",
		 WORDS_DIRECTORIES,
		 "step through the recording in DIR (see bufstat record)"),
	ROW_CALL('\0', "at", struct options, at, "TIME", moment_take,
		 "begin there; without --dir, in " RECORDING_DIR),
	ROW_GROUP(struct options, common, source_option),
	ROW_GROUP(struct options, common, tree_options),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

static bool is_replay(const struct options *options)
{
	return options->common.recording || options->at.count;
}

/* A recording is of its own host and source. */
static int check_replay(const struct options *options, struct error *err)
{
	const char *other = options->common.sysroot   ? "--sysroot" :
			    options->common.source    ? "--source" :
			    options->interval.seconds ? "--seconds" :
							NULL;

	if (!is_replay(options) || !other)
		return 0;
	return error_option(err, options->at.count ? "--at" : "--dir",
			    "cannot be used with %s", other);
}

static int check(void *data, struct error *err)
{
	const struct options *options = data;

	if (options->interval.count && !options->batch)
		return error_option(err, "--count", "only with --batch");
	return check_replay(options, err);
}

static struct work_options work_of(const struct options *options,
				   const struct sysroot *root)
{
	return (struct work_options){
		.root = root,
		.source = options->common.source,
		.recording = !is_replay(options) ? NULL :
			     options->common.recording ?
						   options->common.recording :
						   RECORDING_DIR,
		.has_at = options->at.count,
		/* Of a time that the clock showed twice, the last one. */
		.at_ms = options->at.count ?
				 options->at.ms[options->at.count - 1] +
					 MOMENT_LAST_MS :
				 0,
	};
}

static int run_screen(const struct options *options, const struct sysroot *root)
{
	const struct loop_options loop = {
		.work = work_of(options, root),
		.tab = options->tab,
		.seconds = options->interval.seconds ?: 1,
	};
	struct error err;
	bool shown;

	if (loop_run(&loop, &shown, &err) < 0)
		return exit_printing(&err);
	return shown ? EXIT_OK : EXIT_FAILED;
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	const struct batch_options batch = {
		.work = work_of(options, root),
		.tab = options->tab,
		.interval = &options->interval,
	};
	struct error err;

	if (is_replay(options) &&
	    reach("reading a recording", batch.work.recording, &err) < 0)
		return exit_printing(&err);
	return options->batch ? batch_run(&batch) : run_screen(options, root);
}

const struct command_line command_top = {
	.name = "top",
	.brief = "the host on one screen",
	.rows = option_rows,
	.about =
		"A screen to keep open: all of memory as a bar, the limit that "
		"is next, and below\n"
		"them tabs with devices, filesystems, files, processes (who), "
		"cgroups, slab caches\n"
		"and the heads of memory. The key ? shows the keys.\n"
		"With --dir or --at, it shows a recording, one reading at a "
		"time.\n",
	.exit_status = "Exit status: 0 memory was shown, 1 failure.\n",
	.options_size = sizeof(struct options),
	.check = check,
	.run = run,
};
