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
	int64_t recorded_ms;
	uint64_t rows;
	uint64_t notes;
	uint64_t lists; /* values that are lists */
	uint64_t items; /* strings in them */
	struct bar bar;
};

struct row_head {
	uint64_t parent;
	uint64_t is_last;
};

/*
 * The data, which is being packed or unpacked. One code does both, so that they
 * cannot differ. (stdio would cost more than all the rest.)
 */
struct stream {
	bool unpacks;
	char *data;
	size_t size; /* bytes packed, or all that there are to unpack */
	size_t at; /* the next one to unpack */
	size_t capacity;
	bool failed; /* out of memory, or there was less than expected */
};

/* What the lists of a sheet still have room for. */
struct room {
	struct string_list *list;
	char **item;
	uint64_t lists, items;
};

static void append(struct stream *stream, const void *data, size_t size)
{
	if (stream->capacity - stream->size < size) {
		size_t capacity = (stream->capacity + size) * 2;
		char *moved = stream->failed ? NULL :
					       realloc(stream->data, capacity);

		if (!moved) {
			stream->failed = true;
			return;
		}
		stream->data = moved;
		stream->capacity = capacity;
	}
	memcpy(stream->data + stream->size, data, size);
	stream->size += size;
}

/* Packs @data, or unpacks into it: zeros if there is nothing left. */
static void pass(struct stream *stream, void *data, size_t size)
{
	if (!stream->unpacks) {
		append(stream, data, size);
	} else if (stream->failed || stream->size - stream->at < size) {
		stream->failed = true;
		memset(data, 0, size);
	} else {
		memcpy(data, stream->data + stream->at, size);
		stream->at += size;
	}
}

/* Packs @text and returns it, or returns what was packed; NULL if nothing. */
static const char *pass_string(struct stream *stream, const char *text)
{
	const char *end;

	if (!stream->unpacks) {
		append(stream, text, strlen(text) + 1);
		return text;
	}
	text = stream->data + stream->at;
	end = stream->failed ? NULL :
			       memchr(text, '\0', stream->size - stream->at);
	if (!end) {
		stream->failed = true;
		return NULL;
	}
	stream->at += (size_t)(end - text) + 1;
	return text;
}

/* The next list, of @count strings; NULL if there is no room for it. */
static const struct string_list *take_room(struct room *room, uint64_t count)
{
	struct string_list *list = room->list;

	if (!room->lists || count > room->items)
		return NULL;
	room->lists--;
	room->items -= count;
	room->list++;
	*list = (struct string_list){ room->item, count };
	room->item += count;
	return list;
}

/* Packing counts the lists in @room; unpacking takes them from there. */
static void pass_list(struct stream *stream, const struct string_list **list,
		      struct room *room)
{
	uint64_t count = stream->unpacks ? 0 : (*list)->count;

	pass(stream, &count, sizeof(count));
	if (stream->unpacks) {
		*list = take_room(room, count);
		stream->failed |= !*list;
	} else {
		room->lists++;
		room->items += count;
	}
	for (size_t i = 0; !stream->failed && i < count; i++) {
		const char *item = pass_string(stream, (*list)->strings[i]);

		if (stream->unpacks)
			(*list)->strings[i] = (char *)item;
	}
}

static void pass_value(struct stream *stream, enum column_kind kind,
		       struct column_value *value, struct room *room)
{
	char known = (char)value->known;

	pass(stream, &known, sizeof(known));
	value->known = known;
	if (!known)
		return;
	switch (kind) {
	case COLUMN_TEXT:
	case COLUMN_PATH:
	case COLUMN_PROSE:
		value->text = pass_string(stream, value->text);
		break;
	case COLUMN_LIST:
		pass_list(stream, &value->list, room);
		break;
	case COLUMN_PERCENT:
		pass(stream, &value->percent, sizeof(value->percent));
		break;
	case COLUMN_FLAG:
	case COLUMN_COUNT:
	case COLUMN_BYTES:
	case COLUMN_CHANGE:
	case COLUMN_DURATION:
		pass(stream, &value->number, sizeof(value->number));
		break;
	}
}

static void pack_row(struct stream *stream, const struct question *tab,
		     const struct tab_rows *rows, size_t index,
		     struct room *counted)
{
	const struct row_kind *kind = tab->row;
	const void *row = table_row(&rows->table, index);
	struct row_head head = {
		.parent = rows->table.parents ? rows->table.parents[index] :
						TABLE_NO_PARENT,
		.is_last = kind && kind->is_rest && kind->is_rest(row),
	};
	char text[TAB_KEY_SIZE];

	pass(stream, &head, sizeof(head));
	pass_string(stream, tab->key(&rows->table, index, text, sizeof(text)));
	for (size_t i = 0; i < tab->columns->count; i++) {
		const struct column *column = &tab->columns->columns[i];
		struct column_value value = column_get(column, row);

		pass_value(stream, column->kind, &value, counted);
	}
}

static void pack_rows(struct stream *stream, const struct question *tab,
		      const struct tab_rows *rows, struct head *head)
{
	struct room counted = { 0 };

	pass_string(stream, rows->holder ?: "");
	for (size_t i = 0; i < rows->notes.count; i++)
		pass_string(stream, rows->notes.strings[i]);
	for (size_t i = 0; i < rows->table.count; i++)
		pack_row(stream, tab, rows, i, &counted);
	head->lists = counted.lists;
	head->items = counted.items;
}

int sheet_pack(const struct question *tab, const struct tab_rows *rows,
	       char **data, size_t *size)
{
	struct head head = {
		.taken_ns = rows->recorded_ms ? rows->recorded_ms * 1000000 :
						monotonic_ns(),
		.recorded_ms = rows->recorded_ms,
		.rows = rows->table.count,
		.notes = rows->notes.count,
		.bar = rows->bar,
	};
	struct stream stream = { 0 };

	pass(&stream, &head, sizeof(head));
	pack_rows(&stream, tab, rows, &head);
	if (stream.failed) {
		free(stream.data);
		return -ENOMEM;
	}
	/* The lists were counted on the way. */
	memcpy(stream.data, &head, sizeof(head));
	*data = stream.data;
	*size = stream.size;
	return 0;
}

static int unpack_notes(struct sheet *sheet, struct stream *stream,
			uint64_t count)
{
	int ret = 0;

	sheet->holder = pass_string(stream, "");
	for (uint64_t i = 0; !ret && !stream->failed && i < count; i++) {
		const char *note = pass_string(stream, "");

		if (note)
			ret = string_list_add(&sheet->notes, note);
	}
	return ret;
}

static void unpack_row(struct sheet *sheet, struct stream *stream, size_t index,
		       struct room *room)
{
	const struct column_set *set = sheet->set;
	struct column_value *values = &sheet->values[index * set->count];
	struct row_head head;

	pass(stream, &head, sizeof(head));
	/* A parent comes before its row. */
	if (head.parent != TABLE_NO_PARENT && head.parent >= index)
		stream->failed = true;
	sheet->rows[index] = (struct sheet_row){
		.parent = head.parent,
		.is_last = head.is_last,
		.key = pass_string(stream, ""),
		.values = values,
	};
	for (size_t i = 0; i < set->count; i++)
		pass_value(stream, set->columns[i].kind, &values[i], room);
}

static int unpack_rows(struct sheet *sheet, struct stream *stream,
		       const struct head *head)
{
	struct room room = { .lists = head->lists, .items = head->items };
	/* Each takes more bytes than this of the data. */
	uint64_t most = stream->size - stream->at;

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
	for (size_t i = 0; !stream->failed && i < head->rows; i++)
		unpack_row(sheet, stream, i, &room);
	if (!stream->failed)
		sheet->count = head->rows;
	return 0;
}

int sheet_is_cut(const struct question *tab, struct error *err)
{
	return error_doing(err, EBADMSG, "measuring", tab->name,
			   "the process that measures ended early");
}

int sheet_unpack(struct sheet *sheet, const struct question *tab, char *data,
		 size_t size, struct error *err)
{
	struct stream stream = { .unpacks = true, .data = data, .size = size };
	struct head head;
	int ret;

	*sheet = (struct sheet){ .set = tab->columns };
	sheet->data = data;
	pass(&stream, &head, sizeof(head));
	sheet->taken_ns = head.taken_ns;
	sheet->recorded_ms = head.recorded_ms;
	sheet->bar = head.bar;
	ret = unpack_notes(sheet, &stream, head.notes) ?:
		      unpack_rows(sheet, &stream, &head);
	if (ret == -ENOMEM)
		return error_errno(err, ENOMEM, "measuring", tab->name);
	return ret || stream.failed ? sheet_is_cut(tab, err) : 0;
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
