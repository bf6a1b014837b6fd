// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json_out.h"
#include "measure/snapshot.h"
#include "store/documents.h"

/* A report is never of more: pages and ids that are larger are damage. */
#define MOST_PAGES (UINT64_C(1) << 52)
#define DAY_MS UINT64_C(86400000)

static const char *const whats[STORE_WHATS] = {
	[STORE_STARTED] = "started",
	[STORE_RUNNING] = "running",
	[STORE_STOPPED] = "stopped",
	[STORE_FAILED] = "failed",
	[STORE_BEGUN_AGAIN] = "begun again",
	[STORE_WRITER_DIED] = "writer died",
	[STORE_TRACING] = "tracing",
	[STORE_UNTRACED] = "untraced",
};

static const char *const caches[] = { "files", "device" };

/* What not every document has: where it is known. */
#define IN_SOME(...) __VA_ARGS__, .may_lack = true, .is_left_out = true
#define STATE(member, key, most, known_if)                                     \
	{                                                                      \
		FIELD(struct store_state, member, key, most),                  \
			IN_SOME(known_if)                                      \
	}
#define STATE_TEXT(member, key, what)                                          \
	{                                                                      \
		FIELD_STRING(struct store_state, member, key, what),           \
			IN_SOME(.known = KNOWN_NOT_ZERO)                       \
	}
#define STATE_IF(flag) FIELD_KNOWN(struct store_state, flag)

static const struct field state_list[] = {
	{ FIELD_WORD(struct store_state, what, "state", whats) },
	STATE_TEXT(bufstat, "bufstat", SAYS_WORD),
	STATE(pid, "pid", INT32_MAX, .known = KNOWN_NOT_ZERO),
	STATE(interval_ms, "interval_ms", DAY_MS, .known = KNOWN_NOT_ZERO),
	STATE(cpu_us, "cpu_us", UINT32_MAX, STATE_IF(has_cost)),
	STATE(over_ms, "over_ms", UINT32_MAX, STATE_IF(has_cost)),
	STATE(resident_kib, "resident_kib", UINT32_MAX, STATE_IF(has_resident)),
	STATE(disk_errno, "disk_errno", INT32_MAX, STATE_IF(has_disk)),
	STATE(disk_waits, "disk_waits", 0, STATE_IF(has_disk)),
	STATE(lost_segments, "lost_segments", UINT64_MAX, STATE_IF(has_disk)),
	STATE(dead_writers, "dead_writers", UINT32_MAX, STATE_IF(has_dead)),
	STATE_TEXT(engine, "engine", SAYS_WORD),
	STATE_TEXT(reason, "reason", SAYS_MESSAGE),
};

const struct fields store_state_fields = FIELDS(struct store_state, state_list);

#define IN(how, key) FIELD(struct store_fill, fill.in[how], key, MOST_PAGES)

static const struct field fill_list[] = {
	{ FIELD_DEVICE(struct store_fill, fill.major, "maj:min"),
	  FIELD_KNOWN(struct store_fill, has_cache) },
	{ FIELD_WORD(struct store_fill, fill.is_bdev, "cache", caches),
	  FIELD_KNOWN(struct store_fill, has_cache) },
	{ FIELD(struct store_fill, is_others, "others", 0) },
	{ FIELD_TEXT(struct store_fill, fill.command, "command", SAYS_PROCESS),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STRING(struct store_fill, cgroup, "cgroup", SAYS_CGROUP),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STRING(struct store_fill, on_behalf_of, "on_behalf_of",
		       SAYS_CGROUP),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD(struct store_fill, fill.process, "pid", UINT32_MAX),
	  .known = KNOWN_NOT_ZERO },
	{ IN(FILL_READ, "read") },
	{ IN(FILL_WRITE, "write") },
	{ IN(FILL_FAULT, "fault") },
	{ IN(FILL_METADATA, "metadata") },
	{ IN(FILL_KERNEL, "kernel") },
	{ IN(FILL_OTHER, "other") },
	{ FIELD(struct store_fill, fill.out, "pages_out", MOST_PAGES) },
	{ FIELD(struct store_fill, fill.dropped, "dropped", MOST_PAGES) },
	{ FIELD(struct store_fill, fill.in_error, "in_error", MOST_PAGES),
	  IN_SOME(FIELD_KNOWN(struct store_fill, has_error)) },
	{ FIELD(struct store_fill, fill.out_error, "out_error", MOST_PAGES),
	  IN_SOME(FIELD_KNOWN(struct store_fill, has_error)) },
};

static const struct fields fill_fields = FIELDS(struct store_fill, fill_list);

static const struct field filled_list[] = {
	{ FIELD_TEXT(struct store_filled, engine, "engine", SAYS_WORD) },
	{ FIELD(struct store_filled, over_ms, "over_ms", DAY_MS) },
	{ FIELD(struct store_filled, sampled_ms, "sampled_ms", DAY_MS),
	  IN_SOME(.known = KNOWN_NOT_ZERO) },
	{ FIELD(struct store_filled, page_size, "page_size_bytes",
		PAGE_SIZE_MOST) },
	{ FIELD(struct store_filled, knows_how, "knows_how", 0) },
	{ FIELD(struct store_filled, lost_events, "lost_events", UINT32_MAX) },
	{ FIELD(struct store_filled, events, "events", UINT64_MAX),
	  .may_lack = true },
	{ FIELD(struct store_filled, cpu_us, "cpu_us", UINT64_MAX),
	  .may_lack = true },
	{ FIELD_LIST(struct store_filled, fills, count, "filled", &fill_fields,
		     UINT16_MAX) },
};

const struct fields store_filled_fields =
	FIELDS(struct store_filled, filled_list);

static const struct field total_list[] = {
	{ FIELD_DEVICE(struct store_total, major, "maj:min") },
	{ FIELD_WORD(struct store_total, is_bdev, "cache", caches) },
	{ FIELD_TEXT(struct store_total, command, "command", SAYS_PROCESS),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD(struct store_total, bytes, "in_bytes", INT64_MAX) },
};

static const struct fields total_fields =
	FIELDS(struct store_total, total_list);

static const struct field totals_list[] = {
	{ FIELD_LIST(struct store_totals, rows, count, "totals", &total_fields,
		     UINT16_MAX) },
	{ FIELD(struct store_totals, elsewhere_bytes, "elsewhere_bytes",
		INT64_MAX) },
	{ FIELD(struct store_totals, lost_events, "lost_events", INT64_MAX) },
};

const struct fields store_totals_fields =
	FIELDS(struct store_totals, totals_list);

int store_document_read(const char *text, const struct fields *fields,
			void *record)
{
	char *copy = strdup(text);

	return copy ? fields_read_text(copy, fields, record) : -ENOMEM;
}

int document_writer_init(struct document_writer *writer, size_t room)
{
	writer->text = malloc(room);
	writer->stream = writer->text ? fmemopen(writer->text, room, "w") :
					NULL;
	if (writer->stream && setvbuf(writer->stream, writer->buffer, _IOFBF,
				      sizeof(writer->buffer)) == 0)
		return 0;
	document_writer_deinit(writer);
	return -ENOMEM;
}

void document_writer_deinit(struct document_writer *writer)
{
	if (writer->stream)
		fclose(writer->stream);
	free(writer->text);
	*writer = (struct document_writer){ 0 };
}

void store_document_print(FILE *out, const struct fields *fields,
			  const void *record)
{
	struct json_out json;

	json_out_init(&json, out);
	json.compact = true;
	json.keeps_bytes = true;
	json_out_object(&json, NULL);
	fields_write(&json, fields, record);
	json_out_object_end(&json);
	json_out_finish(&json);
}

const char *document_write(struct document_writer *writer,
			   const struct fields *fields, const void *record,
			   size_t *size)
{
	long end;
	bool failed;

	rewind(writer->stream);
	store_document_print(writer->stream, fields, record);
	end = fflush(writer->stream) == 0 ? ftell(writer->stream) : -1;
	failed = ferror(writer->stream);
	clearerr(writer->stream);
	if (failed || end <= 0)
		return NULL;
	*size = (size_t)end - 1;
	return writer->text;
}
