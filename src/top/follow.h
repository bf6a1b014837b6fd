/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tab of bufstat who. It is a process that traces for as long as the tab is
 * shown, and reports in lines of JSON.
 */
#ifndef BUFSTAT_FOLLOW_H
#define BUFSTAT_FOLLOW_H

#include <stddef.h>

struct error;
struct sheet;

#define FOLLOW_WORDS 8
#define FOLLOW_SECONDS_SIZE 32

/*
 * The words of the command that reports every @seconds, with a NULL after them.
 * @text is room for one of them.
 */
void follow_words(const char *words[FOLLOW_WORDS], double seconds,
		  char text[FOLLOW_SECONDS_SIZE]);

/*
 * Makes a sheet of a line, which is taken. Returns 0, -ENOMEM, or -EBADMSG with
 * @err set: the line is what the command says about its failure, or no report.
 * The caller deinits @sheet in any case.
 */
int follow_take(struct sheet *sheet, char *line, const char *since,
		struct error *err);

#endif
