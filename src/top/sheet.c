// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/monotonic.h"
#include "top/sheet.h"
#include "top/tab.h"

/* What packed data begins with. */
struct head {
	int64_t taken_ns;
	uint64_t rows;
	uint64_t notes;
	uint64_t lists; /* values that are lists */
	uint64_t items; /* strings in them */
	int64_t result; /* 0, or a negative errno and only an error */
};

struct error_head {
	uint64_t class;
	int64_t number;
	uint64_t others_size; /* bytes at the end */
};

struct row_head {
	uint64_t parent;
	uint64_t is_last;
};

/* What is packed so far. stdio would cost more than all the rest. */
struct packed {
	char *data;
	size_t size;
	size_t capacity;
	bool failed; /* out of memory */
};

static void put(struct packed *out, const void *data, size_t size)
{
	if (out->capacity - out->size < size) {
		size_t capacity = (out->capacity + size) * 2;
		char *moved = out->failed ? NULL : realloc(out->data, capacity);

		if (!moved) {
			out->failed = true;
			return;
		}
		out->data = moved;
		out->capacity = capacity;
	}
	memcpy(out->data + out->size, data, size);
	out->size += size;
}

static void put_string(struct packed *out, const char *text)
{
	put(out, text, strlen(text) + 1);
}

static void put_value(struct packed *out, enum column_kind kind,
		      const struct column_value *value)
{
	uint64_t count;

	put(out, &value->known, sizeof(value->known));
	if (!value->known)
		return;
	switch (kind) {
	case COLUMN_TEXT:
	case COLUMN_PATH:
	case COLUMN_PROSE:
		put_string(out, value->text);
		break;
	case COLUMN_LIST:
		count = value->list->count;
		put(out, &count, sizeof(count));
		for (size_t i = 0; i < count; i++)
			put_string(out, value->list->strings[i]);
		break;
	case COLUMN_PERCENT:
		put(out, &value->percent, sizeof(value->percent));
		break;
	case COLUMN_COUNT:
	case COLUMN_BYTES:
	case COLUMN_CHANGE:
	case COLUMN_DURATION:
		put(out, &value->number, sizeof(value->number));
		break;
	}
}

static void put_row(struct packed *out, const struct tab *tab,
		    const struct tab_rows *rows, size_t index,
		    struct head *head)
{
	const void *row = table_row(&rows->table, index);
	const struct row_head row_head = {
		.parent = rows->table.parents ? rows->table.parents[index] :
						TABLE_NO_PARENT,
		.is_last = tab->is_last && tab->is_last(row),
	};
	char text[TAB_KEY_SIZE];

	put(out, &row_head, sizeof(row_head));
	put_string(out, tab->key(rows, index, text));
	for (size_t i = 0; i < tab->columns->count; i++) {
		const struct column *column = &tab->columns->columns[i];
		struct column_value value = column->value(row);

		put_value(out, column->kind, &value);
		if (column->kind == COLUMN_LIST && value.known) {
			head->lists++;
			head->items += value.list->count;
		}
	}
}

static void put_error(struct packed *out, const struct error *err)
{
	const struct error_head head = { err->class, err->number,
					 err->others_size };

	put(out, &head, sizeof(head));
	put_string(out, err->doing);
	put_string(out, err->object);
	put_string(out, err->reason);
	put_string(out, err->remedy);
	put(out, err->others, err->others_size);
}

int sheet_pack(const struct tab *tab, const struct tab_rows *rows,
	       const struct error *err, char **data, size_t *size)
{
	struct head head = { .taken_ns = monotonic_ns() };
	struct packed out = { 0 };

	if (rows) {
		head.rows = rows->table.count;
		head.notes = rows->notes.count;
	} else {
		head.result = err->number ? -err->number : -EIO;
	}
	put(&out, &head, sizeof(head));
	if (!rows)
		put_error(&out, err);
	for (size_t i = 0; i < head.notes; i++)
		put_string(&out, rows->notes.strings[i]);
	for (size_t i = 0; i < head.rows; i++)
		put_row(&out, tab, rows, i, &head);
	if (out.failed) {
		free(out.data);
		return -ENOMEM;
	}
	/* The lists were counted on the way. */
	memcpy(out.data, &head, sizeof(head));
	*data = out.data;
	*size = out.size;
	return 0;
}

/* What is left to unpack. */
struct rest {
	char *at;
	char *end;
	bool ended; /* there was less than expected */
};

static void get(struct rest *rest, void *to, size_t size)
{
	if (rest->ended || (size_t)(rest->end - rest->at) < size) {
		rest->ended = true;
		memset(to, 0, size);
		return;
	}
	memcpy(to, rest->at, size);
	rest->at += size;
}

static char *get_string(struct rest *rest)
{
	char *text = rest->at;
	char *end = rest->ended ?
			    NULL :
			    memchr(text, '\0', (size_t)(rest->end - rest->at));

	if (!end) {
		rest->ended = true;
		return NULL;
	}
	rest->at = end + 1;
	return text;
}

/* What the lists of a sheet still have room for. */
struct room {
	struct string_list *list;
	char **item;
	uint64_t lists, items;
};

static const struct string_list *get_list(struct rest *rest, struct room *room)
{
	struct string_list *list = room->list;
	uint64_t count;

	get(rest, &count, sizeof(count));
	if (!room->lists || count > room->items) {
		rest->ended = true;
		return NULL;
	}
	room->lists--;
	room->items -= count;
	room->list++;
	*list = (struct string_list){ room->item, count };
	for (size_t i = 0; i < count; i++)
		*room->item++ = get_string(rest);
	return list;
}

static void get_value(struct rest *rest, enum column_kind kind,
		      struct column_value *value, struct room *room)
{
	char known;

	get(rest, &known, sizeof(known));
	value->known = known;
	if (!value->known)
		return;
	switch (kind) {
	case COLUMN_TEXT:
	case COLUMN_PATH:
	case COLUMN_PROSE:
		value->text = get_string(rest);
		break;
	case COLUMN_LIST:
		value->list = get_list(rest, room);
		break;
	case COLUMN_PERCENT:
		get(rest, &value->percent, sizeof(value->percent));
		break;
	case COLUMN_COUNT:
	case COLUMN_BYTES:
	case COLUMN_CHANGE:
	case COLUMN_DURATION:
		get(rest, &value->number, sizeof(value->number));
		break;
	}
}

static int get_notes(struct sheet *sheet, struct rest *rest, uint64_t count)
{
	int ret = 0;

	for (uint64_t i = 0; !ret && !rest->ended && i < count; i++) {
		const char *note = get_string(rest);

		if (note)
			ret = string_list_add(&sheet->notes, note);
	}
	return ret;
}

static void get_row(struct sheet *sheet, struct rest *rest, size_t index,
		    struct room *room)
{
	const struct column_set *set = sheet->set;
	struct column_value *values = &sheet->values[index * set->count];
	struct row_head head;

	get(rest, &head, sizeof(head));
	/* A parent comes before its row. */
	if (head.parent != TABLE_NO_PARENT && head.parent >= index)
		rest->ended = true;
	sheet->rows[index] = (struct sheet_row){
		.parent = head.parent,
		.is_last = head.is_last,
		.key = get_string(rest),
		.values = values,
	};
	for (size_t i = 0; i < set->count; i++)
		get_value(rest, set->columns[i].kind, &values[i], room);
}

static int get_rows(struct sheet *sheet, struct rest *rest,
		    const struct head *head)
{
	struct room room = { .lists = head->lists, .items = head->items };
	/* Each takes more bytes than this of the data. */
	uint64_t most = (uint64_t)(rest->end - rest->at);

	if (head->rows > most || head->lists > most || head->items > most)
		return -EBADMSG;
	sheet->rows = calloc(head->rows + 1, sizeof(*sheet->rows));
	sheet->values = calloc(head->rows * sheet->set->count + 1,
			       sizeof(*sheet->values));
	sheet->lists = calloc(head->lists + 1, sizeof(*sheet->lists));
	sheet->items = calloc(head->items + 1, sizeof(*sheet->items));
	if (!sheet->rows || !sheet->values || !sheet->lists || !sheet->items)
		return -ENOMEM;
	room.list = sheet->lists;
	room.item = sheet->items;
	for (size_t i = 0; !rest->ended && i < head->rows; i++)
		get_row(sheet, rest, i, &room);
	if (!rest->ended)
		sheet->count = head->rows;
	return 0;
}

static void get_text(struct rest *rest, char *to, size_t size)
{
	const char *text = get_string(rest);

	snprintf(to, size, "%s", text ?: "");
}

static int get_error(struct rest *rest, int64_t result, struct error *err)
{
	struct error_head head;

	get(rest, &head, sizeof(head));
	*err = (struct error){ .class = (enum error_class)head.class,
			       .number = (int)head.number };
	get_text(rest, err->doing, sizeof(err->doing));
	get_text(rest, err->object, sizeof(err->object));
	get_text(rest, err->reason, sizeof(err->reason));
	get_text(rest, err->remedy, sizeof(err->remedy));
	if (head.others_size > sizeof(err->others))
		return -EBADMSG;
	err->others_size = head.others_size;
	get(rest, err->others, head.others_size);
	return rest->ended ? 0 : (int)result;
}

int sheet_unpack(struct sheet *sheet, const struct tab *tab, char *data,
		 size_t size, struct error *err)
{
	struct rest rest = { .at = data, .end = data + size };
	struct head head;
	int ret;

	*sheet = (struct sheet){ .set = tab->columns };
	sheet->data = data;
	get(&rest, &head, sizeof(head));
	sheet->taken_ns = head.taken_ns;
	if (head.result)
		ret = get_error(&rest, head.result, err);
	else
		ret = get_notes(sheet, &rest, head.notes) ?:
			      get_rows(sheet, &rest, &head);
	if (ret == -ENOMEM)
		return error_errno(err, ENOMEM, "measuring", tab->name);
	if (rest.ended || ret == -EBADMSG)
		return error_doing(err, EBADMSG, "measuring", tab->name,
				   "the process that measures ended early");
	return ret;
}

void sheet_deinit(struct sheet *sheet)
{
	string_list_deinit(&sheet->notes);
	free(sheet->rows);
	free(sheet->values);
	free(sheet->lists);
	free(sheet->items);
	free(sheet->data);
	*sheet = (struct sheet){ 0 };
}

size_t sheet_column(const struct column_set *set, const char *key)
{
	size_t i = 0;

	while (i < set->count && strcmp(set->columns[i].key, key) != 0)
		i++;
	return i;
}
