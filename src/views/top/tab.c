// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "top/tab.h"

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

	while (id < TABS && strcmp(tabs[id]->name, name) != 0)
		id++;
	return id;
}

int tab_take(const struct tab *tab, const struct tab_question *question,
	     struct tab_rows *rows, struct error *err)
{
	rows->data = calloc(1, tab->size);
	return rows->data ? tab->take(question, rows, err) :
			    error_errno(err, ENOMEM, "measuring", tab->name);
}

void tab_release(const struct tab *tab, struct tab_rows *rows)
{
	if (rows->data)
		tab->release(rows->data);
	free(rows->data);
	free(rows->holder);
}

int tab_note_error(struct tab_rows *rows, const struct error *err)
{
	char text[ERROR_TEXT_SIZE];

	return string_list_add(&rows->notes, error_text(err, text));
}
