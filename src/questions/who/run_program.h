/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the user's program while something is measured, as env(1) does. */
#ifndef BUFSTAT_RUN_PROGRAM_H
#define BUFSTAT_RUN_PROGRAM_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct common_options;
struct error;

enum {
	PROGRAM_NOT_RUN = 125, /* our own failure */
	PROGRAM_NOT_STARTED = 126, /* it is there, but could not be executed */
	PROGRAM_NOT_FOUND = 127,
	PROGRAM_BY_SIGNAL = 128, /* plus the number of the signal */
};

/* What is done with the process before it becomes the program. */
struct run_program_hook {
	/* Returns 0, or a negative errno with the reason: it does not start. */
	int (*ready)(void *data, pid_t child, struct error *err);
	void *data;
};

/*
 * Starts the program of @options, looked up in PATH, with the signals @mask
 * blocked. With @output_is_ours, its standard output goes to standard error.
 * @hook may be NULL. Returns its id, or a negative errno; *@code is then one of
 * the exit codes above.
 */
pid_t run_program_start(const struct common_options *options,
			const sigset_t *mask, bool output_is_ours,
			const struct run_program_hook *hook, int *code,
			struct error *err);

/* The exit code of a program that ended with @status, as waitpid() says. */
int run_program_code(int status);

#endif
