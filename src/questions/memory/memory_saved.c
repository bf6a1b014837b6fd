// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "fields/fields.h"
#include "lib/json_out.h"
#include "lib/string_list.h"
#include "measure/saved.h"
#include "memory/memory_reading.h"
#include "memory/memory_saved.h"

#define MAX_PROCESSORS 65536

static const char *const balloons[] = {
	[MEMORY_BALLOON_NONE] = "none",
	[MEMORY_BALLOON_INSIDE] = "inside",
	[MEMORY_BALLOON_OUTSIDE] = "outside",
};

#define PAGES(type, member, key) FIELD(type, member, key, MEMORY_MOST_PAGES)

/* What is not known of a zone, an older bufstat did not write. */
#define ZONE_PAGES(member, key)                                                \
	{                                                                      \
		PAGES(struct zone, member, key), .known = KNOWN_NOT_NEGATIVE,  \
						 .may_lack = true,             \
	}

static const struct field zone_list[] = {
	{ FIELD(struct zone, node, "node", UINT32_MAX) },
	{ FIELD_TEXT(struct zone, name, "name", SAYS_WORD) },
	ZONE_PAGES(free_pages, "free"),
	ZONE_PAGES(cpu_lists_pages, "per_cpu"),
	ZONE_PAGES(min_pages, "min"),
	ZONE_PAGES(low_pages, "low"),
	ZONE_PAGES(high_pages, "high"),
	ZONE_PAGES(spanned_pages, "spanned"),
	ZONE_PAGES(present_pages, "present"),
	ZONE_PAGES(managed_pages, "managed"),
	ZONE_PAGES(cma_pages, "free_cma"),
	ZONE_PAGES(reserve_pages, "protection"),
	ZONE_PAGES(lag_pages, "lag"),
};

static const struct fields zone_fields = FIELDS(struct zone, zone_list);

static const struct field line_list[] = {
	{ FIELD_TEXT(struct memory_stray, name, "name", SAYS_WORD) },
	{ PAGES(struct memory_stray, pages, "pages") },
};

static const struct fields line_fields = FIELDS(struct memory_stray, line_list);

static const struct field pool_list[] = {
	{ FIELD(struct memory_pool, size_kib, "size_kib", UINT32_MAX) },
	{ PAGES(struct memory_pool, total, "total") },
	{ PAGES(struct memory_pool, free, "free") },
	{ PAGES(struct memory_pool, reserved, "reserved") },
	{ PAGES(struct memory_pool, surplus, "surplus") },
};

static const struct fields pool_fields = FIELDS(struct memory_pool, pool_list);

struct vmalloc {
	int64_t pages[MEMORY_VMALLOC_KINDS];
};

static const struct field vmalloc_list[] = {
	{ PAGES(struct vmalloc, pages[MEMORY_VMALLOC_STACKS], "stacks") },
	{ PAGES(struct vmalloc, pages[MEMORY_VMALLOC_MODULES], "modules") },
	{ PAGES(struct vmalloc, pages[MEMORY_VMALLOC_BPF], "bpf") },
	{ PAGES(struct vmalloc, pages[MEMORY_VMALLOC_CHUNKS],
		"per_cpu_lists") },
	{ PAGES(struct vmalloc, pages[MEMORY_VMALLOC_OTHER], "other") },
};

static const struct fields vmalloc_fields =
	FIELDS(struct vmalloc, vmalloc_list);

static const struct field baseline_list[] = {
	{ FIELD_TEXT(struct memory_baseline, taken_at, "taken_at", SAYS_WORD) },
	{ FIELD(struct memory_baseline, rest_bytes, "unaccounted_bytes",
		INT64_MAX / 4) },
};

static const struct fields baseline_fields =
	FIELDS(struct memory_baseline, baseline_list);

static const struct field head_list[] = {
	{ FIELD(struct memory_reading, page_size, "page_size_bytes",
		UINT64_MAX) },
	{ FIELD(struct memory_reading, processors, "processors",
		MAX_PROCESSORS) },
	{ FIELD(struct memory_reading, samples, "samples", UINT8_MAX) },
	{ FIELD(struct memory_reading, settled, "settled", 0) },
	{ PAGES(struct memory_reading, spread_pages, "spread") },
	{ FIELD(struct memory_reading, estimated_first_chunk,
		"estimated_first_chunk", 0) },
	{ FIELD_WORD(struct memory_reading, balloon, "balloon", balloons) },
};

static const struct fields head_fields =
	FIELDS(struct memory_reading, head_list);

/* After the counts. Older versions of bufstat wrote none of the first two. */
static const struct field parts_list[] = {
	{ FIELD_ARRAY(struct memory_reading, fields.strays, fields.stray_count,
		      "unknown_lines", &line_fields),
	  .may_lack = true },
	{ FIELD(struct memory_reading, zoneinfo_failed, "zoneinfo_errno",
		INT16_MAX),
	  .may_lack = true },
	{ FIELD_LIST(struct memory_reading, zones.zones, zones.count, "zones",
		     &zone_fields, UINT16_MAX) },
	{ FIELD(struct memory_reading, has_default_pool_only,
		"default_pool_only", 0),
	  .may_lack = true },
	{ FIELD_ARRAY(struct memory_reading, pools, pool_count,
		      "huge_page_pools", &pool_fields) },
	{ FIELD_OBJECT(struct memory_reading, wrong_pool,
		       "wrong_huge_page_pool", &pool_fields),
	  FIELD_KNOWN(struct memory_reading, has_wrong_pool), .may_lack = true,
	  .is_left_out = true },
	{ FIELD_OBJECT(struct memory_reading, vmalloc, "vmalloc",
		       &vmalloc_fields),
	  FIELD_KNOWN(struct memory_reading, has_vmalloc) },
	{ FIELD_OBJECT(struct memory_reading, baseline, "baseline",
		       &baseline_fields),
	  FIELD_KNOWN(struct memory_reading, baseline.known),
	  .may_lack = true },
};

static const struct fields parts_fields =
	FIELDS(struct memory_reading, parts_list);

static const struct field reading_list[] = {
	{ FIELD_INNER(NULL, &head_fields) },
	{ FIELD_SAYS("of_meminfo", SAYS_WORD) },
	{ FIELD_INNER(NULL, &parts_fields) },
};

const struct fields memory_reading_fields =
	FIELDS(struct memory_reading, reading_list);

static void write_counts(struct json_out *json,
			 const struct memory_fields *fields)
{
	json_out_object(json, "counts");
	for (enum memory_field field = 0; field < MEMORY_FIELDS; field++)
		json_out_signed_if(json, memory_field_name(field),
				   memory_has(fields, field),
				   fields->pages[field]);
	json_out_object_end(json);
}

/* Which counts were taken from /proc/meminfo. */
static void write_origins(struct json_out *json,
			  const struct memory_fields *fields)
{
	json_out_array(json, "of_meminfo");
	for (enum memory_field field = 0; field < MEMORY_FIELDS; field++) {
		if (fields->is_of_meminfo[field])
			json_out_string(json, NULL, memory_field_name(field));
	}
	json_out_array_end(json);
}

void memory_saved_write(struct json_out *json,
			const struct memory_reading *reading)
{
	struct memory_reading parts = *reading;

	parts.baseline.known &= reading->baseline.rest_bytes >= 0;
	json_out_object(json, "memory");
	fields_write(json, &head_fields, reading);
	write_counts(json, &reading->fields);
	write_origins(json, &reading->fields);
	fields_write(json, &parts_fields, &parts);
	json_out_object_end(json);
}

/* A version of bufstat that knows fewer counts may have written it. */
static int read_counts(struct json_value memory, struct memory_fields *fields)
{
	struct json_value counts;
	int ret = json_in_object(memory, "counts", &counts);

	for (enum memory_field field = 0; ret > 0 && field < MEMORY_FIELDS;
	     field++) {
		uint64_t count;

		if (json_in_number(counts, memory_field_name(field),
				   MEMORY_MOST_PAGES, &count) > 0)
			memory_set(fields, field, (int64_t)count);
	}
	return ret > 0 ? 0 : -EBADMSG;
}

/* Older versions of bufstat did not write it. */
static int read_origins(struct json_value memory, struct memory_fields *fields)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	int ret;

	if (!json_in_has(memory, "of_meminfo"))
		return 0;
	ret = json_in_strings(memory, "of_meminfo", &names);
	for (size_t i = 0; ret > 0 && i < names.count; i++) {
		enum memory_field field =
			memory_field_find(MEMORY_VMSTAT, names.strings[i],
					  strlen(names.strings[i]));

		if (field == MEMORY_FIELDS)
			return -EBADMSG;
		fields->is_of_meminfo[field] = true;
	}
	return ret > 0 ? 0 : ret ?: -EBADMSG;
}

static int check(struct memory_reading *reading)
{
	if (!page_size_is_sound(reading->page_size))
		return -EBADMSG;
	for (size_t i = 0; i < reading->pool_count; i++) {
		if (!memory_pool_is_sound(&reading->pools[i],
					  reading->page_size))
			return -EBADMSG;
	}
	return 0;
}

int memory_saved_read(const struct saved *saved, struct memory_reading *reading)
{
	struct json_value memory;
	int ret = json_in_object(saved->reading, "memory", &memory);

	/*
	 * Missing, as in older files, or damaged: which, cannot be told. Those
	 * have the page size with the devices.
	 */
	if (ret <= 0) {
		if (json_in_object(saved->reading, "devices", &memory) > 0 &&
		    saved_read_page_size(memory, &reading->page_size) < 0)
			reading->page_size = 0;
		return 0;
	}
	ret = fields_read(memory, &head_fields, reading)	  ?:
		      read_counts(memory, &reading->fields)	  ?:
		      read_origins(memory, &reading->fields)	  ?:
		      fields_read(memory, &parts_fields, reading) ?:
		      check(reading);
	return ret ?: 1;
}
