// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "devices/device_columns.h"
#include "explain/explain.h"
#include "explain/explain_advice.h"
#include "explain/explain_facts.h"
#include "explain/explain_holder.h"
#include "explain/explain_verdict.h"
#include "fields/fields.h"
#include "filesystems/fs_json.h"
#include "lib/utc.h"
#include "memory/free_columns.h"
#include "memory/memory_json.h"
#include "names/device_base.h"
#include "store/past.h"

struct explain_document {
	struct document_head head;
	const struct explain_facts *facts;
	/* When the parts were read that are older than the rest; or "". */
	char part_at[PAST_PARTS][UTC_TEXT_SIZE];
	bool has_advice;
	struct explain_advices advices;
	struct fs_part cached;
	/* Why no source, or not the best one, could be used; or "". */
	char not_measured[ERROR_TEXT_SIZE];
};

/* ---- the devices of Buffers ----------------------------------------------- */

struct device_of {
	const struct explain_facts *facts;
	const struct explain_device *device;
};

static bool make_device(const void *record, size_t which, void *made)
{
	const struct explain_facts *facts = record;

	*(struct device_of *)made = (struct device_of){
		facts,
		&facts->devices[which],
	};
	return which < facts->count;
}

#define TEXT(key, member)                                                      \
	FIELD_VALUE(key, COLUMN_TEXT),                                         \
		COLUMN_AT(column_text_at, struct device, member)
#define BYTES(key, figure)                                                     \
	FIELD_VALUE(key, COLUMN_BYTES), .value_of = device_get_bytes,          \
					.which = (figure)

static const struct field device_list[] = {
	{ TEXT("name", names.name), .null = "a device in a dump has none" },
	{ TEXT("kname", names.kname), .null = "the kernel has none for it" },
	{ FIELD_TEXT(struct device, number, "maj:min", SAYS_WORD) },
	{ FIELD_VALUE("pages", COLUMN_COUNT), .value_of = device_get_count,
	  .which = FIGURE_PAGES, .null = "it could not be measured" },
	{ BYTES("buffers_bytes", FIGURE_PAGES),
	  .null = "it could not be measured" },
	{ FIELD_VALUE("share_percent", COLUMN_PERCENT),
	  .value = device_get_share, .about = "of Buffers",
	  .null = "not known" },
	{ BYTES("dirty_bytes", FIGURE_DIRTY),
	  .null = "the source does not tell" },
	{ BYTES("writeback_bytes", FIGURE_WRITEBACK),
	  .null = "the source does not tell" },
	{ FIELD_STRING(struct device, sample.refused, "not_measured",
		       SAYS_MESSAGE),
	  .known = KNOWN_NOT_ZERO,
	  .about = "why the device could not be measured", .null = "it was" },
	{ TEXT("fstype", names.fstype), .null = "not known" },
	{ FIELD_PART(struct device, names, &device_users_fields) },
};

static const struct fields device_fields = FIELDS(struct device, device_list);

static struct column_value get_partitions(const void *data)
{
	const struct device_base *base = data;

	return column_number(!base->has_hidden_partitions,
			     base->has_partitions);
}

static const struct field base_list[] = {
	{ FIELD_STRING(struct device_base, loop_file, "loop_file", SAYS_FILE),
	  .known = KNOWN_NOT_ZERO, .about = "the file below a loop device",
	  .null = "no such device" },
	{ FIELD_VALUE("has_partitions", COLUMN_FLAG), .value = get_partitions,
	  .null = "not known" },
};

static const struct fields base_fields = FIELDS(struct device_base, base_list);

static const struct field open_list[] = {
	{ FIELD_VALUE("openers", COLUMN_COUNT), .value_of = device_get_count,
	  .which = FIGURE_OPENERS, .about = "how often the kernel has it open",
	  .null = "the source does not tell" },
};

static const struct fields open_fields = FIELDS(struct device, open_list);

static const struct field device_parts[] = {
	{ FIELD_PART(struct explain_device, of, &device_fields) },
	{ FIELD_PART(struct explain_device, base, &base_fields) },
	{ FIELD_PART(struct explain_device, of, &open_fields) },
};

static const struct fields explain_device_fields =
	FIELDS(struct explain_device, device_parts);

/* An empty array would say that nobody has the device open. */
struct openers_of {
	bool known;
	const struct opener *list;
	size_t count;
};

static bool make_openers(const void *record,
			 size_t which __attribute__((unused)), void *made)
{
	const struct device_of *of = record;
	const struct openers *openers = &of->facts->openers;

	*(struct openers_of *)made = (struct openers_of){
		openers->processes && !openers->failed,
		of->device->openers,
		of->device->opener_count,
	};
	return true;
}

static const struct field opener_list[] = {
	{ FIELD(struct opener, pid, "pid", UINT32_MAX) },
	{ FIELD_TEXT(struct opener, comm, "comm", SAYS_PROCESS),
	  .known = KNOWN_NOT_ZERO, .null = "it ended before it was read" },
};

static const struct fields opener_fields = FIELDS(struct opener, opener_list);

static const struct field openers_list[] = {
	{ FIELD_LIST(struct openers_of, list, count, "held_open_by",
		     &opener_fields, UINT64_MAX),
	  FIELD_KNOWN(struct openers_of, known),
	  .null = "no process could be looked at" },
};

static const struct fields openers_fields =
	FIELDS(struct openers_of, openers_list);

static const struct field device_of_list[] = {
	{ FIELD_POINTED(struct device_of, device, &explain_device_fields) },
	{ FIELD_MADE_PART(&openers_fields, make_openers) },
};

static const struct fields device_of_fields =
	FIELDS(struct device_of, device_of_list);

/* ---- Buffers -------------------------------------------------------------- */

static struct column_value get_settled(const void *data)
{
	const struct explain_facts *facts = data;

	return column_number(explain_is_measured(facts),
			     !facts->buffers.unsettled);
}

static const struct field sum_list[] = {
	{ FIELD_PART(struct explain_facts, buffers, &devices_sum_fields) },
	{ FIELD_VALUE("settled", COLUMN_FLAG), .value = get_settled,
	  .about = "false: no reading of the devices added up to Buffers",
	  .null = "they were not measured" },
};

static const struct fields sum_fields = FIELDS(struct explain_facts, sum_list);

static const struct field devices_list[] = {
	{ FIELD_MADE_LIST("devices", &device_of_fields, make_device) },
	{ FIELD(struct explain_facts, openers.processes, "processes_read",
		UINT64_MAX) },
	{ FIELD(struct explain_facts, openers.denied, "processes_denied",
		UINT64_MAX) },
};

static const struct fields devices_fields_of =
	FIELDS(struct explain_facts, devices_list);

static const struct field buffers_list[] = {
	{ FIELD_POINTED(struct explain_document, facts, &sum_fields) },
	{ FIELD_TEXT(struct explain_document, not_measured, "not_measured",
		     SAYS_MESSAGE),
	  .known = KNOWN_NOT_ZERO,
	  .about = "why no source, or not the preferred one, could be used",
	  .null = "it was" },
	{ FIELD_POINTED(struct explain_document, facts, &devices_fields_of) },
};

static const struct fields buffers_fields =
	FIELDS(struct explain_document, buffers_list);

/* ---- what Cached is made of ----------------------------------------------- */

#define MEMINFO(key, field)                                                    \
	FIELD_VALUE(key, COLUMN_BYTES), .value_of = meminfo_value,             \
					.which = (field), .null = "not known"

static const struct field meminfo_list[] = {
	{ MEMINFO("cached_bytes", MEMINFO_CACHED) },
	{ MEMINFO("sreclaimable_bytes", MEMINFO_SRECLAIMABLE) },
	{ MEMINFO("shmem_bytes", MEMINFO_SHMEM) },
	{ MEMINFO("mapped_bytes", MEMINFO_MAPPED) },
	{ MEMINFO("swap_cached_bytes", MEMINFO_SWAP_CACHED) },
	{ MEMINFO("dirty_bytes", MEMINFO_DIRTY) },
	{ MEMINFO("writeback_bytes", MEMINFO_WRITEBACK) },
};

static const struct fields meminfo_fields_of =
	FIELDS(struct meminfo, meminfo_list);

static const struct field free_list[] = {
	{ FIELD_PART(struct explain_facts, buffers.meminfo,
		     &free_columns_fields) },
	{ FIELD_OBJECT(struct explain_facts, buffers.meminfo, "meminfo",
		       &meminfo_fields_of) },
};

static const struct fields free_fields =
	FIELDS(struct explain_facts, free_list);

static const char *const places[] = {
	[FS_METADATA_BUFFERS] = "buffers",
	[FS_METADATA_CACHE] = "cache",
	[FS_METADATA_OWN] = "own",
};

struct fstype {
	const char *name;
	enum fs_metadata metadata;
};

static bool make_fstype(const void *record, size_t which, void *made)
{
	const struct explain_facts *facts = record;
	struct fstype *fstype = made;

	if (which >= facts->fstypes.count)
		return false;
	fstype->name = facts->fstypes.strings[which];
	fstype->metadata = fs_metadata(fstype->name);
	return true;
}

static const struct field fstype_list[] = {
	{ FIELD_SENTENCE(struct fstype, name, "fstype") },
	{ FIELD_WORD(struct fstype, metadata, "metadata_in", places),
	  .about = "where it is counted; own: in no page cache",
	  .null = "not known" },
};

static const struct fields fstype_fields = FIELDS(struct fstype, fstype_list);

static const struct field fstypes_list[] = {
	{ FIELD_MADE_LIST("filesystems", &fstype_fields, make_fstype),
	  .about = "types that are mounted", .null = "not known" },
};

static const struct fields fstypes_fields =
	FIELDS(struct explain_facts, fstypes_list);

/* ---- the verdict ---------------------------------------------------------- */

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

static const struct fields verdict_parts_fields =
	FIELDS(struct explain_facts, verdict_parts);

/* ---- all of memory, as in bufstat memory -J ------------------------------- */

struct memory_of {
	struct memory_rows_of of;
	struct memory_answer answer;
};

static bool make_memory(const void *record,
			size_t which __attribute__((unused)), void *made)
{
	const struct explain_facts *facts = record;
	struct memory_of *memory = made;

	memory->of.reading = &facts->memory;
	memory->of.heads = &facts->heads;
	memory->answer.of = &memory->of;
	return facts->has_memory;
}

static const struct field memory_list[] = {
	{ FIELD_PART(struct memory_of, answer, &memory_answer_fields) },
};

static const struct fields memory_fields =
	FIELDS(struct memory_of, memory_list);

static const struct field memory_parts[] = {
	{ FIELD_INNER("verdict", &verdict_parts_fields),
	  .about = "what cannot be reclaimed, whose it is, and which limit is "
		   "next" },
	{ FIELD_MADE_OBJECT("memory", &memory_fields, make_memory),
	  .about = "as in bufstat memory -J", .null = "it could not be read" },
};

static const struct fields memory_parts_fields =
	FIELDS(struct explain_facts, memory_parts);

/* ---- advice --------------------------------------------------------------- */

static const struct field advice_list[] = {
	{ FIELD_SENTENCE(struct explain_advice, key, "key") },
	{ FIELD_STRING(struct explain_advice, command, "command", SAYS_MESSAGE),
	  .about = "for a shell, run by root" },
	{ FIELD(struct explain_advice, low_bytes, "at_least_bytes", INT64_MAX),
	  .is_count = true },
	{ FIELD(struct explain_advice, high_bytes, "at_most_bytes", INT64_MAX),
	  .known = KNOWN_NOT_NEGATIVE, .is_count = true,
	  .null = "nobody counts what it frees" },
	{ FIELD_TEXT(struct explain_advice, cost, "cost", SAYS_MESSAGE) },
	{ FIELD_TEXT(struct explain_advice, stays, "stays", SAYS_MESSAGE),
	  .known = KNOWN_NOT_ZERO, .about = "what does not go, and why",
	  .null = "nothing" },
	{ FIELD(struct explain_advice, is_of_next_limit, "of_next_limit", 0),
	  .about = "it frees what the next limit holds" },
	{ FIELD(struct explain_advice, is_of_holder, "of_holder", 0),
	  .about = "it frees what the verdict's holder has, and its bounds are "
		   "of that; a process that ends has more" },
};

static const struct fields advice_fields =
	FIELDS(struct explain_advice, advice_list);

/* ---- the document --------------------------------------------------------- */

#define PART_AT(part, key)                                                     \
	FIELD_TEXT(struct explain_document, part_at[part], key, SAYS_WORD),    \
		.known = KNOWN_NOT_ZERO, .is_left_out = true

static const struct field document_list[] = {
	{ FIELD_PART(struct explain_document, head, &document_head_fields) },
	{ PART_AT(PAST_FILESYSTEMS, "filesystems_taken_at"),
	  .about = "with --at, if they were last recorded before taken_at" },
	{ PART_AT(PAST_MEMORY, "memory_taken_at"),
	  .about = "with --at, if it was last recorded before taken_at" },
	{ FIELD_POINTED(struct explain_document, facts, &free_fields) },
	{ FIELD_POINTED(struct explain_document, facts, &memory_parts_fields) },
	{ FIELD_ARRAY(struct explain_document, advices.items, advices.count,
		      "advice", &advice_fields),
	  FIELD_KNOWN(struct explain_document, has_advice),
	  .about = "what gives memory back, most first; the sizes overlap",
	  .null = "a dump" },
	{ FIELD_INNER("buffers", &buffers_fields) },
	{ FIELD_PART(struct explain_document, cached, &fs_part_fields) },
	{ FIELD_POINTED(struct explain_document, facts, &fstypes_fields) },
};

const struct fields explain_document =
	FIELDS(struct explain_document, document_list);

static void set_not_measured(struct explain_document *document)
{
	const struct devices *devices = &document->facts->buffers;

	if (explain_is_measured(document->facts))
		snprintf(document->not_measured, ERROR_TEXT_SIZE, "%s",
			 devices->failed_source ?: "");
	else if (error_is_set(&devices->why))
		error_text(&devices->why, document->not_measured);
}

int explain_print_json(FILE *out, const struct explain_facts *facts,
		       const struct past *past)
{
	struct fs_answer cached = { .filesystems = &facts->filesystems };
	struct explain_document document = {
		.head = { facts->provenance, facts->buffers.source,
			  explain_is_complete(facts) },
		.facts = facts,
		.cached.answer = facts->has_filesystems ? &cached : NULL,
		/* It does not help a kernel that no longer runs. */
		.has_advice = !facts->is_dump,
	};
	int ret = 0;

	for (size_t i = 0; past && i < PAST_PARTS; i++) {
		if (past->part_ms[i])
			utc_text(past->part_ms[i] / 1000, document.part_at[i]);
	}
	set_not_measured(&document);
	if (document.has_advice)
		ret = explain_advices_init(&document.advices, facts);
	if (!ret && facts->has_filesystems)
		ret = fs_rows_init(&cached, false);
	if (!ret)
		document_print(out, false, &explain_document, &document);
	rows_deinit(&cached.head.rows);
	explain_advices_deinit(&document.advices);
	return ret;
}
