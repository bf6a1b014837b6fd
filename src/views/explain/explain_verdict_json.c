// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict of explain as JSON, and what its first sentence says. */
#include "cgroups/cgroup_rows.h"
#include "explain/explain_facts.h"
#include "explain/explain_holder.h"
#include "explain/explain_verdict.h"
#include "fields/fields.h"
#include "memory/memory_owners.h"

struct verdict_of {
	struct explain_verdict verdict;
	const char *largest;
	bool has_owner;
	bool is_whole; /* of the cgroups */
};

static bool make_verdict(const void *record,
			 size_t which __attribute__((unused)), void *made)
{
	const struct explain_facts *facts = record;
	struct verdict_of *of = made;
	struct explain_verdict *verdict = &of->verdict;

	explain_verdict_init(verdict, facts);
	of->largest = verdict->largest != MEMORY_HEADS ?
			      memory_head_info(verdict->largest)->key :
		      verdict->largest_is_unevictable ? "unevictable" :
							NULL;
	of->has_owner = verdict->owner;
	of->is_whole = cgroups_are_whole(&facts->cgroups.cgroups);
	return true;
}

static struct column_value get_owner(const void *data)
{
	const struct verdict_of *of = data;

	return column_text(of->has_owner ? of->verdict.owner->path : NULL);
}

static struct column_value get_pid(const void *data)
{
	const struct memory_owner *process =
		((const struct verdict_of *)data)->verdict.process;

	return column_number(process, process ? process->pid : 0);
}

static struct column_value get_process(const void *data)
{
	const struct memory_owner *process =
		((const struct verdict_of *)data)->verdict.process;

	return column_text(process ? process->name : NULL);
}

static struct column_value get_process_bytes(const void *data)
{
	const struct memory_owner *process =
		((const struct verdict_of *)data)->verdict.process;

	return column_number(process, process ? process->bytes : 0);
}

static const struct field verdict_list[] = {
	{ FIELD(struct verdict_of, verdict.kept_bytes, "unreclaimable_bytes",
		INT64_MAX),
	  FIELD_KNOWN(struct verdict_of, verdict.knows_kept), .is_count = true,
	  .about = "at least",
	  .null = "the kernel does not count programs and caches, or counts "
		  "other memory than MemTotal" },
	{ FIELD_SENTENCE(struct verdict_of, largest, "largest_head"),
	  .about = "of memory.heads, the one with most of it; unevictable: "
		   "pages of several that are pinned or locked",
	  .null = "not known" },
	{ FIELD_VALUE("owner_cgroup", COLUMN_TEXT), .value = get_owner,
	  .about = "the cgroup with most of that head",
	  .null = "none has a tenth of it" },
	{ FIELD(struct verdict_of, verdict.owner_bytes, "owner_bytes",
		INT64_MAX),
	  FIELD_KNOWN(struct verdict_of, has_owner), .is_count = true },
	{ FIELD_VALUE("process_pid", COLUMN_COUNT), .value = get_pid,
	  .about = "the process with most of that head; a shared page counts "
		   "in each",
	  .null = "none has a tenth of it" },
	{ FIELD_VALUE("process_name", COLUMN_TEXT), .value = get_process,
	  .null = "none" },
	{ FIELD_VALUE("process_bytes", COLUMN_BYTES),
	  .value = get_process_bytes, .null = "none" },
	{ FIELD(struct verdict_of, is_whole, "cgroups_complete", 0),
	  .about = "every cgroup could be read" },
};

static const struct fields verdict_fields =
	FIELDS(struct verdict_of, verdict_list);

static const char *const states[] = {
	[EXPLAIN_UNKNOWN] = "unknown",
	[EXPLAIN_FINE] = "fine",
	[EXPLAIN_LARGE] = "large",
	[EXPLAIN_NEAR] = "near_limit",
};

/* What the first sentence says. */
struct first {
	const struct explain_facts *facts;
	struct explain_holder holder;
	const char *about;
};

static bool make_first(const void *record, size_t which __attribute__((unused)),
		       void *made)
{
	struct first *first = made;
	struct explain_holder *holder = &first->holder;

	first->facts = record;
	explain_holder_init(holder, first->facts);
	first->about = explain_holder_about(holder);
	return true;
}

struct holder {
	const char *kind;
	const char *name;
	int64_t bytes;
	unsigned int pid; /* 0: none */
	const char *process, *service;
};

static const char *kind_of(const struct explain_holder *holder)
{
	if (holder->owner)
		return memory_owner_info(holder->list)->of->key;
	return holder->device	  ? "device" :
	       holder->file	  ? "deleted_file" :
	       holder->cgroup	  ? "cgroup" :
	       holder->has_names  ? "negative_dentries" :
	       holder->is_reserve ? "reserve" :
				    NULL;
}

static const char *name_of(const struct explain_holder *holder)
{
	if (holder->owner)
		return holder->owner->name;
	return holder->device ? holder->device->of.names.name :
	       holder->file   ? holder->file->path :
	       holder->cgroup ? holder->cgroup->path :
				NULL;
}

static bool make_holder(const void *record,
			size_t which __attribute__((unused)), void *made)
{
	const struct first *first = record;

	*(struct holder *)made = (struct holder){
		.kind = kind_of(&first->holder),
		.name = name_of(&first->holder),
		.bytes = first->holder.bytes,
		.pid = explain_holder_pid(&first->holder, first->facts),
		.process = first->facts->process,
		.service = first->facts->service,
	};
	return kind_of(&first->holder);
}

static const struct field holder_list[] = {
	{ FIELD_SENTENCE(struct holder, kind, "kind"),
	  .about = "as in the lists of memory --owners, or device, "
		   "deleted_file, cgroup, negative_dentries (names that do "
		   "not exist) or reserve" },
	{ FIELD_SENTENCE(struct holder, name, "name"),
	  .null = "a reserve, or names that do not exist" },
	{ FIELD(struct holder, bytes, "bytes", INT64_MAX) },
	{ FIELD(struct holder, pid, "pid", UINT32_MAX), .known = KNOWN_NOT_ZERO,
	  .about = "of the process that has it, or one of them",
	  .null = "none is known" },
	{ FIELD_SENTENCE(struct holder, process, "process"),
	  .null = "none is known" },
	{ FIELD_SENTENCE(struct holder, service, "service"),
	  .about = "the unit of the system's systemd that the process is of",
	  .null = "none is known" },
};

static const struct fields holder_fields = FIELDS(struct holder, holder_list);

static bool make_rise(const void *record, size_t which __attribute__((unused)),
		      void *made)
{
	const struct first *first = record;

	*(struct explain_rise *)made = first->facts->rise;
	return first->facts->rise.name;
}

static const struct field rise_list[] = {
	{ FIELD_STRING(struct explain_rise, name, "name", SAYS_VOLUME),
	  .about = "as in history" },
	{ FIELD(struct explain_rise, row.rise_bytes, "rise_bytes", INT64_MAX) },
	{ FIELD_TEXT(struct explain_rise, row.since_utc, "since", SAYS_WORD),
	  .about = "UTC" },
	{ FIELD_TEXT(struct explain_rise, row.until_utc, "until", SAYS_WORD),
	  .about = "UTC" },
	{ FIELD_TEXT(struct explain_rise, row.who, "who", SAYS_PROCESS),
	  .known = KNOWN_NOT_ZERO, .about = "was behind it",
	  .null = "not known, as of shared memory" },
};

static const struct fields rise_fields = FIELDS(struct explain_rise, rise_list);

struct usual {
	const char *about;
	int64_t bytes;
	struct growth_median median;
	bool is_usual;
};

static bool make_usual(const void *record, size_t which, void *made)
{
	const struct explain_facts *facts =
		((const struct first *)record)->facts;
	struct usual *usual = made;

	for (enum memory_head_id id = 0; id <= MEMORY_HEADS; id++) {
		if (!facts->medians[id].is_known || which--)
			continue;
		*usual = (struct usual){
			.about = memory_owners_head_key(id),
			.bytes = explain_usual_bytes(facts, id),
			.median = facts->medians[id],
			.is_usual = explain_is_usual(facts, id),
		};
		return true;
	}
	return false;
}

static const struct field usual_list[] = {
	{ FIELD_SENTENCE(struct usual, about, "about"),
	  .about = "a head of memory, or unaccounted; block_cache: the device "
		   "with most of it" },
	{ FIELD(struct usual, bytes, "bytes", INT64_MAX) },
	{ FIELD(struct usual, median.bytes, "median_bytes", INT64_MAX) },
	{ FIELD_MOMENT(struct usual, median.since_ms, "since"),
	  .about = "UTC" },
	{ FIELD(struct usual, is_usual, "is_usual", 0),
	  .about = "at most twice the median: the first sentence is about "
		   "something else, or nothing" },
};

static const struct fields usual_fields = FIELDS(struct usual, usual_list);

struct large {
	const char *about;
	int64_t bytes;
};

static bool make_large(const void *record, size_t which, void *made)
{
	const struct first *first = record;

	for (enum memory_head_id id = 0; id <= MEMORY_HEADS; id++) {
		if (!(first->holder.also >> id & 1) || which--)
			continue;
		*(struct large *)made = (struct large){
			.about = memory_owners_head_key(id),
			.bytes = explain_head_bytes(first->facts, id),
		};
		return true;
	}
	return false;
}

static const struct field large_list[] = {
	{ FIELD_SENTENCE(struct large, about, "about"),
	  .about = "a head of memory, or unaccounted" },
	{ FIELD(struct large, bytes, "bytes", INT64_MAX) },
};

static const struct fields large_fields = FIELDS(struct large, large_list);

static const struct field first_list[] = {
	{ FIELD_WORD(struct first, holder.state, "state", states),
	  .about = "large: a tenth of memory is of a head that the kernel "
		   "cannot take back, and not as usual; near_limit: less than "
		   "a tenth of a limit is left" },
	{ FIELD_SENTENCE(struct first, about, "about"),
	  .about = "the head of memory that the first sentence is about, "
		   "unaccounted, or swap (which is full)",
	  .null = "none" },
	{ FIELD(struct first, holder.head_bytes, "about_bytes", INT64_MAX),
	  FIELD_KNOWN(struct first, holder.has_head), .null = "none" },
	{ FIELD_MADE_OBJECT("holder", &holder_fields, make_holder),
	  .about = "who has most of that",
	  .null = "nobody is known, or it is not asked for" },
	{ FIELD_MADE_LIST("also", &large_fields, make_large),
	  .about = "other heads that are large; whose is not looked for" },
	{ FIELD_MADE_OBJECT("recorded", &rise_fields, make_rise),
	  .about = "when that grew most within a day, and half of it came then",
	  .null = "not recorded, not read in time, or it grew more slowly" },
	{ FIELD_MADE_LIST("medians", &usual_fields, make_usual),
	  .about = "of what is large, if memory is not short",
	  .null = "none was recorded for a day and read in time" },
};

static const struct fields first_fields = FIELDS(struct first, first_list);

static const struct field verdict_parts[] = {
	{ FIELD_MADE_PART(&verdict_fields, make_verdict) },
	{ FIELD_PART(struct explain_facts, cgroups, &cgroup_next_fields) },
	{ FIELD_MADE_PART(&first_fields, make_first) },
};

const struct fields explain_verdict_fields =
	FIELDS(struct explain_facts, verdict_parts);
