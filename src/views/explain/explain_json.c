// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "devices/device_columns.h"
#include "explain/explain.h"
#include "explain/explain_advice.h"
#include "explain/explain_facts.h"
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
	{ FIELD_INNER("verdict", &explain_verdict_fields),
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
