// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_filter.h"
#include "capture/redact_json.h"
#include "capture/redact_text.h"
#include "fields/fields.h"
#include "lib/cleanup.h"
#include "lib/json_in.h"
#include "lib/json_out.h"
#include "lib/number.h"
#include "lib/sentence.h"
#include "measure/provenance.h"
#include "measure/source_name.h"
#include "memory/memory_owners.h"
#include "names/recorded_names.h"
#include "sample/reading.h"
#include "store/documents.h"

/* ---- the fields of all documents ----------------------------------------- */

static const struct field document_list[] = {
	{ FIELD_INNER(NULL, &provenance_fields) },
	{ FIELD_SAYS("source", SAYS_NOTHING), .words = source_names,
	  .most = SOURCE_NAMES - 1 },
	{ FIELD_INNER("reading", &reading_fields) },
	/* Of a recording. */
	{ FIELD_INNER(NULL, &store_state_fields) },
	{ FIELD_INNER(NULL, &store_filled_fields) },
	{ FIELD_INNER(NULL, &recorded_names_fields) },
};

static const struct fields document_fields = FIELDS(char, document_list);

static const struct field document = { FIELD_INNER(NULL, &document_fields) };

/* NULL if there are none, as for NULL. */
static const struct fields *inner_of(const struct field *field)
{
	return field && field_has_inner(field) ? field->inner : NULL;
}

/* Returns NULL if there is none. */
static const struct field *find_field(const struct fields *fields,
				      const char *key)
{
	const struct field *found = NULL;

	for (size_t i = 0; fields && !found && i < fields->count; i++) {
		const struct field *field = &fields->list[i];

		if (!field->key)
			found = find_field(inner_of(field), key);
		else if (strcmp(field->key, key) == 0)
			found = field;
	}
	return found;
}

/* ---- one string ---------------------------------------------------------- */

struct walk {
	const struct redaction *redaction;
	struct json_out json;
	const struct memory_owner_kind_info *owners; /* that follow, or NULL */
	size_t cgroups; /* of the reading, so far */
	int ret;
};

static bool is_one_of(const struct field *field, const char *text)
{
	for (uint64_t i = 0; i <= field->most; i++) {
		if (strcmp(field->words[i], text) == 0)
			return true;
	}
	return false;
}

static enum field_says note_kind(struct walk *walk, const char *text)
{
	walk->owners = NULL;
	for (size_t i = 0; !walk->owners && i < MEMORY_OWNER_LISTS; i++) {
		if (strcmp(memory_owner_info(i)->of->key, text) == 0)
			walk->owners = memory_owner_info(i)->of;
	}
	return walk->owners ? SAYS_WORD : SAYS_NOTHING;
}

static enum field_says says_of(struct walk *walk, const struct field *field,
			       const char *text)
{
	unsigned int major, minor;

	if (!field)
		return SAYS_NOTHING;
	if (field->says == SAYS_KIND)
		return note_kind(walk, text);
	if (field->says == SAYS_OWNER)
		return walk->owners ? walk->owners->says : SAYS_NOTHING;
	if (field->kind == FIELD_KIND_DEVICE)
		return dev_number_parse(text, &major, &minor) ? SAYS_WORD :
								SAYS_NOTHING;
	if (field_words(field) && is_one_of(field, text))
		return SAYS_WORD;
	return field->says;
}

/*
 * Without paths a file has none. A cgroup that has to have one has its place,
 * and an owner is "-".
 */
static void put_no_path(struct walk *walk, const char *key,
			const struct field *field, enum field_says says)
{
	char place[32];

	if (says == SAYS_CGROUP && field->known == KNOWN_ALWAYS) {
		snprintf(place, sizeof(place), walk->cgroups ? "/#%zu" : "/",
			 walk->cgroups);
		walk->cgroups++;
		json_out_string(&walk->json, key, place);
	} else {
		json_out_string(&walk->json, key,
				field->says == SAYS_OWNER ? "-" : NULL);
	}
}

static void put_text(struct walk *walk, const char *key, enum field_says says,
		     const char *text)
{
	_cleanup_(freep) char *copy = strdup(text), *name = NULL;

	if (copy && says == SAYS_SOURCE)
		capture_filter_source(copy);
	if (copy && walk->redaction->redactor)
		name = redact_value(walk->redaction->redactor, says, copy);
	else
		name = steal_ptr(copy);
	if (!name)
		walk->ret = -ENOMEM;
	json_out_string(&walk->json, key, name);
}

static void put_string(struct walk *walk, const char *key,
		       const struct field *field, const char *text)
{
	enum field_says says = says_of(walk, field, text);

	if (walk->redaction->lacks_paths &&
	    (says == SAYS_FILE || says == SAYS_CGROUP))
		put_no_path(walk, key, field, says);
	else
		put_text(walk, key, says, text);
}

/* ---- the walk ------------------------------------------------------------ */

static void put_value(struct walk *walk, const char *key,
		      struct json_value value, const struct field *field);

static void put_members(struct walk *walk, struct json_value object,
			const struct field *field)
{
	const struct fields *inner = inner_of(field);
	struct json_value at = { 0 };

	while (json_in_each(object, &at)) {
		const char *key = json_in_text(at);

		json_in_each(object, &at);
		put_value(walk, key, at, find_field(inner, key));
	}
}

static void put_value(struct walk *walk, const char *key,
		      struct json_value value, const struct field *field)
{
	struct json_value at = { 0 };

	switch (json_in_kind(value)) {
	case JSON_NULL:
		json_out_null(&walk->json, key);
		break;
	case JSON_FALSE:
	case JSON_TRUE:
		json_out_bool(&walk->json, key,
			      json_in_kind(value) == JSON_TRUE);
		break;
	case JSON_NUMBER:
		json_out_number(&walk->json, key, json_in_text(value));
		break;
	case JSON_STRING:
		put_string(walk, key, field, json_in_text(value));
		break;
	case JSON_ARRAY:
		json_out_array(&walk->json, key);
		while (json_in_each(value, &at))
			put_value(walk, NULL, at, field);
		json_out_array_end(&walk->json);
		break;
	case JSON_OBJECT:
		json_out_object(&walk->json, key);
		put_members(walk, value, field);
		json_out_object_end(&walk->json);
		break;
	}
}

static void json_in_closep(struct json_in **in)
{
	json_in_close(*in);
}

int redact_json(const struct redaction *redaction, char **text, size_t *size)
{
	_cleanup_(json_in_closep) struct json_in *in = NULL;
	struct walk walk = { .redaction = redaction };
	/* A document of a recording is one line, without its end. */
	bool is_line = !strchr(*text, '\n');
	char *copy = strndup(*text, *size), *written;
	struct sentence out;
	int ret = copy ? json_in_open(copy, &in) : -ENOMEM;

	if (ret < 0)
		return ret;
	sentence_begin(&out);
	if (out.out) {
		json_out_init(&walk.json, out.out);
		walk.json.compact = is_line;
		walk.json.keeps_bytes = true;
		put_value(&walk, NULL, json_in_root(in), &document);
		json_out_finish(&walk.json);
	}
	out.failed |= walk.ret < 0;
	if (sentence_end(&out, &written) < 0)
		return -ENOMEM;
	if (is_line)
		written[--out.size] = '\0';
	free(*text);
	*text = written;
	*size = out.size;
	return 0;
}
