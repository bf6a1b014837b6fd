/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A question: how it is asked, what its answer lacks, and how that becomes
 * rows. Commands, the tabs of the screen, captures, the recorder and metrics
 * ask through it. The first four know nothing of what an answer is made of.
 */
#ifndef BUFSTAT_QUESTION_H
#define BUFSTAT_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/error.h"
#include "lib/number.h"
#include "measure/history.h"
#include "table/rows.h"

struct command_line;
struct json_out;
struct memory_asked;
struct saved;
struct selection;
struct string_list;
struct sysroot;

enum asked_for {
	ASKED_TO_SHOW,
	/* What cannot be shown is an answer, too; without names and rows. */
	ASKED_TO_CAPTURE,
	ASKED_TO_RECORD, /* the same; of devices, with names and rows */
};

/* Where and how a question is asked. */
struct asking {
	enum asked_for purpose;
	const struct sysroot *root; /* the running host, or a captured tree */
	const char *source; /* --source, or NULL: the best */
	const char *vmcore; /* a dump, or NULL */
	struct selection *selection; /* only what is in it; NULL: all */
	char *const *paths; /* absolute; of questions about files */
	size_t path_count;
	size_t most; /* records; 0: all of them */
	bool all; /* also what has nothing */
	bool in_parts; /* also what rows are made of, where it can be had */
	bool is_tree; /* where the answer can be one */
	bool is_json; /* which has what is on no record elsewhere */
	struct column_order order; /* of rows */
	const struct column_choice *columns; /* that are shown; or NULL: any */
	const struct history *history; /* what was before; NULL: nothing */
	const void *last; /* the answer before, if it is compared; or NULL */
	const struct memory_asked *memory; /* what of memory; NULL: counts */
	bool hides_paths; /* in a capture */
};

/* What a recording has of each reading. */
enum recorded {
	NOT_RECORDED,
	RECORDED_DEVICES, /* with meminfo_kib */
	RECORDED_FILESYSTEMS,
	RECORDED_MEMORY,
};

/* Every answer begins with this. All zero is empty. */
struct answer {
	struct rows rows; /* what they point to is in the answer */
	const struct question *question;
	const char *source; /* static; NULL: none, or not one alone */
	const char *kernel; /* release of the one in a dump; or NULL */
	bool is_whole; /* nothing is missing */
	int code; /* the exit status if it is not; 0: the usual one */
};

/*
 * What is walked to answer, in the order in which a reading asks: cgroups make
 * slab that is counted, and inodes more, and fill caches.
 */
enum walked { WALKS_NOTHING, WALKS_CGROUPS, WALKS_INODES, WALKS };

/* One of the list (questions.h). */
struct question {
	const char *name; /* of its command and its tab */
	const struct command_line *command; /* does no more than ask; or NULL */
	const char *things; /* "the filesystems" */
	const struct column_set *columns;
	enum recorded recorded;
	enum walked walks;
	size_t size; /* of an answer, in bytes */
	const struct row_kind *row; /* and of its rows; NULL: all are records */
	bool is_fixed; /* take() makes rows in the order that was asked for */
	/*
	 * Measures, and makes rows, in an order of its own if they are no list.
	 * Returns 0 or a negative errno with @err set; the caller releases the
	 * answer in either case. Rows of its lists are sorted by whoever asks,
	 * unless their order is fixed.
	 */
	int (*take)(void *answer, const struct asking *asking,
		    struct error *err);
	/* What take() took, but the rows. NULL: nothing. */
	void (*release)(void *answer);
	/* Tells each thing that is missing. NULL: it is whole or not at all. */
	void (*missing)(const void *answer, error_tell_fn *tell, void *data);
	/*
	 * Prints the sentence that comes before the rows, or nothing. Returns 0
	 * or -ENOMEM. NULL: there is none. @width as for wrap.h.
	 */
	int (*sentence)(FILE *out, const void *answer, struct size_unit unit,
			size_t width);
	/* Sets the usual columns to those of this answer. NULL: all have them. */
	void (*set_columns)(struct column_choice *columns, const void *answer);
	/*
	 * take() compares it with asking->last. For --since, read_saved() makes
	 * that of a saved reading. It returns 1, 0 if the reading lacks it, or
	 * a negative errno. NULL: it is not compared with a saved one.
	 */
	bool compares_last;
	int (*read_saved)(void *answer, const struct saved *saved);
	/* What is compared with earlier answers (history.h). NULL: nothing. */
	struct samples (*samples)(void *answer);
	/*
	 * In captures and with --save: writes its members of a reading
	 * (saved.h) into the open object, of @answer or, where it is NULL, that
	 * there is none. NULL: it has none.
	 */
	void (*save)(struct json_out *json, const void *answer);
	bool is_always_saved; /* that there is none, too */
	/* A host that cannot be asked has no such thing, and lacks nothing. */
	bool may_be_absent;

	/* On the screen; else without a key. */
	const char *figure; /* JSON key of the column with a row's size */
	bool can_be_tree;
	bool is_tree; /* usually */
	/* Rows are what happened in each interval, not what there is. */
	bool is_flow;
	/* The columns on the screen, as for -o; NULL: the usual ones. */
	const char *shown;
	/*
	 * The same in every answer. Returns @text or a string of the row's.
	 */
	const char *(*key)(const struct table_rows *rows, size_t row,
			   char *text, size_t size);
	/*
	 * What bufstat drop has of a row: an option, or NULL, and the JSON key
	 * of the column with what it drops. NULL: nothing.
	 */
	const char *drop_option, *drop_column;
};

/* An empty answer, for those who fill it themselves; NULL: out of memory. */
void *question_begin(const struct question *question);
/*
 * Asks. Returns 0 with *@answer set, which the caller releases, or a negative
 * errno with @err set.
 */
int question_ask(const struct question *question, void **answer,
		 const struct asking *asking, struct error *err);
void question_release(const struct question *question, void *answer);

#endif
