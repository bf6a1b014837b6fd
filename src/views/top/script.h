/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A script in place of the user, for tests: BUFSTAT_TOP_SCRIPT in the
 * environment names its file. There is no terminal then. Each line is done only
 * after everything that the screen has asked for was answered, so a test needs
 * no pauses. Lines:
 *
 *	size COLUMNS LINES
 *	keys TEXT	characters, and names such as <Enter>, <Up>, <C-c>, <lt>
 *	save FILE	the screen, as curses has it, at the end of the file
 *	clock TEXT	shown in place of the time from now on
 *	wait N		until the tab that is shown was measured N times
 *	hurry		from now on, no line waits for answers
 *	sleep N		seconds, whatever was answered
 *
 * and empty ones. The program ends as with q after the last line.
 */
#ifndef BUFSTAT_TOP_SCRIPT_H
#define BUFSTAT_TOP_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

struct error;

#define SCRIPT_VARIABLE "BUFSTAT_TOP_SCRIPT"

/* All zero: there is none. */
struct script {
	char *text; /* NULL: there is none */
	char *next; /* the line, or the rest of its keys */
	bool in_keys;
};

enum script_kind {
	SCRIPT_END,
	SCRIPT_KEY,
	SCRIPT_SIZE,
	SCRIPT_SAVE,
	SCRIPT_CLOCK,
	SCRIPT_WAIT,
	SCRIPT_HURRY,
	SCRIPT_SLEEP,
	SCRIPT_WRONG, /* text is the line that nobody understands */
};

struct script_step {
	enum script_kind kind;
	int key; /* a character or an enum key */
	size_t width, height;
	uint64_t count;
	const char *text; /* valid until the script is closed */
};

/* Reads the script, if the environment names one. Returns 0 or an errno < 0. */
int script_open(struct script *script, struct error *err);
void script_close(struct script *script);

/* Takes the next step. */
void script_next(struct script *script, struct script_step *step);

#endif
