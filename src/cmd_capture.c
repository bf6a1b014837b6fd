// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "cleanup.h"
#include "command.h"
#include "command_line.h"
#include "error.h"
#include "measure.h"
#include "new_file.h"
#include "refused.h"

static void print_help(void)
{
	fputs("Usage: bufstat capture [options] FILE\n"
	      "\n"
	      "Writes what bufstat reads of this host to FILE (-: standard "
	      "output), a tar\n"
	      "file that every command reads with --capture. It has names of "
	      "devices,\n"
	      "filesystems, mount points and processes; no serial numbers, "
	      "options, network\n"
	      "addresses or contents of files.\n"
	      "\n"
	      "     --source NAME     module, cachestat, kcore (else the best)\n"
	      "     --sysroot DIR     read a captured tree, not this host\n"
	      "     --capture FILE    read what bufstat capture wrote\n"
	      " -h, --help            this text\n"
	      " -V, --version         the version\n"
	      "\n"
	      "Exit status: 0 all measured, 1 failure, 2 no usable source (all "
	      "else is\n"
	      "captured), 3 measured in part.\n",
	      stdout);
}

static int write_to_file(const char *path, const struct sysroot *root,
			 const char *source, struct measurement *measurement,
			 struct error *err)
{
	struct new_file file;
	int ret = new_file_create(&file, path);

	if (ret < 0)
		return error_errno(err, -ret, "writing a capture", path);
	ret = capture_write(file.out, root, source, measurement, err);
	if (ret < 0) {
		new_file_discard(&file);
		return ret;
	}
	ret = new_file_commit(&file);
	if (ret < 0)
		return error_errno(err, -ret, "writing a capture", path);
	return 0;
}

static int write_to_stdout(const struct sysroot *root, const char *source,
			   struct measurement *measurement, struct error *err)
{
	if (isatty(STDOUT_FILENO))
		return error_set(err, EINVAL,
				 "writing a capture: standard output: a "
				 "terminal shows no tar file; name a file");
	return capture_write(stdout, root, source, measurement, err);
}

static int exit_code(const struct measurement *measurement)
{
	if (measurement->collected == -EOPNOTSUPP)
		return EXIT_NO_SOURCE;
	if (measurement->collected < 0)
		return EXIT_FAILED;
	return snapshot_is_whole(&measurement->snapshot) ? EXIT_OK :
							   EXIT_PARTIAL;
}

static int run(void *data, const struct sysroot *root)
{
	_cleanup_(measurement_deinit) struct measurement measurement = { 0 };
	const struct common_options *options = data;
	struct error err;
	int ret;

	if (options->json)
		ret = error_set(&err, EINVAL,
				"reading options: --json: a capture is a tar "
				"file");
	else if (options->operand_count != 1)
		ret = error_set(&err, EINVAL,
				"reading options: capture takes one file (see "
				"bufstat capture --help)");
	else if (strcmp(options->operands[0], "-") == 0)
		ret = write_to_stdout(root, options->source, &measurement,
				      &err);
	else
		ret = write_to_file(options->operands[0], root, options->source,
				    &measurement, &err);
	if (ret < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	refused_print(&measurement, true);
	return exit_code(&measurement);
}

int cmd_capture(int argc, char **argv)
{
	static const struct command_line line = {
		.name = "capture",
		.print_help = print_help,
		.takes_operands = true,
		.run = run,
	};
	struct common_options options = { 0 };

	return command_line_run(&line, argc, argv, &options, &options);
}
