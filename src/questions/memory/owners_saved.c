// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "fields/fields.h"
#include "lib/json_out.h"
#include "measure/saved.h"
#include "memory/memory_owners.h"
#include "memory/owners_saved.h"

#define MAX_DEPTH 1024
#define MAX_OWNERS 1000000

static const struct field owner_list[] = {
	{ FIELD_STRING(struct memory_owner, name, "name", SAYS_OWNER) },
	{ FIELD(struct memory_owner, pid, "pid", UINT_MAX) },
	{ FIELD(struct memory_owner, depth, "depth", MAX_DEPTH) },
	{ FIELD(struct memory_owner, bytes, "bytes", INT64_MAX) },
};

static const struct fields owner_fields =
	FIELDS(struct memory_owner, owner_list);

/* After its head and its kind, by which it is found. */
static const struct field list_list[] = {
	{ FIELD(struct memory_owner_list, uncounted, "uncounted", 0) },
	{ FIELD(struct memory_owner_list, is_of_both, "of_both", 0),
	  .may_lack = true },
	{ FIELD(struct memory_owner_list, is_of_namespace, "of_namespace", 0),
	  .may_lack = true },
	{ FIELD_TEXT(struct memory_owner_list, why, "why", SAYS_MESSAGE) },
	{ FIELD(struct memory_owner_list, unread, "unread", UINT32_MAX) },
	{ FIELD(struct memory_owner_list, others, "others", UINT32_MAX) },
	{ FIELD(struct memory_owner_list, others_bytes, "others_bytes",
		INT64_MAX) },
	{ FIELD_LIST(struct memory_owner_list, owners, count, "largest",
		     &owner_fields, MAX_OWNERS) },
};

static const struct fields list_fields =
	FIELDS(struct memory_owner_list, list_list);

static const struct field found_list[] = {
	{ FIELD_SAYS("head", SAYS_WORD) },
	{ FIELD_SAYS("kind", SAYS_KIND) },
	{ FIELD_INNER(NULL, &list_fields) },
};

static const struct fields found_fields =
	FIELDS(struct memory_owner_list, found_list);

static const struct field owners_list[] = {
	{ FIELD_INNER("lists", &found_fields) },
};

const struct fields memory_owners_fields =
	FIELDS(struct memory_owners, owners_list);

static void write_list(struct json_out *json, const char *head,
		       const struct memory_owner_info *info,
		       const struct memory_owner_list *list)
{
	json_out_object(json, NULL);
	json_out_string(json, "head", head);
	json_out_string(json, "kind", info->of->key);
	fields_write(json, &list_fields, list);
	json_out_object_end(json);
}

void owners_saved_write(struct json_out *json,
			const struct memory_owners *owners)
{
	json_out_object(json, "owners");
	json_out_bool(json, "cut_short", owners->is_cut_short);
	json_out_array(json, "lists");
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_info *info = memory_owner_info(i);

		if (owners->lists[i].asked)
			write_list(json, memory_owners_head_key(info->head),
				   info, &owners->lists[i]);
	}
	json_out_array_end(json);
	json_out_object_end(json);
}

static int read_list(struct memory_owner_list *list, struct json_value from,
		     size_t top)
{
	int ret = fields_read(from, &list_fields, list);

	list->capacity = list->count;
	return ret ?: memory_owner_list_cut(list, top) ?: 1;
}

/* Returns the list that @from is, if it was asked for; else NULL. */
static struct memory_owner_list *find_list(struct memory_owners *owners,
					   struct json_value from)
{
	const char *head, *kind;

	if (json_in_string(from, "head", &head) <= 0 ||
	    json_in_string(from, "kind", &kind) <= 0)
		return NULL;
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_info *info = memory_owner_info(i);

		if (owners->lists[i].asked && !owners->lists[i].count &&
		    strcmp(info->of->key, kind) == 0 &&
		    strcmp(memory_owners_head_key(info->head), head) == 0)
			return &owners->lists[i];
	}
	return NULL;
}

int owners_saved_read(const struct saved *saved, struct memory_owners *owners)
{
	struct json_value from, list = { 0 };
	bool found[MEMORY_OWNER_LISTS] = { 0 };
	size_t count;
	int ret;

	if (!json_in_has(saved->reading, "owners"))
		return 0;
	ret = json_in_object(saved->reading, "owners", &from);
	if (ret <= 0 ||
	    json_in_bool(from, "cut_short", &owners->is_cut_short) <= 0 ||
	    json_in_array(from, "lists", &list, &count) <= 0)
		return ret ? -EBADMSG : 0;
	for (size_t i = 0; ret > 0 && i < count; i++) {
		struct memory_owner_list *to = find_list(owners, list);

		if (to) {
			ret = read_list(to, list, owners->top);
			found[to - owners->lists] = true;
		}
		if (i + 1 < count)
			list = json_in_next(list);
	}
	/* A kind that the host did not have. */
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++)
		owners->lists[i].asked &= found[i];
	return ret;
}
