// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups/cgroup_rows.h"
#include "filesystems/file_columns.h"
#include "filesystems/fs_rows.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sentence.h"
#include "memory/slab_caches.h"
#include "sample/device_question.h"
#include "top/tab.h"

/* As many as fit on a large screen, and as a capture has by default. */
#define MOST_FILES 100

static const struct tab tab_devices = { .question = &device_question };
static const struct tab tab_filesystems = { .question = &fs_question };
static const struct tab tab_files = { .question = &file_question };
static const struct tab tab_cgroups = { .question = &cgroup_question };
static const struct tab tab_slab = { .question = &slab_question };

static const struct tab *const tabs[TABS] = {
	[TAB_DEVICES] = &tab_devices, [TAB_FILESYSTEMS] = &tab_filesystems,
	[TAB_FILES] = &tab_files,     [TAB_WHO] = &tab_who,
	[TAB_CGROUPS] = &tab_cgroups, [TAB_SLAB] = &tab_slab,
	[TAB_MEMORY] = &tab_memory,
};

const struct tab *tab_at(enum tab_id id)
{
	return tabs[id];
}

enum tab_id tab_find(const char *name)
{
	enum tab_id id = 0;

	while (id < TABS && strcmp(tabs[id]->question->name, name) != 0)
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

int tab_take(const struct tab *tab, const struct tab_question *asked,
	     struct tab_rows *rows, struct error *err)
{
	const struct question *question = tab->question;
	const struct asking asking = {
		.root = asked->root,
		.source = asked->source,
		.is_tree = asked->tree,
		.most = MOST_FILES,
	};
	int ret;

	if (asked->recording && tab->take_past) {
		rows->data = question_begin(question);
		return rows->data ? tab->take_past(asked, rows, err) :
				    error_errno(err, ENOMEM, "measuring",
						question->name);
	}
	ret = question_ask(question, &rows->data, &asking, err);
	if (ret < 0)
		return ret;
	rows->table = rows_of_table(rows->data);
	if (note_all(question, rows) < 0)
		return error_errno(err, ENOMEM, "measuring", question->things);
	return tab->add ? tab->add(asked, rows, err) : 0;
}

void tab_release(const struct tab *tab, struct tab_rows *rows)
{
	question_release(tab->question, rows->data);
	free(rows->holder);
}
