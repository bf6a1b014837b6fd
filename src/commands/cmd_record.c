// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calls/place.h"
#include "cli/command_line.h"
#include "commands/command.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/oom_score.h"
#include "lib/sysroot.h"
#include "record/recorder.h"
#include "store/recording.h"
#include "worker/reach.h"

#define DEFAULT_SECONDS 10
#define MOST_SECONDS 3600
#define DEFAULT_SIZE (UINT64_C(64) << 20)
#define LEAST_SIZE (UINT64_C(4) << 20)
#define MOST_SIZE (UINT64_C(4) << 30)
#define MOST_WORDS 64

struct options {
	struct common_options common;
	const char *dir;
	uint64_t seconds;
	uint64_t size;
};

static int take_seconds(void *place, const struct option_given *given,
			struct error *err)
{
	uint64_t *seconds = place;

	if (number_parse(given->value, MOST_SECONDS, seconds) && *seconds)
		return 0;
	return error_option(err, "--interval",
			    "%s: not a number of seconds from 1 to %d",
			    given->value, MOST_SECONDS);
}

static int take_size(void *place, const struct option_given *given,
		     struct error *err)
{
	uint64_t *size = place;

	if (size_parse(given->value, size) && *size >= LEAST_SIZE &&
	    *size <= MOST_SIZE)
		return 0;
	return error_option(err, "--room", "%s: not a size from 4M to 4G",
			    given->value);
}

static const struct option_row option_rows[] = {
	ROW_TEXT('\0', "dir", struct options, dir, "DIR", WORDS_DIRECTORIES,
		 "record there; the default is " RECORDING_DIR),
	ROW_CALL('\0', "interval", struct options, seconds, "S", take_seconds,
		 "take a reading every S seconds; the default is 10"),
	ROW_CALL('\0', "room", struct options, size, "SIZE", take_size,
		 "room on the disk; the default is 64M, which is some weeks"),
	ROW_MOVED('\0', "size", "size", "room"),
	ROW_REFUSED('J', "json", NULL, "bufstat history prints JSON"),
	ROW_REFUSED('\0', "sysroot", "DIR", "only a running host is recorded"),
	ROW_REFUSED('\0', "capture", "FILE", "only a running host is recorded"),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

static void init(void *data)
{
	struct options *options = data;

	options->dir = RECORDING_DIR;
	options->seconds = DEFAULT_SECONDS;
	options->size = DEFAULT_SIZE;
}

static bool has_option(char *const *words, int count, const char *option)
{
	for (int i = 0; i < count; i++) {
		if (strncmp(words[i], option, strlen(option)) == 0)
			return true;
	}
	return false;
}

/* What a client of the socket may ask for; nothing is to be traced for it. */
static bool can_be_asked(const struct command_line *command, char *const *words,
			 int count)
{
	if (command == &command_who)
		return has_option(words, count, "--at") ||
		       has_option(words, count, "--from") ||
		       has_option(words, count, "--to");
	return command == &command_history || command->reads_recording;
}

/* Runs the command on the recording at @path. */
static int run_command(const struct command_line *command, const char *path,
		       char **words, int count)
{
	char dir[] = "--dir", at[] = "--at", now[] = "now", where[128];
	bool has_at = !command->reads_recording ||
		      has_option(words, count, "--at");

	snprintf(where, sizeof(where), "%s", path);
	/* Options may come after operands. */
	words[count++] = dir;
	words[count++] = where;
	if (!has_at) {
		words[count++] = at;
		words[count++] = now;
	}
	words[count] = NULL;
	return command_line_run(command, command_answer, OOM_SCORE_FIRST, count,
				words);
}

/* The first words may be bufstat's name and, without a command, are none. */
static int answer(const char *path, char *line)
{
	char *words[MOST_WORDS + 5], *rest = NULL, *word;
	const struct command_line *command;
	struct error err;
	int count = 0;

	for (word = strtok_r(line, " \t\r", &rest); word && count < MOST_WORDS;
	     word = strtok_r(NULL, " \t\r", &rest)) {
		if (!count && strcmp(word, "bufstat") == 0)
			continue;
		octal_unescape(word);
		words[count++] = word;
	}
	if (word) {
		error_doing(&err, EINVAL, "answering", words[0],
			    "more than %d words", MOST_WORDS);
		return exit_printing(&err);
	}
	if (!count)
		words[count++] = (char *)"devices";
	command = command_find(words[0]);
	if (command && can_be_asked(command, words, count))
		return run_command(command, path, words, count);
	error_doing(&err, EINVAL, "answering", words[0],
		    "the recorder answers history, devices, filesystems, "
		    "memory and explain, and who with --at or --from");
	return exit_printing(&err);
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	const struct recorder_options recorder = {
		.dir = options->dir,
		.size = options->size,
		.interval_ms = (int64_t)options->seconds * 1000,
		.answer = answer,
		.tell = error_tell,
	};
	struct error err;

	/* Whoever killed bufstat path and its guard may have restarted this. */
	if (place_clean(root, &err) < 0)
		error_print(&err);
	if (reach("recording", recorder.dir, &err) == 0 &&
	    recorder_run(&recorder, &err) == 0)
		return EXIT_OK;
	return exit_printing(&err);
}

const struct command_line command_record = {
	.name = "record",
	.brief = "record this host, for history and --at",
	.rows = option_rows,
	.about = "Takes a reading of this host every ten seconds until it is "
		 "ended, and keeps\n"
		 "all of them in a file of fixed size, the newest readings "
		 "in memory too.\n"
		 "bufstat history shows what grew and when; --at shows a "
		 "reading again.\n",
	.exit_status = "Exit status: 0 ended by a signal, 1 failure.\n",
	.options_size = sizeof(struct options),
	.init = init,
	.run = run,
};
