/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tab of bufstat who. It is a process that traces for as long as the tab is
 * shown, and reports in lines of JSON; or, of a recording, one that reports
 * what was traced at a moment.
 */
#ifndef BUFSTAT_FOLLOW_H
#define BUFSTAT_FOLLOW_H

#include <stdint.h>

struct error;
struct sheet;

#define FOLLOW_WORDS 9
#define FOLLOW_SECONDS_SIZE 32

/*
 * The words of the command that reports every @seconds, with a NULL after them.
 * @text is room for one of them.
 */
void follow_words(const char *words[FOLLOW_WORDS], double seconds,
		  char text[FOLLOW_SECONDS_SIZE]);

/*
 * The words of the command that reports what the recording at @path, which is
 * absolute, says of the moment @real_ms.
 */
void follow_words_at(const char *words[FOLLOW_WORDS], const char *path,
		     int64_t real_ms, char text[FOLLOW_SECONDS_SIZE]);

/*
 * Makes a sheet of a line, which is taken. Returns 0, -ENOMEM, or -EBADMSG with
 * @err set: the line is what the command says about its failure, or no report.
 * @since says when tracing began; NULL: the line says from when to when it was.
 * The caller deinits @sheet in any case.
 */
int follow_take(struct sheet *sheet, char *line, const char *since,
		struct error *err);

#endif
