// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture.h"
#include "cli/command_line.h"
#include "cli/interval.h"
#include "commands/command.h"
#include "commands/command_past.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/source.h"
#include "recorded/growth.h"
#include "sample/device_question.h"
#include "sample/reading.h"
#include "store/excerpt.h"
#include "worker/file_text.h"
#include "worker/new_file.h"

struct options {
	struct common_options common;
	bool no_paths;
	bool redact;
	struct moment from;
	struct moment to;
};

static const struct option_row option_rows[] = {
	ROW_FLAG('\0', "no-paths", struct options, no_paths,
		 "leave out the paths of files"),
	ROW_FLAG('\0', "redact", struct options, redact,
		 "replace the names of hosts, files and processes"),
	ROW_CALL('\0', "from", struct options, from, "TIME", moment_take,
		 "with the recording from then on"),
	ROW_CALL('\0', "to", struct options, to, "TIME", moment_take,
		 "with the recording until then; the default is now"),
	ROW_GROUP(struct options, common, recording_option),
	ROW_REFUSED('J', "json", NULL, "a capture is a tar file"),
	ROW_GROUP(struct options, common, source_option),
	ROW_GROUP(struct options, common, tree_options),
	ROW_GROUP(struct options, common, timeout_option),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

static int check(void *data, struct error *err)
{
	const struct options *options = data;

	if (options->common.recording && !options->from.count &&
	    !options->to.count)
		return error_option(err, "--dir", "only with --from or --to");
	if (options->common.operand_count == 1)
		return 0;
	return error_advise(err, EINVAL, "reading options", NULL,
			    "see bufstat capture --help",
			    "capture takes one file");
}

static int write_to_file(const char *path,
			 const struct capture_options *options,
			 const struct sysroot *root, struct reading *reading,
			 struct error *err)
{
	struct new_file file;
	int ret = new_file_create(&file, "writing a capture", path, err);

	if (ret < 0)
		return ret;
	ret = capture_write(file.out, root, options, reading, err);
	if (ret < 0) {
		new_file_discard(&file);
		return ret;
	}
	return new_file_commit(&file, err);
}

static int write_to_stdout(const struct capture_options *options,
			   const struct sysroot *root, struct reading *reading,
			   struct error *err)
{
	if (isatty(STDOUT_FILENO))
		return error_doing(err, EINVAL, "writing a capture",
				   "standard output",
				   "standard output is a terminal; name a "
				   "file");
	return capture_write(stdout, root, options, reading, err);
}

static void count_lack(void *count,
		       const struct error *err __attribute__((unused)))
{
	++*(size_t *)count;
}

static int write_capture(const struct options *options,
			 const struct sysroot *root, struct reading *reading,
			 struct capture_options *capture, struct error *err)
{
	_cleanup_(recording_place_deinit) struct recording_place place = {
		.fd = -1
	};
	const char *path = options->common.operands[0];
	struct growth_span span;
	int ret = 0;

	if (options->from.count || options->to.count) {
		ret = growth_span_choose(&span, root, &options->from,
					 &options->to, err);
		if (!ret)
			ret = recording_place_init(
				&place, root, options->common.recording, err);
		capture->recording = place.where;
		capture->from_ms = span.from_ms;
		capture->to_ms = span.to_ms;
	}
	if (ret < 0)
		return ret;
	return strcmp(path, "-") == 0 ?
		       write_to_stdout(capture, root, reading, err) :
		       write_to_file(path, capture, root, reading, err);
}

static int run(void *data, const struct sysroot *root)
{
	_cleanup_(reading_deinit) struct reading reading = { 0 };
	const struct options *options = data;
	const char *path = options->common.operands[0];
	const struct device_answer *devices;
	char text[PATH_MAX + 80];
	struct error err;
	int openers_failed = 0;
	size_t lacks = 0;
	struct capture_options capture = {
		.source = options->common.source,
		.paths = !options->no_paths,
		.redacts = options->redact,
		.openers_failed = &openers_failed,
	};

	if (write_capture(options, root, &reading, &capture, &err) < 0)
		return exit_printing(&err);
	reading_missing(&reading, sysroot_is_live(root), count_lack, &lacks);
	lacks += openers_failed != 0;
	snprintf(text, sizeof(text), "the capture was written to %s%s", path,
		 lacks ? ", but not all is in it:" : " and is whole");
	/* Of standard output, only main() knows whether it took all. */
	if (strcmp(path, "-") != 0)
		error_tell(text);
	reading_missing(&reading, sysroot_is_live(root), told_print, NULL);
	if (openers_failed) {
		error_doing(&err, ERROR_PARTIAL, "looking for open devices",
			    "/proc/PID/fd", "%s (the capture has none)",
			    file_text_why(-openers_failed));
		error_print(&err);
	}
	devices = reading_answer(&reading, QUESTION_DEVICES);
	if (devices->devices.collected < 0)
		return exit_code_of(&devices->devices.why);
	return lacks ? EXIT_PARTIAL : EXIT_OK;
}

const struct command_line command_capture = {
	.name = "capture",
	.brief = "save this host as one file, for --capture",
	.rows = option_rows,
	.operands = "FILE",
	.words = WORDS_FILES,
	.about =
		"Writes what bufstat reads of this host to FILE (-: standard "
		"output), a tar\n"
		"file that most commands read with --capture. It has names of "
		"devices,\n"
		"filesystems, mount points and processes, and the paths of the "
		"100 files with\n"
		"most cache; no serial numbers, options, network addresses or "
		"contents of files.\n"
		"With --from it also has what bufstat record has recorded since "
		"then.\n",
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source "
		"(the rest is\n"
		"captured), 3 measured in part.\n",
	.options_size = sizeof(struct options),
	.check = check,
	.run = run,
};
