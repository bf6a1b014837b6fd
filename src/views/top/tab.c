// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sentence.h"
#include "sample/heads_question.h"
#include "top/tab.h"
#include "who/who_now.h"

/* As many as fit on a large screen, and as a capture has by default. */
#define MOST_FILES 100

const struct tab_more *tab_more(const struct question *tab)
{
	static const struct tab_more nothing;

	return tab == &who_question   ? &tab_who :
	       tab == &heads_question ? &tab_memory :
					&nothing;
}

enum question_id tab_find(const char *name)
{
	enum question_id id = 0;

	while (id < QUESTION_TABS && strcmp(questions[id]->name, name) != 0)
		id++;
	return id;
}

void tab_note_error(void *data, const struct error *err)
{
	struct tab_rows *rows = data;
	char text[ERROR_TEXT_SIZE];

	if (string_list_add(&rows->notes, error_text(err, text)) < 0)
		rows->lacks_notes = true;
}

/* The first note, in one line. */
static int note_sentence(const struct question *question, struct tab_rows *rows)
{
	const struct size_unit unit = { 0 };
	_cleanup_(freep) char *text = NULL;
	struct sentence out;

	sentence_begin(&out);
	out.failed = !out.out ||
		     question->sentence(out.out, rows->data, unit, 0) < 0;
	if (sentence_end(&out, &text) < 0)
		return -ENOMEM;
	for (char *at = text; (at = strchr(at, '\n'));)
		*at = at[1] ? ' ' : '\0';
	return string_list_add(&rows->notes, text);
}

static int note_all(const struct question *question, struct tab_rows *rows)
{
	int ret = question->sentence ? note_sentence(question, rows) : 0;

	if (!ret && question->missing)
		question->missing(rows->data, tab_note_error, rows);
	return rows->lacks_notes ? -ENOMEM : ret;
}

int tab_take(const struct question *tab, const struct tab_asking *asked,
	     struct tab_rows *rows, struct error *err)
{
	const struct tab_more *more = tab_more(tab);
	const struct asking asking = {
		.root = asked->root,
		.source = asked->source,
		.is_tree = asked->tree,
		.most = MOST_FILES,
	};
	int ret;

	if (asked->recording && more->take_past)
		return more->take_past(asked, rows, err);
	ret = question_ask(tab, &rows->data, &asking, err);
	if (ret < 0)
		return ret;
	rows->table = rows_of_table(rows->data);
	if (note_all(tab, rows) < 0)
		return error_errno(err, ENOMEM, "measuring", tab->things);
	return more->add ? more->add(asked, rows, err) : 0;
}

void tab_release(const struct question *tab, struct tab_rows *rows)
{
	question_release(tab, rows->data);
	if (rows->past)
		tab_more(tab)->release_past(rows->past);
	free(rows->holder);
}
