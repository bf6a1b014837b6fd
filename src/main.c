// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "frame/command_line.h"
#include "lib/error.h"
#include "lib/oom_score.h"

/* Whether stdout is a pipe or a socket whose reader has gone away. */
static bool has_lost_reader(void)
{
	struct pollfd output = { .fd = STDOUT_FILENO };

	return poll(&output, 1, 0) == 1 && (output.revents & POLLERR);
}

/*
 * Lost output is a failure, whatever the command returned. If an earlier write
 * failed, its errno is gone and no reason is printed.
 */
static int close_stdout(int code, const char *doing)
{
	struct error err;
	bool lost_reader = has_lost_reader();
	int failed = ferror(stdout);

	errno = 0;
	if ((fclose(stdout) != 0 || failed) && !lost_reader) {
		error_set(&err, EIO, "%s%s%s", doing, errno ? ": " : "",
			  errno ? strerror(errno) : "");
		error_print(&err);
		return EXIT_FAILED;
	}
	return code;
}

/*
 * Others write to the same journal: a message is one write(2), here and in all
 * children, however many calls make it. The buffer has room for the longest,
 * each byte of which may be escaped.
 */
static void write_whole_messages(void)
{
	static char message[4 * ERROR_TEXT_SIZE + NAME_MAX + sizeof(": \n")];

	setvbuf(stderr, message, _IOLBF, sizeof(message));
}

int main(int argc, char **argv)
{
	const struct command_line *command = NULL;
	const int oom_score = oom_score_raise();
	struct error err;

	write_whole_messages();
	/* Each category takes its time, and these are what is used. */
	setlocale(LC_CTYPE, "");
	setlocale(LC_NUMERIC, "");
	setlocale(LC_MESSAGES, "");
	if (!called_free() && command_choose(argc, argv, &command, &err) < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	if (command)
		return close_stdout(command_line_run(command, oom_score,
						     argc - 1, argv + 1),
				    "writing: standard output");
	/* free prints "write error" too. */
	return close_stdout(cmd_summary(argc, argv), "write error");
}
