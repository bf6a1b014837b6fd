/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table as plain values, without the structures that it was made of. So
 * another process can make it, and a screen can keep it.
 */
#ifndef BUFSTAT_SHEET_H
#define BUFSTAT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/string_list.h"
#include "table/column.h"
#include "top/bar.h"

struct error;
struct question;
struct tab_rows;

struct sheet_row {
	const char *key; /* the same row has the same key in every sheet */
	size_t parent; /* its index, or TABLE_NO_PARENT */
	bool is_last; /* a rest or a total: last, however rows are sorted */
	const struct column_value *values; /* by index in the tab's columns */
};

/* All zero is empty. */
struct sheet {
	const struct column_set *set;
	struct sheet_row *rows;
	size_t count;
	int64_t taken_ns; /* CLOCK_MONOTONIC; of a recorded one, its time */
	int64_t recorded_ms; /* CLOCK_REALTIME of a recorded one, else 0 */
	struct bar bar; /* of QUESTION_MEMORY */
	const char *holder; /* there too: who has what is large; or "" */
	struct string_list notes; /* what to know about the figures */
	struct column_value *values; /* of all rows */
	struct string_list *lists; /* of COLUMN_LIST; their strings are in */
	char **items; /* this array, and point into data */
	char *data; /* all texts */
};

/*
 * Packs @rows of @tab into *@data of *@size bytes, which the caller frees. Only
 * this program, and the same build of it, unpacks that. Returns 0 or -ENOMEM.
 */
int sheet_pack(const struct question *tab, const struct tab_rows *rows,
	       char **data, size_t *size);

/*
 * Unpacks what sheet_pack() made. @sheet takes @data, even if it fails. Returns
 * 0, -EBADMSG if the data is not whole, or -ENOMEM, with @err set. The caller
 * deinits @sheet in any case.
 */
int sheet_unpack(struct sheet *sheet, const struct question *tab, char *data,
		 size_t size, struct error *err);
void sheet_deinit(struct sheet *sheet);

/* Says that a sheet is not whole, or is not there. Returns -EBADMSG. */
int sheet_is_cut(const struct question *tab, struct error *err);

/* The column with this JSON key, as an index; set->count if there is none. */
size_t sheet_column(const struct column_set *set, const char *key);

#endif
