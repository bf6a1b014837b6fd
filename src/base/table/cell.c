// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/json_out.h"
#include "lib/number.h"
#include "lib/sentence.h"
#include "table/cell.h"
#include "table/column.h"
#include "table/table_style.h"

static bool is_plain(const char *text)
{
	while (*text >= ' ' && *text <= '~' &&
	       !(text[0] == '\\' && text[1] == 'x'))
		text++;
	return !*text;
}

/*
 * For a plain table, text becomes what stands in sentences, which an operand
 * takes, too (utf8.h): a newline that separates the items of a list is then
 * none of an item. For other tables, the library escapes all that is not ASCII.
 */
static char *escape(const char *text, bool plain)
{
	struct sentence out;
	char *safe;

	if (!plain || is_plain(text))
		return strdup(text);
	sentence_begin(&out);
	say(&out, "%s", safe_name(&out, text));
	sentence_end(&out, &safe);
	return safe;
}

static char *list_text(const struct string_list *list, bool plain)
{
	struct string_list safe = { 0 };
	char *joined = NULL;
	int ret = 0;

	for (size_t i = 0; !ret && i < list->count; i++) {
		_cleanup_(freep) char *item = escape(list->strings[i], plain);

		ret = item ? string_list_add(&safe, item) : -ENOMEM;
	}
	if (!ret)
		joined = string_list_join(&safe, "\n");
	string_list_deinit(&safe);
	return joined;
}

static int short_list_text(const struct string_list *list, bool plain,
			   char **text)
{
	_cleanup_(freep) char *first = escape(list->strings[0], plain);

	if (!first)
		return -ENOMEM;
	if (list->count < 2) {
		*text = steal_ptr(first);
		return 0;
	}
	return asprintf(text, "%s (+%zu)", first, list->count - 1);
}

int cell_text(const struct column *column, const void *row,
	      const struct table_style *style, char **text)
{
	const struct column_value value = column_get(column, row);

	return cell_value_text(column->kind, &value, style, text);
}

int cell_value_text(enum column_kind kind, const struct column_value *of,
		    const struct table_style *style, char **text)
{
	const struct column_value value = *of;
	bool plain = table_format_is_plain(style->format);
	char duration[SIZE_TEXT_LENGTH], size[SIZE_TEXT_LENGTH];
	int ret = 0;

	*text = NULL;
	if (!value.known)
		return 0;
	switch (kind) {
	case COLUMN_TEXT:
	case COLUMN_PATH:
	case COLUMN_PROSE:
		*text = escape(value.text, plain);
		break;
	case COLUMN_LIST:
		if (!value.list->count)
			return 0;
		if (style->short_lists)
			ret = short_list_text(value.list, plain, text);
		else
			*text = list_text(value.list, plain);
		break;
	case COLUMN_FLAG:
		*text = strdup(value.number ? "yes" : "no");
		break;
	case COLUMN_COUNT:
		ret = asprintf(text, "%" PRId64, value.number);
		break;
	case COLUMN_BYTES:
		*text = strdup(size_text_in(value.number, style->unit, size));
		break;
	case COLUMN_CHANGE:
		*text = strdup(
			size_change_text(value.number, style->unit, size));
		break;
	case COLUMN_PERCENT:
		/* The ! says that more than the whole is no mistake. */
		ret = asprintf(text, "%.1f%%%s", value.percent,
			       value.percent > 100 ? "!" : "");
		break;
	case COLUMN_DURATION:
		ret = asprintf(text, "%s",
			       duration_text(value.number, duration));
		break;
	}
	if (ret < 0 || !*text) {
		*text = NULL;
		return -ENOMEM;
	}
	return 0;
}

void cell_write(struct json_out *json, const char *key, enum column_kind kind,
		const struct column_value *value)
{
	if (!value->known) {
		json_out_null(json, key);
		return;
	}
	switch (kind) {
	case COLUMN_TEXT:
	case COLUMN_PATH:
	case COLUMN_PROSE:
		json_out_string(json, key, value->json ?: value->text);
		break;
	case COLUMN_LIST:
		json_out_strings(json, key, value->list);
		break;
	case COLUMN_FLAG:
		json_out_bool(json, key, value->number);
		break;
	case COLUMN_COUNT:
	case COLUMN_BYTES:
	case COLUMN_CHANGE:
	case COLUMN_DURATION:
		json_out_signed(json, key, value->number);
		break;
	case COLUMN_PERCENT:
		json_out_decimal(json, key, value->percent);
		break;
	}
}

void column_write(struct json_out *json, const struct column *column,
		  const void *row)
{
	const struct column_value value = column_get(column, row);

	cell_write(json, column->key, column->kind, &value);
}

void table_json_write_row(struct json_out *json,
			  const struct column_choice *choice, const void *row)
{
	json_out_object(json, NULL);
	for (size_t i = 0; i < choice->count; i++)
		column_write(json, choice->columns[i], row);
	json_out_object_end(json);
}

void table_json_write_rows(struct json_out *json, const char *key,
			   const struct column_choice *choice,
			   const struct table_rows *rows)
{
	json_out_array(json, key);
	for (size_t i = 0; i < rows->count; i++)
		table_json_write_row(json, choice, table_row(rows, i));
	json_out_array_end(json);
}
