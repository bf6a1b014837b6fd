/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What bufstat can be asked, and which source answers: a row for each source
 * that knows of it.
 */
#ifndef BUFSTAT_SOURCE_ROWS_H
#define BUFSTAT_SOURCE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/lack.h"
#include "table/column.h"

struct command_line;
struct sysroot;

enum sourced_question {
	SOURCE_QUESTION_DEVICES,
	SOURCE_QUESTION_FILESYSTEMS,
	SOURCE_QUESTION_FILES,
	/* Only of a live host. */
	SOURCE_QUESTION_WHO,
	SOURCE_QUESTION_BLOCKS,
	SOURCE_QUESTION_PATH,
	SOURCE_QUESTIONS,
};

enum source_usable {
	SOURCE_NOT_USABLE,
	SOURCE_NOT_TRIED, /* it costs too much, only to see whether it works */
	SOURCE_USABLE_IN_PART,
	SOURCE_USABLE,
};

struct source_row {
	enum sourced_question question;
	const char *name; /* static: the source's name */
	enum source_usable usable;
	bool answers; /* bufstat uses it: no better source is usable */
	int64_t count; /* devices or filesystems that it measured; -1: blank */
	int64_t pages; /* their sum; -1: not known */
	int64_t inodes; /* of the filesystems that it measured; or 0 */
	int64_t time_ns; /* that it took here and now; -1: not measured */
	const char *cost; /* static: what it does to the host */
	char *limits; /* what it cannot tell; or NULL */
	/*
	 * Its reason: why it is not usable, or not for all; "": it is. Its
	 * remedy: what would help; or "".
	 */
	struct error why;
	char *note; /* these three in one, for a narrow table; or NULL */
};

struct source_rows {
	struct source_row *rows; /* by question; best source first */
	size_t count;
};

extern const struct column_set source_columns;
extern const struct question source_question;
extern const struct command_line command_sources;

/*
 * Tries the sources for each question, best first. On a live host, does not try
 * one that opens devices if another measures everything, nor one that walks all
 * inodes if that would take long and is not needed, nor any that is not needed
 * if the rest has taken a second. Returns 0 or -ENOMEM; the
 * caller deinits @rows in either case.
 */
int source_rows_init(struct source_rows *rows, const struct sysroot *root);
void source_rows_deinit(struct source_rows *rows);

/*
 * Why the source of @row, whose rank is @which, is not tried after those of
 * @rows. LACKS_NOTHING: it is.
 */
enum lack source_left_out(const struct source_rows *rows,
			  const struct source_row *row, size_t which,
			  const struct sysroot *root);

/*
 * Whether anything could answer: a captured host fills no cache. A question
 * that nothing can answer has no rows.
 */
bool source_question_is_asked(enum sourced_question question,
			      const struct sysroot *root);

/* "devices" and so on; and NULL. */
extern const char *const source_questions[SOURCE_QUESTIONS + 1];

/* The row that answers @question, or NULL if none does. */
const struct source_row *source_rows_answer(const struct source_rows *rows,
					    enum sourced_question question);

#endif
