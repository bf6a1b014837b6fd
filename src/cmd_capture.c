// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ask/new_file.h"
#include "capture/capture.h"
#include "command.h"
#include "frame/command_line.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "measure/refused.h"
#include "measure/source.h"
#include "sample/reading.h"

struct options {
	struct common_options common;
	bool no_paths;
};

static const struct option_row option_rows[] = {
	ROW_FLAG('\0', "no-paths", struct options, no_paths,
		 "leave out the paths of files"),
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

	if (options->common.operand_count == 1)
		return 0;
	return error_remedy(err,
			    error_doing(err, EINVAL, "reading options", NULL,
					"capture takes one file"),
			    "see bufstat capture --help");
}

static int write_to_file(const struct options *options,
			 const struct sysroot *root, struct reading *reading,
			 struct error *err)
{
	const char *path = options->common.operands[0];
	struct new_file file;
	int ret = new_file_create(&file, "writing a capture", path, err);

	if (ret < 0)
		return ret;
	ret = capture_write(file.out, root, options->common.source,
			    !options->no_paths, reading, err);
	if (ret < 0) {
		new_file_discard(&file);
		return ret;
	}
	return new_file_commit(&file, err);
}

static int write_to_stdout(const struct options *options,
			   const struct sysroot *root, struct reading *reading,
			   struct error *err)
{
	if (isatty(STDOUT_FILENO))
		return error_doing(err, EINVAL, "writing a capture",
				   "standard output",
				   "standard output is a terminal; name a "
				   "file");
	return capture_write(stdout, root, options->common.source,
			     !options->no_paths, reading, err);
}

static int exit_code(const struct measurement *measurement)
{
	if (measurement->collected < 0)
		return exit_code_of(&measurement->why);
	return snapshot_is_whole(&measurement->snapshot) ? EXIT_OK :
							   EXIT_PARTIAL;
}

static int run(void *data, const struct sysroot *root)
{
	_cleanup_(reading_deinit) struct reading reading = { 0 };
	const struct measurement *measurement = &reading.measurement;
	const struct options *options = data;
	struct error err;
	int ret;

	if (strcmp(options->common.operands[0], "-") == 0)
		ret = write_to_stdout(options, root, &reading, &err);
	else
		ret = write_to_file(options, root, &reading, &err);
	if (ret < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	refused_print(measurement, true, NULL);
	return exit_code(measurement);
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
		"file that every command reads with --capture. It has names of "
		"devices,\n"
		"filesystems, mount points and processes, and the paths of the "
		"100 files with\n"
		"most cache; no serial numbers, options, network addresses or "
		"contents of files.\n",
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source "
		"(the rest is\n"
		"captured), 3 measured in part.\n",
	.options_size = sizeof(struct options),
	.check = check,
	.run = run,
};
