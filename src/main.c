// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "commands/command.h"
#include "lib/debug.h"
#include "lib/error.h"
#include "lib/oom_score.h"

/* Bytes; free lives with a stack of 64 KiB. */
#define LEAST_STACK (1UL << 20)

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

/* Too large a file is an error of write(2). A program that is run has its own. */
static void be_told(int number __attribute__((unused)))
{
}

/* Each category takes its time, and these are what is used. */
static void use_locale(void)
{
	setlocale(LC_CTYPE, "");
	setlocale(LC_NUMERIC, "");
	setlocale(LC_MESSAGES, "");
}

/* Whether free's headings are in English, whatever catalogs there are. */
static bool is_plain_locale(void)
{
	static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
	const char *name = NULL, *languages = getenv("LANGUAGE");

	for (size_t i = 0; (!name || !*name) && i < 3; i++)
		name = getenv(names[i]);
	return (!languages || !*languages) &&
	       (!name || strcmp(name, "C") == 0 ||
		strncmp(name, "C.", 2) == 0 || strcmp(name, "POSIX") == 0);
}

/*
 * free's table in its usual unit has digits only. It is asked for most often,
 * and looking up a locale would be a quarter of its time.
 */
static bool needs_locale(int argc, char **argv)
{
	bool is_table = called_free() ? argc == 1 :
					argc == 2 && strcmp(argv[1],
							    "--only-free") == 0;

	return !is_table || !is_plain_locale();
}

static int run(int argc, char **argv)
{
	const struct command_line *command = NULL;
	const int oom_score = oom_score_raise();
	struct error err;

	if (needs_locale(argc, argv))
		use_locale();
	if (debug_help()) {
		puts(debug_help());
		return close_stdout(EXIT_OK, "writing: standard output");
	}
	if (debug_check(&err) < 0 ||
	    (!called_free() &&
	     command_choose(argc, argv, &command, &err) < 0)) {
		error_print(&err);
		return EXIT_FAILED;
	}
	if (command)
		return close_stdout(command_line_run(command, command_answer,
						     oom_score, argc - 1,
						     argv + 1),
				    "writing: standard output");
	/* free prints "write error" too. */
	return close_stdout(cmd_summary(argc, argv), "write error");
}

/* makecontext(3) hands over numbers of 32 bits. */
union words {
	char **argv;
	unsigned int halves[2];
};

static void run_and_exit(int argc, unsigned int first, unsigned int second)
{
	exit(run(argc, ((union words){ .halves = { first, second } }).argv));
}

/* Returns if it cannot. Whatever needs still more is ended at its last pages. */
static void run_on_own_stack(int argc, char **argv)
{
	const union words words = { argv };
	char *stack = mmap(NULL, LEAST_STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	ucontext_t own;

	if (stack == MAP_FAILED ||
	    mprotect(stack, LEAST_STACK / 16, PROT_NONE) < 0 ||
	    getcontext(&own) < 0)
		return;
	own.uc_stack.ss_sp = stack;
	own.uc_stack.ss_size = LEAST_STACK;
	makecontext(&own, (void (*)(void))run_and_exit, 3, argc,
		    words.halves[0], words.halves[1]);
	setcontext(&own);
}

int main(int argc, char **argv)
{
	/* Room for the longest message, of which each byte is escaped. */
	static char message[4 * ERROR_TEXT_SIZE + NAME_MAX + sizeof(": \n")];
	const struct sigaction told = { .sa_handler = be_told };
	struct rlimit stack;

	/* One write(2) each, of children too: others write to the journal. */
	setvbuf(stderr, message, _IOLBF, sizeof(message));
	sigaction(SIGXFSZ, &told, NULL);
	if (getrlimit(RLIMIT_STACK, &stack) == 0 &&
	    stack.rlim_cur < LEAST_STACK)
		run_on_own_stack(argc, argv);
	return run(argc, argv);
}
