/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers over a socket what a sick disk keeps bufstat from answering. The
 * recorder is in locked memory and its children have the same memory. A client
 * sends a line, the words of a command, and gets what the command prints. So
 * any program that can talk to a socket will do. Blanks in a word are escaped
 * as in /proc/mounts (octal_unescape()).
 */
#ifndef BUFSTAT_RECORD_ANSWER_H
#define BUFSTAT_RECORD_ANSWER_H

#include <sys/types.h>

struct error;

/* The socket, for root alone. */
#define RECORD_SOCKET "/run/bufstat/record.socket"

/*
 * A line that is no command: the answer is JSON of what each command has
 * brought in (filled_totals.h), or empty if nobody is traced.
 */
#define RECORD_TOTALS "totals"

enum {
	ANSWER_LINE = 4096, /* bytes of a line, with its end */
	ANSWERS_AT_ONCE = 4,
	ANSWER_SECONDS = 20, /* no answer takes this long */
};

/*
 * Runs in a child of the recorder, with stdout and stderr as the client has
 * them: answers @line, which has no newline. Returns the exit status.
 */
typedef int answer_fn(const void *data, char *line);

struct answers {
	int listener; /* -1: there is none */
	pid_t children[ANSWERS_AT_ONCE]; /* 0: none */
};

/*
 * Listens on RECORD_SOCKET. Returns 0 or a negative errno: -EADDRINUSE if
 * another recorder listens there.
 */
int answers_init(struct answers *answers, struct error *err);

/* Also removes the socket. */
void answers_deinit(struct answers *answers);

/*
 * Starts a child that answers the next client. If ANSWERS_AT_ONCE are at work
 * already, the client has to come again. @close_too is a descriptor that the
 * child must not keep.
 */
void answers_accept(struct answers *answers, answer_fn *answer,
		    const void *data, int close_too);

/* Notes that a child has ended. */
void answers_forget(struct answers *answers, pid_t pid);

/*
 * Asks the recorder for the answer to @line and copies it to @out, a
 * descriptor. Waits for each part of it for @seconds; ANSWER_SECONDS are enough
 * for every answer. Returns 0 or a negative errno: -ENOENT or -ECONNREFUSED if
 * there is no recorder, -EACCES if this user may not ask, -EAGAIN if it does
 * not answer.
 */
int answer_get(const char *line, int out, int seconds);

#endif
