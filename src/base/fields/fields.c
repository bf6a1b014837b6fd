// SPDX-License-Identifier: GPL-2.0-or-later
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "fields/fields.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/number.h"
#include "lib/utc.h"
#include "table/cell.h"

static const void *at(const void *record, size_t place)
{
	return (const char *)record + place;
}

static void *into(void *record, size_t place)
{
	return (char *)record + place;
}

static uint64_t number_at(const struct field *field, const void *record)
{
	const void *member = at(record, field->place);

	if (field->size == sizeof(bool))
		return *(const bool *)member;
	if (field->size == sizeof(uint64_t))
		return *(const uint64_t *)member;
	if (field->kind == FIELD_KIND_SIGNED)
		return (uint64_t) * (const int *)member;
	return *(const unsigned int *)member;
}

static void set_number(const struct field *field, void *record, uint64_t number)
{
	void *member = into(record, field->place);

	if (field->size == sizeof(bool))
		*(bool *)member = number;
	else if (field->size == sizeof(uint64_t))
		*(uint64_t *)member = number;
	else
		*(unsigned int *)member = (unsigned int)number;
}

static bool is_not_zero(const struct field *field, const void *record)
{
	const void *member = at(record, field->place);

	switch (field->kind) {
	case FIELD_KIND_STRING:
	case FIELD_KIND_POINTED:
		return *(char *const *)member;
	case FIELD_KIND_TEXT:
		return *(const char *)member;
	default:
		return number_at(field, record);
	}
}

static bool is_known(const struct field *field, const void *record)
{
	switch (field->known) {
	case KNOWN_BOOL:
		return *(const bool *)at(record, field->known_place);
	case KNOWN_NOT_MAX:
		return number_at(field, record) != SIZE_MAX;
	case KNOWN_NOT_NEGATIVE:
		return (int64_t)number_at(field, record) >= 0;
	case KNOWN_NOT_ZERO:
		return is_not_zero(field, record);
	case KNOWN_WITH:
		return *(char *const *)at(record, field->known_place);
	case KNOWN_WITHOUT:
		return !*(char *const *)at(record, field->known_place);
	default:
		return true;
	}
}

static void set_known(const struct field *field, void *record, bool known)
{
	if (field->known == KNOWN_BOOL)
		*(bool *)into(record, field->known_place) = known;
	else if ((field->known == KNOWN_NOT_MAX ||
		  field->known == KNOWN_NOT_NEGATIVE) &&
		 !known)
		set_number(field, record, UINT64_MAX);
}

static void write_counts(struct json_out *json, const struct field *field,
			 const void *record)
{
	const uint64_t *values = at(record, field->place);
	uint64_t known = *(const uint64_t *)at(record, field->known_place);

	for (size_t i = 0; i < field->size; i++) {
		if (known >> i & 1 && field->is_signed)
			json_out_signed(json, field->words[i],
					(int64_t)values[i]);
		else if (known >> i & 1)
			json_out_unsigned(json, field->words[i], values[i]);
		else if (field->has_nulls)
			json_out_null(json, field->words[i]);
	}
}

static void write_object(struct json_out *json, const char *key,
			 const struct fields *fields, const void *record)
{
	json_out_object(json, key);
	fields_write(json, fields, record);
	json_out_object_end(json);
}

static void write_list(struct json_out *json, const struct field *field,
		       const void *records, size_t count)
{
	json_out_array(json, field->key);
	for (size_t i = 0; i < count; i++) {
		const void *element = at(records, i * field->inner->size);

		if (!field->has || field->has(element))
			write_object(json, NULL, field->inner, element);
	}
	json_out_array_end(json);
}

/* What a structure is made in, for as long as it is written. */
struct made {
	_Alignas(max_align_t) char bytes[FIELDS_MADE];
};

static bool make(const struct field *field, const void *record, size_t which,
		 struct made *made)
{
	assert(field->inner->size <= sizeof(made->bytes));
	memset(made->bytes, 0, field->inner->size);
	return field->make(record, which, made->bytes);
}

static void write_absent(struct json_out *json, const struct field *field)
{
	if (field->key && !field->is_left_out)
		json_out_null(json, field->key);
}

static void write_rows(struct json_out *json, const struct field *field,
		       const void *record)
{
	const struct table_rows *rows = at(record, field->place);
	const struct column_choice *const *choice =
		at(record, field->count_place);

	if (field->null && !field->known && !rows->rows)
		write_absent(json, field);
	else
		table_json_write_rows(json, field->key, *choice, rows);
}

static void write_made_list(struct json_out *json, const struct field *field,
			    const void *record)
{
	struct made made;
	size_t count = 0;

	if (!field->known && (field->null || field->is_left_out) &&
	    !make(field, record, 0, &made)) {
		write_absent(json, field);
		return;
	}
	json_out_array(json, field->key);
	for (; make(field, record, count, &made); count++)
		write_object(json, NULL, field->inner, made.bytes);
	json_out_array_end(json);
}

static void write_made(struct json_out *json, const struct field *field,
		       const void *record)
{
	struct made made;

	if (field->kind == FIELD_KIND_LIST)
		write_made_list(json, field, record);
	else if (!make(field, record, 0, &made))
		write_absent(json, field);
	else if (field->key)
		write_object(json, field->key, field->inner, made.bytes);
	else
		fields_write(json, field->inner, made.bytes);
}

static void write_errno(struct json_out *json, const struct field *field,
			const void *record)
{
	unsigned int number = (unsigned int)number_at(field, record);
	char name[ERRNO_NAME_SIZE] = "none";

	if (number)
		errno_name(number, name);
	json_out_string(json, field->key, name);
}

static void write_value(struct json_out *json, const struct field *field,
			const void *record)
{
	const struct column_value value =
		field->value ? field->value(record) :
			       field->value_of(record, field->which);

	cell_write(json, field->key, field->column, &value);
}

static void write_columns(struct json_out *json, const struct column_set *set,
			  const void *record)
{
	for (size_t i = 0; i < set->count; i++)
		column_write(json, &set->columns[i], record);
}

static void write_field(struct json_out *json, const struct field *field,
			const void *record)
{
	const void *member = at(record, field->place);
	char text[UTC_TEXT_SIZE];

	if (field->is_made) {
		write_made(json, field, record);
		return;
	}
	switch (field->kind) {
	case FIELD_KIND_UNSIGNED:
		json_out_unsigned(json, field->key, number_at(field, record));
		break;
	case FIELD_KIND_SIGNED:
		json_out_signed(json, field->key,
				(int64_t)number_at(field, record));
		break;
	case FIELD_KIND_BOOL:
		json_out_bool(json, field->key, *(const bool *)member);
		break;
	case FIELD_KIND_NOT:
		json_out_bool(json, field->key, !*(const bool *)member);
		break;
	case FIELD_KIND_WORD:
		json_out_string(json, field->key,
				field->words[number_at(field, record)]);
		break;
	case FIELD_KIND_STATIC:
	case FIELD_KIND_STRING:
	case FIELD_KIND_SENTENCE:
		json_out_string(json, field->key, *(char *const *)member);
		break;
	case FIELD_KIND_TEXT:
		json_out_string(json, field->key, member);
		break;
	case FIELD_KIND_ERROR:
		json_out_error(json, field->key, member);
		break;
	case FIELD_KIND_ERRNO:
		write_errno(json, field, record);
		break;
	case FIELD_KIND_STRINGS:
		json_out_strings(json, field->key, member);
		break;
	case FIELD_KIND_DEVICE:
		json_out_device(json, field->key,
				((const unsigned int *)member)[0],
				((const unsigned int *)member)[1]);
		break;
	case FIELD_KIND_COUNTS:
		write_counts(json, field, record);
		break;
	case FIELD_KIND_OBJECT:
		write_object(json, field->key, field->inner, member);
		break;
	case FIELD_KIND_LIST:
		member = *(const void *const *)member;
		/* fall through */
	case FIELD_KIND_ARRAY:
		write_list(json, field, member,
			   *(const size_t *)at(record, field->count_place));
		break;
	case FIELD_KIND_DECIMAL:
		json_out_decimal(json, field->key, *(const double *)member);
		break;
	case FIELD_KIND_MOMENT:
		json_out_string(json, field->key,
				utc_text(*(const int64_t *)member / 1000,
					 text));
		break;
	case FIELD_KIND_VALUE:
		write_value(json, field, record);
		break;
	case FIELD_KIND_ROWS:
		write_rows(json, field, record);
		break;
	case FIELD_KIND_COLUMNS:
		write_columns(json, field->columns, record);
		break;
	case FIELD_KIND_POINTED:
		member = *(const void *const *)member;
		/* fall through */
	case FIELD_KIND_PART:
		fields_write(json, field->inner, member);
		break;
	}
}

void fields_write(struct json_out *json, const struct fields *fields,
		  const void *record)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = &fields->list[i];

		if (is_known(field, record))
			write_field(json, field, record);
		else
			write_absent(json, field);
	}
}

/* The functions below return as json_in_number(). */
static int read_number(struct json_value object, const struct field *field,
		       void *record)
{
	uint64_t number;
	int ret = json_in_number(object, field->key, field->most, &number);

	if (ret > 0)
		set_number(field, record, number);
	return ret;
}

static int read_word(struct json_value object, const struct field *field,
		     void *record)
{
	const char *text;
	int ret = json_in_string(object, field->key, &text);

	if (ret <= 0)
		return ret;
	for (uint64_t i = 0; i <= field->most; i++) {
		if (strcmp(field->words[i], text) != 0)
			continue;
		if (field->kind == FIELD_KIND_STATIC)
			*(const char **)into(record, field->place) =
				field->words[i];
		else
			set_number(field, record, i);
		return 1;
	}
	return -EBADMSG;
}

static int read_bool(struct json_value object, const struct field *field,
		     bool *member)
{
	int ret = json_in_bool(object, field->key, member);

	if (ret > 0 && field->kind == FIELD_KIND_NOT)
		*member = !*member;
	return ret;
}

static int read_device(struct json_value object, const struct field *field,
		       unsigned int *number)
{
	const char *text;
	int ret = json_in_string(object, field->key, &text);

	if (ret > 0 && !dev_number_parse(text, &number[0], &number[1]))
		return -EBADMSG;
	return ret;
}

static int read_text(struct json_value object, const struct field *field,
		     char *member)
{
	const char *text;
	int ret = json_in_string(object, field->key, &text);

	if (ret <= 0)
		return ret;
	if (strlen(text) >= field->size)
		return -EBADMSG;
	strcpy(member, text);
	return 1;
}

/* A version that knows fewer may have written them. */
static int read_counts(struct json_value object, const struct field *field,
		       void *record)
{
	uint64_t *values = into(record, field->place);
	uint64_t *known = into(record, field->known_place);

	for (size_t i = 0; i < field->size; i++) {
		int ret;

		if (!field->has_nulls && !json_in_has(object, field->words[i]))
			continue;
		ret = json_in_number(object, field->words[i], field->most,
				     &values[i]);
		if (ret < 0 || (!ret && !field->has_nulls))
			return -EBADMSG;
		*known |= (uint64_t)ret << i;
	}
	return 1;
}

static int read_object(struct json_value object, const struct field *field,
		       void *member)
{
	struct json_value inner;
	int ret = json_in_object(object, field->key, &inner);

	return ret > 0 ? fields_read(inner, field->inner, member) ?: 1 : ret;
}

/* What was read of a list is there to be released, whatever comes of it. */
static int read_list(struct json_value object, const struct field *field,
		     void *record)
{
	size_t *count = into(record, field->count_place);
	char *records = into(record, field->place);
	struct json_value element = { 0 };
	size_t wanted;
	int ret = json_in_array(object, field->key, &element, &wanted);

	if (ret <= 0)
		return ret;
	if (wanted > field->most)
		return -EBADMSG;
	if (!wanted)
		return 1;
	if (field->kind == FIELD_KIND_LIST) {
		records = calloc(wanted, field->inner->size);
		*(void **)into(record, field->place) = records;
	}
	if (!records)
		return -ENOMEM;
	for (; ret > 0 && *count < wanted; ++*count) {
		if (*count)
			element = json_in_next(element);
		ret = fields_read(element, field->inner,
				  records + *count * field->inner->size) ?:
			      1;
	}
	return ret;
}

static int read_field(struct json_value object, const struct field *field,
		      void *record)
{
	void *member = into(record, field->place);

	switch (field->kind) {
	case FIELD_KIND_UNSIGNED:
	case FIELD_KIND_SIGNED:
		return read_number(object, field, record);
	case FIELD_KIND_BOOL:
	case FIELD_KIND_NOT:
		return read_bool(object, field, member);
	case FIELD_KIND_WORD:
	case FIELD_KIND_STATIC:
		return read_word(object, field, record);
	case FIELD_KIND_STRING:
		return json_in_copy(object, field->key, member);
	case FIELD_KIND_TEXT:
		return read_text(object, field, member);
	case FIELD_KIND_STRINGS:
		return json_in_strings(object, field->key, member);
	case FIELD_KIND_DEVICE:
		return read_device(object, field, member);
	case FIELD_KIND_COUNTS:
		return read_counts(object, field, record);
	case FIELD_KIND_OBJECT:
		return read_object(object, field, member);
	case FIELD_KIND_LIST:
	case FIELD_KIND_ARRAY:
		return read_list(object, field, record);
	default:
		return -EBADMSG;
	}
}

int fields_read(struct json_value object, const struct fields *fields,
		void *record)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = &fields->list[i];
		int ret;

		if (field->may_lack && !json_in_has(object, field->key)) {
			set_known(field, record, false);
			continue;
		}
		ret = read_field(object, field, record);
		if (ret < 0)
			return ret;
		set_known(field, record, ret > 0);
		if (is_known(field, record) != (ret > 0))
			return -EBADMSG;
	}
	return 0;
}

int fields_read_text(char *text, const struct fields *fields, void *record)
{
	struct json_in *document;
	int ret = json_in_open(text, &document);

	if (ret < 0)
		return ret;
	ret = fields_read(json_in_root(document), fields, record);
	json_in_close(document);
	return ret;
}

static void release_field(const struct field *field, void *record)
{
	char *member = into(record, field->place);
	size_t count = 1;

	switch (field->kind) {
	case FIELD_KIND_STRING:
		freep(member);
		return;
	case FIELD_KIND_STRINGS:
		string_list_deinit((struct string_list *)member);
		return;
	case FIELD_KIND_LIST:
		member = *(char **)member;
		/* fall through */
	case FIELD_KIND_ARRAY:
		count = *(const size_t *)at(record, field->count_place);
		/* fall through */
	case FIELD_KIND_OBJECT:
		for (size_t i = 0; i < count; i++)
			fields_release(field->inner,
				       member + i * field->inner->size);
		break;
	default:
		return;
	}
	if (field->kind == FIELD_KIND_LIST)
		free(member);
}

void fields_release(const struct fields *fields, void *record)
{
	for (size_t i = 0; i < fields->count; i++)
		release_field(&fields->list[i], record);
	memset(record, 0, fields->size);
}
