/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What went wrong, as the user will read it: "doing what: object: reason".
 * Functions below the commands return a negative errno and fill one of these;
 * only main and the commands print it.
 */
#ifndef BUFSTAT_ERROR_H
#define BUFSTAT_ERROR_H

struct error {
	char text[1024];
};

/* Fills @err (NULL is allowed) from a format; returns -@number. */
int error_set(struct error *err, int number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The usual text, "@doing: @object: strerror(@number)"; returns -@number. */
int error_errno(struct error *err, int number, const char *doing,
		const char *object);

/* Adds what @reason says, behind a semicolon if there is something already. */
void error_append(struct error *err, const struct error *reason);

/*
 * Prints "bufstat: text", or what else the program was called, and a newline on
 * stderr, control characters escaped: what a file or a device name contains
 * must not reach the terminal raw.
 */
void error_print(const struct error *err);

#endif
