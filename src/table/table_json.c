// SPDX-License-Identifier: GPL-2.0-or-later
#include "column.h"
#include "json_out.h"
#include "table_json.h"

static void write_cell(struct json_out *json, const struct column *column,
		       const void *row)
{
	struct column_value value = column->value(row);

	if (!value.known) {
		json_out_null(json, column->key);
		return;
	}
	switch (column->kind) {
	case COLUMN_TEXT:
		json_out_string(json, column->key, value.text);
		break;
	case COLUMN_LIST:
		json_out_strings(json, column->key, value.list);
		break;
	case COLUMN_COUNT:
	case COLUMN_BYTES:
	case COLUMN_CHANGE:
		json_out_signed(json, column->key, value.number);
		break;
	case COLUMN_PERCENT:
		json_out_decimal(json, column->key, value.percent);
		break;
	}
}

void table_json_write_row(struct json_out *json,
			  const struct column_choice *choice, const void *row)
{
	json_out_object(json, NULL);
	for (size_t i = 0; i < choice->count; i++)
		write_cell(json, choice->columns[i], row);
	json_out_object_end(json);
}
