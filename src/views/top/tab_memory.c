// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "explain/explain.h"
#include "lib/error.h"
#include "lib/wrap.h"
#include "measure/meminfo.h"
#include "memory/contradiction.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "memory/memory_rows.h"
#include "store/format.h"
#include "top/tab.h"

struct taken {
	struct memory_reading reading;
	struct memory_heads heads;
	struct memory_rows rows;
};

/* What plain bufstat says. A recording does not have who it may be. */
static int find_holder(const struct tab_question *question,
		       struct tab_rows *rows)
{
	struct meminfo meminfo;
	struct error unused;
	int ret = 0;

	if (rows->recorded_ms ||
	    meminfo_read(&meminfo, question->root, &unused) < 0)
		return 0;
	ret = explain_brief(&rows->holder, question->root, &meminfo);
	for (char *at = rows->holder; at && *at; at++) {
		if (*at == WRAP_HARD_SPACE)
			*at = ' ';
		else if (*at == '\n')
			*at = '\0';
	}
	return ret;
}

static int take(const struct tab_question *question, struct tab_rows *rows,
		struct error *err)
{
	struct taken *taken = rows->data;
	char text[CONTRADICTION_TEXT];
	struct memory_rows_of of;
	int ret;

	ret = memory_read(&taken->reading, question->root, err);
	if (ret < 0)
		return ret;
	memory_heads_init(&taken->heads, &taken->reading);
	bar_init(&rows->bar, &taken->heads, &taken->reading);
	of = (struct memory_rows_of){
		.reading = &taken->reading,
		.heads = &taken->heads,
	};
	ret = memory_rows_init(&taken->rows, &of, MEMORY_VIEW_HEADS);
	if (!ret && !taken->reading.settled)
		ret = string_list_add(&rows->notes,
				      "unsettled: the counts changed while "
				      "they were read");
	if (!ret && contradiction_text(&taken->heads, &taken->reading, text))
		ret = string_list_add(&rows->notes, text);
	if (!ret)
		ret = find_holder(question, rows);
	if (ret < 0)
		return error_errno(err, -ret, "reading", "/proc/meminfo");
	rows->table = memory_rows_of_table(&taken->rows);
	return 0;
}

static void release(void *data)
{
	struct taken *taken = data;

	memory_rows_deinit(&taken->rows);
	memory_reading_deinit(&taken->reading);
}

/* Parts of several heads have the same key, so that of the head comes first. */
static const char *key(const struct tab_rows *rows, size_t index,
		       char text[TAB_KEY_SIZE])
{
	const struct memory_row *row = table_row(&rows->table, index);
	const struct memory_row *head = row;

	while (head->indent && index)
		head = table_row(&rows->table, --index);
	if (head == row)
		return row->key;
	snprintf(text, TAB_KEY_SIZE, "%s/%s", head->key, row->key);
	return text;
}

static bool is_last(const void *data)
{
	const struct memory_row *row = data;

	return row->kind == MEMORY_ROW_REST || row->kind == MEMORY_ROW_TOTAL;
}

const struct tab tab_memory = {
	.name = "memory",
	.columns = &memory_columns,
	.figure = "bytes",
	.walks = true, /* where a holder is looked for */
	.is_fixed = true,
	.recorded = STORE_MEMORY,
	.size = sizeof(struct taken),
	.take = take,
	.release = release,
	.key = key,
	.is_last = is_last,
};
