// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "cgroups/charge_rows.h"
#include "measure/provenance.h"
#include "question/question.h"

void charges_missing(const struct charges *charges, error_tell_fn *tell,
		     void *data)
{
	struct error err;

	for (size_t i = 0; i < charges->cache_count; i++) {
		const struct cache *cache = &charges->caches[i];

		if (!*cache->why)
			continue;
		error_doing(&err, ERROR_PARTIAL, "reading the pages",
			    cache->mountpoint ?: cache->name, "%s", cache->why);
		tell(data, &err);
	}
}

static const char *const kinds[] = {
	[CACHE_DEVICE] = "device",
	[CACHE_FILESYSTEM] = "filesystem",
	NULL,
};

/* Without the rest, which JSON does not have. */
static const char *const states[] = { "dead", "not charged", NULL };

static int64_t rest_of(const struct cache *cache)
{
	return (int64_t)cache->pages - (int64_t)cache->charged;
}

struct charge_answer {
	struct answer head;
	struct charges charges;
};

static struct charge_row *add(struct rows *rows, const struct charges *charges,
			      size_t cache)
{
	struct charge_row *row = rows_add(rows);

	*row = (struct charge_row){
		.charges = charges,
		.cache = &charges->caches[cache],
	};
	snprintf(row->number, sizeof(row->number), "%u:%u", row->cache->major,
		 row->cache->minor);
	return row;
}

/* The charges of the cache from @first on; returns where the next begin. */
static size_t add_charges(struct rows *rows, const struct charges *charges,
			  size_t cache, size_t first)
{
	for (; first < charges->count && charges->list[first].cache == cache;
	     first++) {
		const struct charge *charge = &charges->list[first];
		struct charge_row *row = add(rows, charges, cache);

		if (charge->owner != CHARGE_NO_OWNER)
			row->owner = &charges->owners[charge->owner];
		row->has_pages = true;
		row->pages = (int64_t)charge->pages;
	}
	return first;
}

static bool is_rest(const void *data)
{
	const struct charge_row *row = data;

	return row->is_rest;
}

static void add_rest(struct rows *rows, const struct charges *charges,
		     size_t cache)
{
	struct charge_row *rest = add(rows, charges, cache);

	rest->is_rest = true;
	rest->has_pages = rest->cache->has_pages;
	rest->pages = rest_of(rest->cache);
}

static int charge_answer_take(void *data, const struct asking *asking,
			      struct error *err)
{
	struct charge_answer *answer = data;
	struct charges *charges = &answer->charges;
	size_t next = 0;
	int ret = charges_read(charges, asking->root, asking->vmcore,
			       asking->selection, err);

	if (ret < 0)
		return ret;
	if (rows_init(&answer->head.rows, charges->count + charges->cache_count,
		      sizeof(struct charge_row), false) < 0)
		return error_errno(err, ENOMEM, "reading", "the charges");
	for (size_t i = 0; i < charges->cache_count; i++) {
		next = add_charges(&answer->head.rows, charges, i, next);
		if (!asking->is_json)
			add_rest(&answer->head.rows, charges, i);
	}
	answer->head.source = charges->is_dump ? "vmcore" : "kcore";
	answer->head.kernel = charges->release;
	answer->head.is_whole = charges_are_whole(charges);
	return 0;
}

static void charge_answer_release(void *data)
{
	struct charge_answer *answer = data;

	charges_deinit(&answer->charges);
}

static void charge_answer_missing(const void *data, error_tell_fn *tell,
				  void *told)
{
	const struct charge_answer *answer = data;

	charges_missing(&answer->charges, tell, told);
}

static struct column_value get_of(const void *data)
{
	const struct charge_row *row = data;

	return column_text(row->cache->mountpoint ?: row->cache->name);
}

static struct column_value get_kind(const void *data)
{
	const struct charge_row *row = data;

	return column_text(kinds[row->cache->kind]);
}

static struct column_value get_text(const void *data, size_t place)
{
	const struct charge_row *row = data;

	return row->owner ? column_text_at(row->owner, place) :
			    column_text(NULL);
}

static struct column_value get_state(const void *data)
{
	const struct charge_row *row = data;

	if (row->is_rest)
		return column_text("unattributed");
	if (!row->owner)
		return column_text("not charged");
	return column_text(row->owner->is_dead ? "dead" : NULL);
}

static struct column_value get_id(const void *data)
{
	const struct charge_row *row = data;

	return column_number(row->owner,
			     row->owner ? (int64_t)row->owner->id : 0);
}

static struct column_value get_pages(const void *data)
{
	const struct charge_row *row = data;

	return column_number(row->has_pages, row->pages);
}

static struct column_value get_size(const void *data)
{
	const struct charge_row *row = data;

	return column_number(row->has_pages,
			     row->pages * (int64_t)row->charges->page_size);
}

static struct column_value get_share(const void *data)
{
	const struct charge_row *row = data;

	return column_share(row->has_pages && row->cache->has_pages &&
				    row->cache->pages,
			    (double)row->pages, (double)row->cache->pages);
}

static const struct column columns[] = {
	{ "OF", "of", "a device, or a filesystem's mount point", COLUMN_PATH,
	  COLUMN_USUAL, .always = true, .value = get_of },
	{ "KIND", "kind", "device: in Buffers; filesystem: in Cached",
	  COLUMN_TEXT, COLUMN_USUAL, .always = true, .words = kinds, .leave = 3,
	  .value = get_kind },
	{ "MAJ:MIN", "maj:min", "device number of either", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, .always = true, .leave = 1,
	  COLUMN_AT(column_chars_at, struct charge_row, number) },
	{ "PAGES", "pages", "pages that are charged to the cgroup itself",
	  COLUMN_COUNT, COLUMN_USUAL, .always = true, .leave = 2,
	  .value = get_pages },
	{ "SIZE", "bytes", "the same as a size", COLUMN_BYTES, COLUMN_USUAL,
	  .always = true, .value = get_size },
	{ "SHARE", "share_percent", "of all that is cached of OF",
	  COLUMN_PERCENT, COLUMN_USUAL, .leave = 4, .value = get_share },
	{ "STATE", "state", "dead: a removed cgroup; not charged; unattributed",
	  COLUMN_TEXT, COLUMN_USUAL, .words = states, .value = get_state },
	{ "CONTAINER", "container", "runtime and id, by the cgroup's name",
	  COLUMN_TEXT, COLUMN_ON_REQUEST, .leave = 1,
	  COLUMN_AT(get_text, struct charge_owner, container) },
	{ "ID", "cgroup_id", "inode number of the cgroup's directory",
	  COLUMN_COUNT, COLUMN_ON_REQUEST, .leave = 1, .value = get_id },
	{ "CGROUP", "cgroup", "its path; what it was, if it is dead",
	  COLUMN_PATH, COLUMN_USUAL,
	  COLUMN_AT(get_text, struct charge_owner, path) },
};

const struct column_set charge_columns = COLUMN_SET("charges", columns);

static struct column_value get_unattributed(const void *data)
{
	const struct cache *cache = data;

	return column_number(cache->has_pages, rest_of(cache));
}

static const struct field cache_list[] = {
	{ FIELD_WORD(struct cache, kind, "kind", kinds) },
	{ FIELD_STRING(struct cache, name, "name", SAYS_SOURCE),
	  .about = "the kernel's of a device; what is mounted" },
	{ FIELD_STRING(struct cache, mountpoint, "mountpoint", SAYS_PLACE),
	  .known = KNOWN_NOT_ZERO, .about = "the first one",
	  .null = "there is none" },
	{ FIELD_DEVICE(struct cache, major, "maj:min") },
	{ FIELD(struct cache, pages, "pages", UINT64_MAX),
	  FIELD_KNOWN(struct cache, has_pages),
	  .about = "by the kernel's count", .null = "it could not be read" },
	{ FIELD_VALUE("unattributed_pages", COLUMN_CHANGE),
	  .value = get_unattributed,
	  .about = "pages less those of its charges; negative if some came "
		   "meanwhile",
	  .null = "the pages are not known" },
	{ FIELD_TEXT(struct cache, why, "why", SAYS_MESSAGE),
	  .known = KNOWN_NOT_ZERO,
	  .about = "why not all of its pages could be read",
	  .null = "all were read" },
};

static const struct fields cache_fields = FIELDS(struct cache, cache_list);

static const struct field charges_list[] = {
	{ FIELD(struct charges, page_size, "page_size_bytes", UINT64_MAX) },
	{ FIELD_LIST(struct charges, caches, cache_count, "caches",
		     &cache_fields, UINT64_MAX),
	  .about = "the page caches that were asked for" },
};

static const struct fields charges_fields =
	FIELDS(struct charges, charges_list);

static const struct field answer_list[] = {
	{ FIELD_PART(struct charge_answer, charges, &charges_fields) },
};

static const struct fields answer_fields =
	FIELDS(struct charge_answer, answer_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&answer_fields) },
	{ DOCUMENT_ROWS("charges", &charge_columns) },
};

const struct fields charge_document = FIELDS(struct document, document_list);

static const struct row_kind charge_row_kind = { .is_rest = is_rest };

const struct question charge_question = {
	.name = "charges",
	.command = &command_charges,
	.things = "the charges",
	.columns = &charge_columns,
	.size = sizeof(struct charge_answer),
	.row = &charge_row_kind,
	.take = charge_answer_take,
	.release = charge_answer_release,
	.missing = charge_answer_missing,
};
