// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/error.h"
#include "lib/json_in.h"
#include "lib/monotonic.h"
#include "lib/utc.h"
#include "top/follow.h"
#include "top/sheet.h"
#include "top/tab.h"
#include "who/who_rows.h"

/* All of them can be read from JSON: none is negative or a list. */
#define SHOWN "NAME,CACHE,COMMAND,PID,CGROUP,IN,OUT,HOW"

const struct tab tab_who = {
	.name = "who",
	.columns = &who_columns,
	.figure = "in_bytes",
	.is_flow = true,
	.shown = SHOWN,
};

void follow_words(const char *words[FOLLOW_WORDS], double seconds,
		  char text[FOLLOW_SECONDS_SIZE])
{
	const char *const all[] = { "who", "-s",  text, "--json-lines",
				    "-o",  SHOWN, NULL };

	snprintf(text, FOLLOW_SECONDS_SIZE, "%g", seconds);
	memcpy(words, all, sizeof(all));
}

void follow_words_at(const char *words[FOLLOW_WORDS], const char *path,
		     int64_t real_ms, char text[FOLLOW_SECONDS_SIZE])
{
	const char *const all[] = { "who",  "--dir", path,
				    "--at", text,    "--json-lines",
				    "-o",   SHOWN,   NULL };

	snprintf(text, FOLLOW_SECONDS_SIZE, "@%" PRId64, real_ms / 1000);
	memcpy(words, all, sizeof(all));
}

/* Copies text into the sheet's data, which has room. */
static const char *keep(char **at, const char *text)
{
	char *kept = *at;

	*at = stpcpy(kept, text) + 1;
	return kept;
}

static int take_value(struct column_value *value, const struct column *column,
		      struct json_value row, char **at)
{
	const char *text;
	uint64_t number;
	int ret;

	if (!json_in_has(row, column->key))
		return 0;
	if (column_is_number(column)) {
		ret = json_in_number(row, column->key, INT64_MAX, &number);
		if (ret > 0)
			value->number = (int64_t)number;
	} else {
		ret = json_in_string(row, column->key, &text);
		if (ret > 0)
			value->text = keep(at, text);
	}
	value->known = ret > 0;
	return ret < 0 ? ret : 0;
}

/* A process, in a cache of one kind, of one device or filesystem. */
static const char *make_key(const struct sheet_row *row, char **at)
{
	static const char *const parts[] = { "name", "cache", "command",
					     "pid" };
	const char *key = *at;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		size_t place = sheet_column(&who_columns, parts[i]);
		const struct column_value *value = &row->values[place];

		if (!value->known)
			continue;
		if (column_is_number(&who_columns.columns[place]))
			*at += sprintf(*at, "%" PRId64, value->number);
		else
			*at = stpcpy(*at, value->text);
		*(*at)++ = ' ';
	}
	*(*at)++ = '\0';
	return key;
}

static int take_row(struct sheet *sheet, struct json_value element, char **at)
{
	const size_t columns = who_columns.count;
	struct column_value *values = &sheet->values[sheet->count * columns];
	struct sheet_row *row = &sheet->rows[sheet->count];
	int ret = 0;

	for (size_t i = 0; !ret && i < columns; i++)
		ret = take_value(&values[i], &who_columns.columns[i], element,
				 at);
	*row = (struct sheet_row){ .parent = TABLE_NO_PARENT,
				   .values = values };
	if (!ret)
		row->key = make_key(row, at);
	sheet->count += !ret;
	return ret;
}

static int take_rows(struct sheet *sheet, struct json_value root, size_t size)
{
	struct json_value element;
	size_t count;
	char *at;

	if (json_in_array(root, "filled", &element, &count) <= 0)
		return -EBADMSG;
	sheet->rows = calloc(count + 1, sizeof(*sheet->rows));
	sheet->values =
		calloc(count * who_columns.count + 1, sizeof(*sheet->values));
	/* Each text twice, as a value and in the key, and a pid. */
	sheet->data = malloc(2 * size + count * TAB_KEY_SIZE + 1);
	if (!sheet->rows || !sheet->values || !sheet->data)
		return -ENOMEM;
	at = sheet->data;
	for (size_t i = 0; i < count; i++) {
		int ret = take_row(sheet, element, &at);

		if (ret < 0)
			return ret;
		if (i + 1 < count)
			element = json_in_next(element);
	}
	return 0;
}

/* The local time of day of the moment in a member of the report, or NULL. */
static const char *clock_of(struct json_value root, const char *key,
			    char text[MOMENT_TEXT_SIZE])
{
	const char *moment;
	time_t seconds;

	if (json_in_string(root, key, &moment) <= 0 ||
	    !utc_parse(moment, &seconds))
		return NULL;
	return moment_text(seconds * INT64_C(1000), text) +
	       strlen("2026-11-23 ");
}

/* Of when the report is. */
static int describe_time(struct json_value root, const char *since, char *text,
			 size_t size)
{
	char first[MOMENT_TEXT_SIZE], last[MOMENT_TEXT_SIZE];
	const char *from = since ?: clock_of(root, "from", first);
	const char *to = since ?: clock_of(root, "to", last);

	if (!from || !to)
		return -EBADMSG;
	snprintf(text, size, since ? "since %s" : "from %s to %s", from, to);
	return 0;
}

static int take_notes(struct sheet *sheet, struct json_value root,
		      const char *since)
{
	const char *engine = "";
	uint64_t lost = 0;
	char when[64], note[256];

	if (json_in_string(root, "engine", &engine) < 0 ||
	    json_in_number(root, "lost_events", UINT64_MAX, &lost) < 0 ||
	    describe_time(root, since, when, sizeof(when)) < 0)
		return -EBADMSG;
	snprintf(note, sizeof(note), "traced %s, by %s%s", when, engine,
		 lost ? "; events were lost: there was more" : "");
	return string_list_add(&sheet->notes, note);
}

int follow_take(struct sheet *sheet, char *line, const char *since,
		struct error *err)
{
	static const char prefix[] = "bufstat: ";
	const size_t size = strlen(line);
	struct json_in *document;
	int ret;

	*sheet = (struct sheet){ .set = &who_columns,
				 .taken_ns = monotonic_ns() };
	if (strncmp(line, prefix, strlen(prefix)) == 0) {
		error_set(err, EBADMSG, "%s", line + strlen(prefix));
		free(line);
		return -EBADMSG;
	}
	ret = json_in_open(line, &document);
	if (!ret)
		ret = take_rows(sheet, json_in_root(document), size);
	if (!ret)
		ret = take_notes(sheet, json_in_root(document), since);
	json_in_close(document);
	return ret < 0 ? error_errno(err, -ret, "reading", "bufstat who") : 0;
}
