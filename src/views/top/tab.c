// SPDX-License-Identifier: GPL-2.0-or-later
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

int tab_note_error(struct tab_rows *rows, const struct error *err)
{
	char text[ERROR_TEXT_SIZE];

	return string_list_add(&rows->notes, error_text(err, text));
}
