// SPDX-License-Identifier: GPL-2.0-or-later
/* A JSON schema, draft 7, from a table of fields. */
#include <assert.h>
#include <stdio.h>

#include "fields/fields.h"
#include "lib/json_out.h"
#include "lib/sentence.h"
#include "table/column.h"

/* Structures with a name may contain themselves, so they are definitions. */
#define MAX_DEFINITIONS 8

struct schema {
	struct json_out json;
	const struct fields *definitions[MAX_DEFINITIONS];
	size_t definition_count;
};

/* What a schema says of a value. */
struct value {
	const char *type;
	const char *about; /* or NULL */
	const char *null; /* when it is null; NULL: never */
	const char *const *words; /* all that it may be, or NULL */
	size_t word_count;
	bool is_not_negative;
	bool is_device;
};

static void write_words(struct json_out *json, const struct value *value)
{
	json_out_array(json, "enum");
	for (size_t i = 0; i < value->word_count; i++) {
		if (value->words[i])
			json_out_string(json, NULL, value->words[i]);
	}
	if (value->null)
		json_out_null(json, NULL);
	json_out_array_end(json);
}

static void write_type(struct json_out *json, const struct value *value)
{
	if (!value->null) {
		json_out_string(json, "type", value->type);
		return;
	}
	json_out_array(json, "type");
	json_out_string(json, NULL, value->type);
	json_out_string(json, NULL, "null");
	json_out_array_end(json);
}

/* Opens the object that describes the value. */
static void begin_value(struct json_out *json, const char *key,
			const struct value *value)
{
	char about[512] = "";

	json_out_object(json, key);
	if (value->words)
		write_words(json, value);
	else
		write_type(json, value);
	if (value->is_not_negative)
		json_out_unsigned(json, "minimum", 0);
	if (value->is_device)
		json_out_string(json, "pattern", "^[0-9]+:[0-9]+$");
	if (value->about)
		ADD_TEXT(about, "%s", value->about);
	if (value->null && *value->null)
		ADD_TEXT(about, "%snull: %s", *about ? "; " : "", value->null);
	if (*about)
		json_out_string(json, "description", about);
}

static void write_items_of(struct json_out *json, const char *type)
{
	json_out_object(json, "items");
	json_out_string(json, "type", type);
	json_out_object_end(json);
}

static const char *column_type(enum column_kind kind)
{
	switch (kind) {
	case COLUMN_TEXT:
	case COLUMN_PATH:
	case COLUMN_PROSE:
		return "string";
	case COLUMN_LIST:
		return "array";
	case COLUMN_FLAG:
		return "boolean";
	case COLUMN_PERCENT:
		return "number";
	case COLUMN_COUNT:
	case COLUMN_BYTES:
	case COLUMN_CHANGE:
	case COLUMN_DURATION:
		break;
	}
	return "integer";
}

static bool column_is_count(enum column_kind kind)
{
	return kind == COLUMN_COUNT || kind == COLUMN_BYTES ||
	       kind == COLUMN_DURATION;
}

static size_t count_words(const char *const *words)
{
	size_t count = 0;

	while (words && words[count])
		count++;
	return count;
}

static void write_columns(struct json_out *json, const struct column_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct column *column = &set->columns[i];
		const struct value value = {
			.type = column_type(column->kind),
			.about = column->help,
			.null = column->always ? NULL : "",
			.words = column->words,
			.word_count = count_words(column->words),
			.is_not_negative = column_is_count(column->kind) &&
					   !column->is_signed,
		};

		begin_value(json, column->key, &value);
		if (column->kind == COLUMN_LIST)
			write_items_of(json, "string");
		json_out_object_end(json);
	}
}

/* Those that are chosen: none is required. */
static void write_rows(struct json_out *json, const struct column_set *set)
{
	json_out_object(json, "items");
	json_out_string(json, "type", "object");
	json_out_object(json, "properties");
	write_columns(json, set);
	json_out_object_end(json);
	json_out_object_end(json);
}

static struct value value_of(const struct field *field)
{
	struct value value = { .about = field->about, .null = field->null };

	if (field->known && !field->is_left_out && !value.null)
		value.null = "";
	switch (field->kind) {
	case FIELD_KIND_UNSIGNED:
		value.is_not_negative = true;
		value.type = "integer";
		break;
	case FIELD_KIND_SIGNED:
	case FIELD_KIND_COUNTS:
		value.is_not_negative = field->is_count;
		value.type = "integer";
		break;
	case FIELD_KIND_BOOL:
	case FIELD_KIND_NOT:
		value.type = "boolean";
		break;
	case FIELD_KIND_DECIMAL:
		value.type = "number";
		break;
	case FIELD_KIND_WORD:
	case FIELD_KIND_STATIC:
		value.words = field->words;
		value.word_count = (size_t)field->most + 1;
		/* fall through */
	case FIELD_KIND_STRING:
	case FIELD_KIND_TEXT:
	case FIELD_KIND_SENTENCE:
	case FIELD_KIND_MOMENT:
	case FIELD_KIND_ERROR:
	case FIELD_KIND_ERRNO:
		value.type = "string";
		break;
	case FIELD_KIND_DEVICE:
		value.type = "string";
		value.is_device = true;
		break;
	case FIELD_KIND_STRINGS:
	case FIELD_KIND_LIST:
	case FIELD_KIND_ARRAY:
	case FIELD_KIND_ROWS:
		value.type = "array";
		break;
	case FIELD_KIND_VALUE:
		value.type = column_type(field->column);
		value.words = field->words;
		value.word_count = count_words(field->words);
		value.is_not_negative = column_is_count(field->column);
		break;
	case FIELD_KIND_OBJECT:
	case FIELD_KIND_COLUMNS:
	case FIELD_KIND_PART:
	case FIELD_KIND_POINTED:
		value.type = "object";
		break;
	}
	return value;
}

static void write_members(struct schema *schema, const struct fields *fields);

/* Opens an object that refers to the definition, and keeps that for the end. */
static void begin_reference(struct schema *schema, const char *key,
			    const struct fields *fields)
{
	char place[64] = "";
	size_t i = 0;

	while (i < schema->definition_count && schema->definitions[i] != fields)
		i++;
	assert(i < MAX_DEFINITIONS);
	schema->definitions[i] = fields;
	if (i == schema->definition_count)
		schema->definition_count++;
	ADD_TEXT(place, "#/definitions/%s", fields->name);
	json_out_object(&schema->json, key);
	json_out_string(&schema->json, "$ref", place);
}

static void write_items(struct schema *schema, const struct fields *fields)
{
	if (fields->name) {
		begin_reference(schema, "items", fields);
	} else {
		json_out_object(&schema->json, "items");
		json_out_string(&schema->json, "type", "object");
		write_members(schema, fields);
	}
	json_out_object_end(&schema->json);
}

static void write_counts(struct json_out *json, const struct field *field)
{
	const struct value value = {
		.type = "integer",
		.about = field->about,
		.null = field->has_nulls ? field->null ?: "" : NULL,
		.is_not_negative = !field->is_signed,
	};

	for (size_t i = 0; i < field->size; i++) {
		begin_value(json, field->words[i], &value);
		json_out_object_end(json);
	}
}

static bool stands_here(const struct field *field)
{
	return field->kind == FIELD_KIND_PART ||
	       field->kind == FIELD_KIND_POINTED ||
	       (field->kind == FIELD_KIND_OBJECT && !field->key);
}

static void write_properties(struct schema *schema, const struct fields *fields)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = &fields->list[i];
		const struct value value = value_of(field);

		if (stands_here(field)) {
			write_properties(schema, field->inner);
			continue;
		}
		if (field->kind == FIELD_KIND_COUNTS) {
			write_counts(&schema->json, field);
			continue;
		}
		if (field->kind == FIELD_KIND_COLUMNS) {
			write_columns(&schema->json, field->columns);
			continue;
		}
		if (field->kind == FIELD_KIND_OBJECT && field->inner->name) {
			begin_reference(schema, field->key, field->inner);
			json_out_object_end(&schema->json);
			continue;
		}
		begin_value(&schema->json, field->key, &value);
		if (field->kind == FIELD_KIND_OBJECT)
			write_members(schema, field->inner);
		else if (field->kind == FIELD_KIND_ROWS)
			write_rows(&schema->json, field->columns);
		else if (field_has_inner(field))
			write_items(schema, field->inner);
		else if (field->kind == FIELD_KIND_STRINGS ||
			 (field->kind == FIELD_KIND_VALUE &&
			  field->column == COLUMN_LIST))
			write_items_of(&schema->json, "string");
		json_out_object_end(&schema->json);
	}
}

static void write_required(struct json_out *json, const struct fields *fields)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = &fields->list[i];
		const struct column_set *set = field->columns;

		if (stands_here(field) && field->is_left_out)
			continue;
		if (stands_here(field))
			write_required(json, field->inner);
		else if (field->kind == FIELD_KIND_COUNTS)
			for (size_t j = 0; field->has_nulls && j < field->size;
			     j++)
				json_out_string(json, NULL, field->words[j]);
		else if (field->kind == FIELD_KIND_COLUMNS)
			for (size_t j = 0; j < set->count; j++)
				json_out_string(json, NULL,
						set->columns[j].key);
		else if (!field->is_left_out && !field->may_lack)
			json_out_string(json, NULL, field->key);
	}
}

/* Into the open object that describes such a structure. */
static void write_members(struct schema *schema, const struct fields *fields)
{
	json_out_array(&schema->json, "required");
	write_required(&schema->json, fields);
	json_out_array_end(&schema->json);
	json_out_object(&schema->json, "properties");
	write_properties(schema, fields);
	json_out_object_end(&schema->json);
}

/* These may refer to more of them. */
static void write_definitions(struct schema *schema)
{
	json_out_object(&schema->json, "definitions");
	for (size_t i = 0; i < schema->definition_count; i++) {
		json_out_object(&schema->json, schema->definitions[i]->name);
		json_out_string(&schema->json, "type", "object");
		write_members(schema, schema->definitions[i]);
		json_out_object_end(&schema->json);
	}
	json_out_object_end(&schema->json);
}

void fields_print_schema(FILE *out, const char *title,
			 const struct fields *fields)
{
	struct schema schema = { .definition_count = 0 };

	json_out_init(&schema.json, out);
	json_out_object(&schema.json, NULL);
	json_out_string(&schema.json, "$schema",
			"http://json-schema.org/draft-07/schema#");
	json_out_string(&schema.json, "title", title);
	json_out_string(&schema.json, "type", "object");
	write_members(&schema, fields);
	if (schema.definition_count)
		write_definitions(&schema);
	json_out_object_end(&schema.json);
	json_out_finish(&schema.json);
}
