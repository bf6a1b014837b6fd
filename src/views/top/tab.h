/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tabs of the screen, which are the first of the questions: what is
 * measured for each, and the rows that it shows.
 */
#ifndef BUFSTAT_TAB_H
#define BUFSTAT_TAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/string_list.h"
#include "sample/questions.h"
#include "top/bar.h"

struct sysroot;

struct tab_asking {
	const struct sysroot *root;
	const char *source; /* --source, or NULL */
	bool tree; /* for tabs that can be one */
	/* A tab that follows is asked about this moment of a recording. */
	const char *recording; /* its absolute path */
	int64_t at_ms; /* CLOCK_REALTIME */
};

/* What a tab measured. All zero is empty. */
struct tab_rows {
	struct table_rows table;
	/* Sentences; what could not be measured, and why. */
	struct string_list notes;
	int64_t recorded_ms; /* CLOCK_REALTIME; 0: measured now */
	struct bar bar; /* of QUESTION_MEMORY */
	char *holder; /* there too, owned: who has what is large; or NULL */
	bool lacks_notes; /* there was no memory for one */
	void *data; /* the answer, or NULL */
	void *past; /* what take_past() took, or NULL */
};

#define TAB_KEY_SIZE 64

/* Takes rows that a tab reports. Returns 0 or a negative errno, which ends it. */
typedef int tab_report_fn(void *data, const struct tab_rows *rows);

/* What the screen has of a question besides. */
struct tab_more {
	bool walks_processes; /* add() does */
	/*
	 * Adds what the screen has of the answer besides. Returns 0 or a
	 * negative errno with @err set. NULL: nothing.
	 */
	int (*add)(const struct tab_asking *question, struct tab_rows *rows,
		   struct error *err);
	/*
	 * Asks a recording for a moment, into rows->past, which release_past()
	 * frees. NULL: the question is asked of a captured tree.
	 */
	int (*take_past)(const struct tab_asking *question,
			 struct tab_rows *rows, struct error *err);
	void (*release_past)(void *past);
	/*
	 * Reports every @seconds, for as long as the tab is shown. Returns a
	 * negative errno with @err set, or 0 when it is asked to end. NULL: the
	 * question is asked again and again.
	 */
	int (*follow)(const struct tab_asking *question, double seconds,
		      tab_report_fn *report, void *data, struct error *err);
};

const struct tab_more *tab_more(const struct question *tab);

/* Those that have something. */
extern const struct tab_more tab_who, tab_memory;

/* The tab with this name, or QUESTION_TABS. */
enum question_id tab_find(const char *name);

/*
 * Measures. Returns 0 or a negative errno with @err set; the caller calls
 * tab_release() in either case.
 */
int tab_take(const struct question *tab, const struct tab_asking *asked,
	     struct tab_rows *rows, struct error *err);
void tab_release(const struct question *tab, struct tab_rows *rows);

/* Adds the text of an error to the notes of @rows, a struct tab_rows. */
error_tell_fn tab_note_error;

#endif
