// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/json_out.h"
#include "measure/saved.h"
#include "memory/memory_owners.h"
#include "memory/owners_saved.h"

#define MAX_DEPTH 1024

static void write_owner(struct json_out *json, const struct memory_owner *owner)
{
	json_out_object(json, NULL);
	json_out_string(json, "name", owner->name);
	json_out_unsigned(json, "pid", owner->pid);
	json_out_unsigned(json, "depth", owner->depth);
	json_out_signed(json, "bytes", owner->bytes);
	json_out_object_end(json);
}

static void write_list(struct json_out *json, const char *head,
		       const struct memory_owner_info *info,
		       const struct memory_owner_list *list)
{
	json_out_object(json, NULL);
	json_out_string(json, "head", head);
	json_out_string(json, "kind", info->key);
	json_out_bool(json, "uncounted", list->uncounted);
	json_out_bool(json, "of_both", list->is_of_both);
	json_out_string(json, "why", list->why);
	json_out_unsigned(json, "unread", list->unread);
	json_out_unsigned(json, "others", list->others);
	json_out_signed(json, "others_bytes", list->others_bytes);
	json_out_array(json, "largest");
	for (size_t i = 0; i < list->count; i++)
		write_owner(json, &list->owners[i]);
	json_out_array_end(json);
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

static int read_owner(struct memory_owner_list *list, struct json_value from)
{
	uint64_t pid, depth, bytes;
	char *name;
	int ret;

	if (json_in_number(from, "pid", UINT_MAX, &pid) <= 0 ||
	    json_in_number(from, "depth", MAX_DEPTH, &depth) <= 0 ||
	    json_in_number(from, "bytes", INT64_MAX, &bytes) <= 0)
		return -EBADMSG;
	ret = json_in_copy(from, "name", &name);
	if (ret <= 0)
		return ret ?: -EBADMSG;
	ret = memory_owner_add(list, name, (int64_t)bytes, (unsigned int)pid);
	if (ret < 0)
		return ret;
	list->owners[list->count - 1].depth = (unsigned int)depth;
	return 1;
}

static int read_list(struct memory_owner_list *list, struct json_value from,
		     size_t top)
{
	struct json_value owner = { 0 };
	uint64_t unread, others, bytes;
	const char *why;
	size_t count;
	int ret = 1;

	if (json_in_bool(from, "uncounted", &list->uncounted) <= 0 ||
	    json_in_string(from, "why", &why) <= 0 ||
	    json_in_number(from, "unread", UINT32_MAX, &unread) <= 0 ||
	    json_in_number(from, "others", UINT32_MAX, &others) <= 0 ||
	    json_in_number(from, "others_bytes", INT64_MAX, &bytes) <= 0 ||
	    json_in_array(from, "largest", &owner, &count) <= 0)
		return -EBADMSG;
	/* Older versions did not write it. */
	if (json_in_has(from, "of_both") &&
	    json_in_bool(from, "of_both", &list->is_of_both) <= 0)
		return -EBADMSG;
	snprintf(list->why, sizeof(list->why), "%s", why);
	list->unread = unread;
	list->others = others;
	list->others_bytes = (int64_t)bytes;
	for (size_t i = 0; ret > 0 && i < count; i++) {
		ret = read_owner(list, owner);
		if (i + 1 < count)
			owner = json_in_next(owner);
	}
	return ret > 0 ? memory_owner_list_keep(list, top) ?: 1 : ret;
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
		    strcmp(info->key, kind) == 0 &&
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
