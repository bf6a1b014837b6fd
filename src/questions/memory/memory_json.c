// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/memory_heads.h"
#include "memory/memory_json.h"
#include "memory/memory_owners.h"
#include "memory/memory_reading.h"

/* A head of memory or, with MEMORY_HEADS, what is unaccounted. */
struct head_of {
	const struct memory_rows_of *of;
	enum memory_head_id id;
	const struct memory_head_info *info;
	const struct memory_head *head;
};

static struct column_value in_bytes(const struct memory_rows_of *of, bool known,
				    int64_t pages)
{
	return column_number(known, pages * (int64_t)of->heads->page_size);
}

/* ---- parts of a head ------------------------------------------------------ */

static const char *const bounds[] = {
	[MEMORY_EXACT] = "exact",	[MEMORY_AT_LEAST] = "at least",
	[MEMORY_AT_MOST] = "at most",	[MEMORY_ESTIMATE] = "about",
	[MEMORY_UNKNOWN] = "not known",
};

struct part_of {
	const struct memory_rows_of *of;
	const struct memory_part *part;
};

static bool make_part(const void *record, size_t which, void *made)
{
	const struct head_of *head = record;
	const struct memory_heads *heads = head->of->heads;
	const struct memory_part *parts = head->head ? head->head->parts :
						       heads->rest_parts;
	size_t count = head->head ? head->head->part_count :
				    heads->rest_part_count;

	*(struct part_of *)made = (struct part_of){ head->of, &parts[which] };
	return which < count;
}

static struct column_value get_part(const void *data)
{
	const struct part_of *part = data;

	return in_bytes(part->of, part->part->bound != MEMORY_UNKNOWN,
			part->part->pages);
}

static const struct field name_list[] = {
	{ FIELD_SENTENCE(struct memory_part, key, "part") },
	{ FIELD_TEXT(struct memory_part, label, "label", SAYS_WORD) },
};

static const struct fields name_fields = FIELDS(struct memory_part, name_list);

static const struct field bound_list[] = {
	{ FIELD_WORD(struct memory_part, bound, "bound", bounds),
	  .about = "at most: the kernel counts it for several heads together" },
};

static const struct fields bound_fields =
	FIELDS(struct memory_part, bound_list);

static const struct field part_list[] = {
	{ FIELD_POINTED(struct part_of, part, &name_fields) },
	{ FIELD_VALUE("bytes", COLUMN_CHANGE), .value = get_part,
	  .null = "it is there, and its size is not known" },
	{ FIELD_POINTED(struct part_of, part, &bound_fields) },
};

static const struct fields part_fields = FIELDS(struct part_of, part_list);

/* ---- its owners ----------------------------------------------------------- */

static const struct field owner_list[] = {
	{ FIELD_STRING(struct memory_owner, name, "name", SAYS_OWNER) },
	{ FIELD(struct memory_owner, pid, "pid", UINT32_MAX),
	  .known = KNOWN_NOT_ZERO, .null = "no process" },
	{ FIELD(struct memory_owner, depth, "depth", UINT32_MAX),
	  .about = "in a tree: how many of the owners before it are above it" },
	{ FIELD(struct memory_owner, bytes, "bytes", INT64_MAX),
	  .is_count = true },
};

static const struct fields owner_fields =
	FIELDS(struct memory_owner, owner_list);

static const struct field rest_list[] = {
	{ FIELD(struct memory_owner_list, unread, "unread", UINT64_MAX),
	  .about = "owners that could not be read" },
	{ FIELD(struct memory_owner_list, others, "others", UINT64_MAX),
	  .about = "owners that are too small for the list" },
};

static const struct fields rest_fields =
	FIELDS(struct memory_owner_list, rest_list);

static const struct field largest_list[] = {
	{ FIELD_LIST(struct memory_owner_list, owners, count, "largest",
		     &owner_fields, UINT64_MAX) },
};

static const struct fields largest_fields =
	FIELDS(struct memory_owner_list, largest_list);

struct list_of {
	const struct memory_owner_info *info;
	const struct memory_owner_list *list;
	const char *note;
	const char *why;
	bool is_counted;
};

static const char *or_null(const char *text)
{
	return text && *text ? text : NULL;
}

/* Whatever they have, in the order of 1.0. */
static bool make_list(const void *record, size_t which, void *made)
{
	const struct head_of *head = record;
	const struct memory_owners *owners = head->of->owners;
	struct list_of *list = made;

	for (size_t i = 0; owners && i < MEMORY_OWNER_LISTS; i++) {
		if (memory_owner_info(i)->head != head->id ||
		    !owners->lists[i].asked || which--)
			continue;
		list->info = memory_owner_info(i);
		list->list = &owners->lists[i];
		list->note = or_null(memory_owners_note(owners, i));
		list->why = or_null(list->list->why);
		list->is_counted = !list->list->uncounted;
		return true;
	}
	return false;
}

static struct column_value get_others(const void *data)
{
	const struct list_of *list = data;

	return column_number(list->info->is_disjoint, list->list->others_bytes);
}

static const struct field kind_list[] = {
	{ FIELD_SENTENCE(struct memory_owner_kind_info, key, "kind") },
};

static const struct fields kind_fields =
	FIELDS(struct memory_owner_kind_info, kind_list);

static const struct field info_list[] = {
	{ FIELD_POINTED(struct memory_owner_info, of, &kind_fields) },
	{ FIELD_SENTENCE(struct memory_owner_info, label, "label") },
};

static const struct fields info_fields =
	FIELDS(struct memory_owner_info, info_list);

static const struct field list_list[] = {
	{ FIELD_POINTED(struct list_of, info, &info_fields) },
	{ FIELD_SENTENCE(struct list_of, note, "note"),
	  .about = "how to read the figures", .null = "as they are" },
	{ FIELD_SENTENCE(struct list_of, why, "why_not"),
	  .about = "why none could be asked", .null = "they were" },
	{ FIELD(struct list_of, is_counted, "counted", 0),
	  .about = "false: this kernel does not tell who has it" },
	{ FIELD_POINTED(struct list_of, list, &rest_fields) },
	{ FIELD_VALUE("others_bytes", COLUMN_BYTES), .value = get_others,
	  .about = "what these have together", .null = "they may share pages" },
	{ FIELD_POINTED(struct list_of, list, &largest_fields) },
};

static const struct fields list_fields = FIELDS(struct list_of, list_list);

#define OWNERS(key)                                                            \
	FIELD_MADE_LIST(key, &list_fields, make_list),                         \
		.about = "the largest owners, a list for each kind",           \
		.null = "they were not asked for"

/* ---- the heads ------------------------------------------------------------ */

/* @which: the place of one of the samples in struct memory_history. */
static struct column_value get_change(const void *data, size_t which)
{
	const struct head_of *head = data;
	const void *history = head->of->history;
	int64_t pages = 0;
	bool known = history &&
		     memory_heads_change(
			     (const void *)((const char *)history + which),
			     head->of->heads, head->id, &pages);

	return in_bytes(head->of, known, pages);
}

#define CHANGE(key, sample)                                                    \
	FIELD_VALUE(key, COLUMN_CHANGE),                                       \
		COLUMN_AT(get_change, struct memory_history, sample),          \
		.null = "no such sample, or not known"

static struct column_value get_head(const void *data)
{
	const struct head_of *head = data;

	return in_bytes(head->of, true, head->head->pages);
}

static struct column_value get_reclaimable(const void *data)
{
	const struct head_of *head = data;

	return in_bytes(head->of, head->head->reclaimable >= 0,
			head->head->reclaimable);
}

static struct column_value get_remedy(const void *data)
{
	const struct head_of *head = data;

	return column_text(head->of->reading->is_dump ? NULL :
							head->info->remedy);
}

static const struct field head_info_list[] = {
	{ FIELD_SENTENCE(struct memory_head_info, key, "head") },
	{ FIELD_SENTENCE(struct memory_head_info, label, "label") },
};

static const struct fields head_info_fields =
	FIELDS(struct memory_head_info, head_info_list);

static const struct field head_list[] = {
	{ FIELD_POINTED(struct head_of, info, &head_info_fields) },
	{ FIELD_VALUE("bytes", COLUMN_CHANGE), .value = get_head },
	{ CHANGE("change_bytes", last) },
	{ CHANGE("since_bytes", first) },
	{ FIELD_VALUE("reclaimable_bytes", COLUMN_BYTES),
	  .value = get_reclaimable, .about = "at most", .null = "not known" },
	{ FIELD_VALUE("remedy", COLUMN_TEXT), .value = get_remedy,
	  .about = "what gives it back", .null = "nothing, or a dump" },
	{ FIELD_MADE_LIST("parts", &part_fields, make_part),
	  .about = "some of its pages; they may overlap" },
	{ OWNERS("owners") },
};

static const struct fields head_fields = FIELDS(struct head_of, head_list);

/* Those that the kernel counts. */
static bool make_head(const void *record, size_t which, void *made)
{
	const struct memory_answer *answer = record;
	const struct memory_heads *heads = answer->of->heads;

	for (enum memory_head_id id = 0; id < MEMORY_HEADS; id++) {
		if (!heads->heads[id].known || which--)
			continue;
		*(struct head_of *)made = (struct head_of){
			answer->of,
			id,
			memory_head_info(id),
			&heads->heads[id],
		};
		return true;
	}
	return false;
}

/* ---- what is unaccounted -------------------------------------------------- */

static bool make_rest(const void *record, size_t which __attribute__((unused)),
		      void *made)
{
	const struct memory_answer *answer = record;

	*(struct head_of *)made = (struct head_of){
		.of = answer->of,
		.id = MEMORY_HEADS,
	};
	return true;
}

static struct column_value get_rest(const void *data)
{
	const struct head_of *rest = data;

	return in_bytes(rest->of, rest->of->heads->has_rest,
			rest->of->heads->rest);
}

struct baseline_of {
	const struct memory_baseline *baseline;
	int64_t change_bytes;
};

static bool make_baseline(const void *record,
			  size_t which __attribute__((unused)), void *made)
{
	const struct head_of *rest = record;
	struct baseline_of *baseline = made;

	baseline->baseline = &rest->of->reading->baseline;
	baseline->change_bytes =
		get_rest(rest).number - baseline->baseline->rest_bytes;
	return baseline->baseline->known && rest->of->heads->has_rest;
}

static const struct field taken_list[] = {
	{ FIELD_TEXT(struct memory_baseline, taken_at, "taken_at", SAYS_WORD) },
	{ FIELD(struct memory_baseline, rest_bytes, "bytes", INT64_MAX) },
};

static const struct fields taken_fields =
	FIELDS(struct memory_baseline, taken_list);

static const struct field baseline_list[] = {
	{ FIELD_POINTED(struct baseline_of, baseline, &taken_fields) },
	{ FIELD(struct baseline_of, change_bytes, "change_bytes", INT64_MAX),
	  .about = "growth since then" },
};

static const struct fields baseline_fields =
	FIELDS(struct baseline_of, baseline_list);

static const struct field unaccounted_list[] = {
	{ FIELD_VALUE("unaccounted_bytes", COLUMN_CHANGE), .value = get_rest,
	  .about = "may be negative",
	  .null = "MemTotal is about other memory, or a count is missing" },
	{ CHANGE("unaccounted_change_bytes", last) },
	{ CHANGE("unaccounted_since_bytes", first) },
	{ FIELD_MADE_OBJECT("unaccounted_baseline", &baseline_fields,
			    make_baseline),
	  .about = "what was unaccounted at the first run since the boot",
	  .null = "not known" },
	{ FIELD_MADE_LIST("unaccounted_parts", &part_fields, make_part) },
	{ OWNERS("unaccounted_owners") },
};

static const struct fields unaccounted_fields =
	FIELDS(struct head_of, unaccounted_list);

/* ---- the rows of another view --------------------------------------------- */

static struct column_value get_number(const void *row, size_t place)
{
	const struct memory_number *number =
		(const void *)((const char *)row + place);

	return column_number(number->known, number->number);
}

#define NUMBER(kind, member, key)                                              \
	FIELD_VALUE(key, kind), COLUMN_AT(get_number, struct memory_row, member)
#define LINE(member, key) FIELD_SENTENCE(struct memory_row, member, key)
#define TEXT(member, key)                                                      \
	FIELD_TEXT(struct memory_row, member, key, SAYS_WORD),                 \
		.known = KNOWN_NOT_ZERO

static struct column_value get_what(const void *data)
{
	const struct memory_row *row = data;

	return column_text(row->what + row->indent);
}

/* A key of 1.0 that nothing sets. */
static struct column_value get_no_why(const void *row __attribute__((unused)))
{
	return column_text(NULL);
}

static const struct field counted_list[] = {
	{ LINE(key, "key") },
	{ FIELD_VALUE("what", COLUMN_TEXT), .value = get_what },
	{ NUMBER(COLUMN_CHANGE, bytes, "bytes"), .null = "not known" },
	{ NUMBER(COLUMN_CHANGE, pages, "pages"), .null = "not known" },
	{ LINE(field, "field"), .null = "none alone" },
	{ LINE(file, "file"), .null = "none alone" },
	{ FIELD_VALUE("why", COLUMN_TEXT), .value = get_no_why, .null = "" },
	{ TEXT(note, "note") },
};

static const struct fields counted_fields =
	FIELDS(struct memory_row, counted_list);

static const struct field action_list[] = {
	{ LINE(key, "key") },
	{ FIELD_VALUE("what", COLUMN_TEXT), .value = get_what,
	  .about = "the action" },
	{ NUMBER(COLUMN_BYTES, at_least, "at_least_bytes"),
	  .null = "not known" },
	{ NUMBER(COLUMN_BYTES, at_most, "at_most_bytes"),
	  .null = "nobody counts what it frees" },
	{ TEXT(command, "command"), .null = "only the kernel can" },
	{ TEXT(cost, "cost") },
	{ TEXT(note, "note") },
};

static const struct fields action_fields =
	FIELDS(struct memory_row, action_list);

struct view_of {
	bool is[MEMORY_VIEW_CENSUS + 1];
	struct memory_rows rows;
};

static bool make_view(const void *record, size_t which __attribute__((unused)),
		      void *made)
{
	const struct memory_answer *answer = record;
	struct view_of *view = made;

	view->is[answer->view] = true;
	view->rows = answer->rows;
	return true;
}

#define VIEW(view, key, fields)                                                \
	FIELD_LIST(struct view_of, rows.rows, rows.count, key, fields,         \
		   UINT64_MAX),                                                \
		FIELD_KNOWN(struct view_of, is[view]), .is_left_out = true

static const struct field view_list[] = {
	{ VIEW(MEMORY_VIEW_AVAILABLE, "available", &counted_fields) },
	{ VIEW(MEMORY_VIEW_GIVE_BACK, "give_back", &action_fields),
	  .about = "the actions of which something is known" },
	{ VIEW(MEMORY_VIEW_CENSUS, "census", &counted_fields) },
};

static const struct fields view_fields = FIELDS(struct view_of, view_list);

/* ---- all of it ------------------------------------------------------------ */

/* @which: the place of a number of pages in struct memory_heads. */
static struct column_value get_pages(const void *data, size_t which)
{
	const struct memory_answer *answer = data;
	int64_t pages =
		*(const int64_t *)((const char *)answer->of->heads + which);

	return in_bytes(answer->of, pages >= 0, pages);
}

#define PAGES(key, member)                                                     \
	FIELD_VALUE(key, COLUMN_BYTES),                                        \
		COLUMN_AT(get_pages, struct memory_heads, member)

static struct column_value get_spread(const void *data)
{
	const struct memory_reading *reading = data;

	return column_number(true, reading->spread_pages *
					   (int64_t)reading->page_size);
}

/* How the counts were taken. */
static const struct field how_list[] = {
	{ FIELD(struct memory_reading, settled, "settled", 0),
	  .about = "the counts did not contradict each other" },
	{ FIELD(struct memory_reading, samples, "samples", UINT32_MAX) },
	{ FIELD_VALUE("spread_bytes", COLUMN_BYTES), .value = get_spread,
	  .about = "how far the counts moved between the samples" },
	{ FIELD(struct memory_reading, page_size, "page_size_bytes",
		UINT64_MAX) },
};

static const struct fields how_fields = FIELDS(struct memory_reading, how_list);

static const struct field reading_list[] = {
	{ FIELD_POINTED(struct memory_rows_of, reading, &how_fields) },
};

static const struct fields reading_fields =
	FIELDS(struct memory_rows_of, reading_list);

static const struct field answer_list[] = {
	{ FIELD_POINTED(struct memory_answer, of, &reading_fields) },
	{ PAGES("total_bytes", total),
	  .about = "MemTotal: all heads and unaccounted_bytes" },
	{ FIELD_MADE_LIST("heads", &head_fields, make_head) },
	{ FIELD_MADE_PART(&unaccounted_fields, make_rest) },
	{ PAGES("uncertainty_bytes", uncertainty), .null = "nobody knows" },
	{ PAGES("missing_from_total_bytes", missing_from_total),
	  .about = "what a balloon has taken out of MemTotal",
	  .null = "a dump does not tell" },
	{ FIELD_MADE_PART(&view_fields, make_view) },
};

const struct fields memory_answer_fields =
	FIELDS(struct memory_answer, answer_list);
