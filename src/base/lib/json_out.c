// SPDX-License-Identifier: GPL-2.0-or-later
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/string_list.h"
#include "lib/utf8.h"

/* The same as in libsmartcols, so that all of bufstat's JSON looks alike. */
#define INDENT 3

static void put_ascii(FILE *out, unsigned char c)
{
	switch (c) {
	case '"':
	case '\\':
		fprintf(out, "\\%c", c);
		break;
	case '\n':
		fputs("\\n", out);
		break;
	case '\t':
		fputs("\\t", out);
		break;
	default:
		if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
}

/* Escapes what would change the order in which a terminal shows the rest. */
static void put_escaped(FILE *out, const unsigned char *text, size_t length)
{
	uint32_t character = utf8_character(text, length);

	if (character < 0x10000) {
		fprintf(out, "\\u%04x", character);
		return;
	}
	character -= 0x10000;
	fprintf(out, "\\u%04x\\u%04x", 0xd800 + (character >> 10),
		0xdc00 + (character & 0x3ff));
}

/* Writes a byte that is not UTF-8. */
static void put_byte(const struct json_out *json, unsigned char c)
{
	if (json->keeps_bytes)
		fprintf(json->out, "\\udc%02x", c);
	else
		fputs(UTF8_REPLACEMENT, json->out);
}

static void put_string(const struct json_out *json, const char *string)
{
	const unsigned char *c = (const unsigned char *)string;
	FILE *out = json->out;

	putc('"', out);
	while (*c) {
		size_t length = utf8_length(c);

		if (length == 1)
			put_ascii(out, *c);
		else if (length && utf8_is_control(utf8_character(c, length)))
			put_escaped(out, c, length);
		else if (length)
			fwrite(c, 1, length, out);
		else
			put_byte(json, *c);
		c += length ? length : 1;
	}
	putc('"', out);
}

static void new_line(const struct json_out *json)
{
	if (!json->compact)
		fprintf(json->out, "\n%*s", (int)(json->depth * INDENT), "");
}

/* Writes what comes before a value: comma, new line and key. */
static void begin_value(struct json_out *json, const char *key)
{
	struct json_level *level;

	if (!json->depth) {
		assert(!key && !json->done);
		json->done = true;
		return;
	}
	level = &json->levels[json->depth - 1];
	assert(!key == level->is_array);
	if (level->has_member)
		putc(',', json->out);
	level->has_member = true;
	new_line(json);
	if (key) {
		put_string(json, key);
		fputs(json->compact ? ":" : ": ", json->out);
	}
}

static void open_level(struct json_out *json, const char *key, bool is_array)
{
	assert(json->depth < JSON_OUT_DEPTH);
	begin_value(json, key);
	putc(is_array ? '[' : '{', json->out);
	json->levels[json->depth++] =
		(struct json_level){ .is_array = is_array };
}

static void close_level(struct json_out *json, bool is_array)
{
	const struct json_level *level;

	assert(json->depth);
	level = &json->levels[--json->depth];
	assert(level->is_array == is_array);
	if (level->has_member)
		new_line(json);
	putc(is_array ? ']' : '}', json->out);
}

void json_out_init(struct json_out *json, FILE *out)
{
	*json = (struct json_out){ .out = out };
}

void json_out_finish(struct json_out *json)
{
	assert(!json->depth && json->done);
	putc('\n', json->out);
}

void json_out_object(struct json_out *json, const char *key)
{
	open_level(json, key, false);
}

void json_out_object_end(struct json_out *json)
{
	close_level(json, false);
}

void json_out_array(struct json_out *json, const char *key)
{
	open_level(json, key, true);
}

void json_out_array_end(struct json_out *json)
{
	close_level(json, true);
}

void json_out_string(struct json_out *json, const char *key, const char *value)
{
	if (!value) {
		json_out_null(json, key);
		return;
	}
	begin_value(json, key);
	put_string(json, value);
}

void json_out_device(struct json_out *json, const char *key, unsigned int major,
		     unsigned int minor)
{
	char number[24];

	snprintf(number, sizeof(number), "%u:%u", major, minor);
	json_out_string(json, key, number);
}

void json_out_strings(struct json_out *json, const char *key,
		      const struct string_list *list)
{
	if (!list) {
		json_out_null(json, key);
		return;
	}
	json_out_array(json, key);
	for (size_t i = 0; i < list->count; i++)
		json_out_string(json, NULL, list->strings[i]);
	json_out_array_end(json);
}

void json_out_error(struct json_out *json, const char *key,
		    const struct error *err)
{
	char text[ERROR_TEXT_SIZE];

	json_out_string(json, key,
			error_is_set(err) ? error_text(err, text) : NULL);
}

void json_out_signed(struct json_out *json, const char *key, int64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void json_out_unsigned(struct json_out *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_out_number(struct json_out *json, const char *key, const char *text)
{
	begin_value(json, key);
	fprintf(json->out, "%.*s", (int)strspn(text, "+-.0123456789eE"), text);
}

void json_out_signed_if(struct json_out *json, const char *key, bool known,
			int64_t value)
{
	if (known)
		json_out_signed(json, key, value);
	else
		json_out_null(json, key);
}

void json_out_decimal(struct json_out *json, const char *key, double value)
{
	double scaled = value * 1000 + (value < 0 ? -0.5 : 0.5);
	long long thousandths;

	if (!(fabs(scaled) < 1e18)) {
		json_out_null(json, key);
		return;
	}
	thousandths = (long long)scaled;
	begin_value(json, key);
	fprintf(json->out, "%s%lld.%03lld", thousandths < 0 ? "-" : "",
		llabs(thousandths) / 1000, llabs(thousandths) % 1000);
}

void json_out_bool(struct json_out *json, const char *key, bool value)
{
	begin_value(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_out_null(struct json_out *json, const char *key)
{
	begin_value(json, key);
	fputs("null", json->out);
}
