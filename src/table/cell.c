// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "cleanup.h"
#include "column.h"
#include "size_text.h"
#include "table.h"

static int bytes_text(int64_t bytes, bool plain, char **text)
{
	char size[SIZE_TEXT_LENGTH];

	if (plain)
		return asprintf(text, "%lld", (long long)bytes);
	return asprintf(text, "%s", size_text(bytes, size));
}

static int change_text(int64_t bytes, bool plain, char **text)
{
	char size[SIZE_TEXT_LENGTH];

	if (plain)
		return asprintf(text, "%+lld", (long long)bytes);
	return asprintf(text, "%s%s", bytes > 0 ? "+" : "",
			size_text(bytes, size));
}

/*
 * A newline separates the items of a cell, so one inside an item, which a mount
 * point may have, is shown as the library shows other control characters. In a
 * plain table the library is told to leave backslashes alone, or it would show
 * that backslash as one of the item's; those of the item that look like such a
 * sequence are then shown here as it would.
 */
static char *escape_item(const char *item, bool plain)
{
	char *safe = malloc(strlen(item) * strlen("\\x0a") + 1);
	char *to = safe;

	if (!safe)
		return NULL;
	for (; *item; item++) {
		if (*item == '\n')
			to = stpcpy(to, "\\x0a");
		else if (plain && item[0] == '\\' && item[1] == 'x')
			to = stpcpy(to, "\\x5c");
		else
			*to++ = *item;
	}
	*to = '\0';
	return safe;
}

static char *list_text(const struct string_list *list, bool plain)
{
	struct string_list safe = { 0 };
	char *joined = NULL;
	int ret = 0;

	for (size_t i = 0; !ret && i < list->count; i++) {
		_cleanup_(freep) char *item =
			escape_item(list->strings[i], plain);

		ret = item ? string_list_add(&safe, item) : -ENOMEM;
	}
	if (!ret)
		joined = string_list_join(&safe, "\n");
	string_list_deinit(&safe);
	return joined;
}

static int short_list_text(const struct string_list *list, char **text)
{
	if (list->count < 2)
		return asprintf(text, "%s",
				list->count ? list->strings[0] : "");
	return asprintf(text, "%s (+%zu)", list->strings[0], list->count - 1);
}

int cell_text(const struct column *column, const void *row,
	      const struct table_style *style, char **text)
{
	struct column_value value = column->value(row);
	int ret = 0;

	*text = NULL;
	if (!value.known)
		return 0;
	switch (column->kind) {
	case COLUMN_TEXT:
		ret = asprintf(text, "%s", value.text);
		break;
	case COLUMN_LIST:
		if (!value.list->count)
			return 0;
		if (style->short_lists)
			ret = short_list_text(value.list, text);
		else
			*text = list_text(value.list,
					  style->format == TABLE_PLAIN);
		break;
	case COLUMN_COUNT:
		ret = bytes_text(value.number, true, text);
		break;
	case COLUMN_BYTES:
		ret = bytes_text(value.number, style->bytes, text);
		break;
	case COLUMN_CHANGE:
		ret = change_text(value.number, style->bytes, text);
		break;
	case COLUMN_PERCENT:
		ret = asprintf(text, "%.1f%%", value.percent);
		break;
	}
	if (ret < 0 || !*text) {
		*text = NULL;
		return -ENOMEM;
	}
	return 0;
}
