// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calls/place.h"
#include "calls/ring_reader.h"
#include "calls/tracing_file.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"

/* In common_flags (include/linux/trace_events.h, the same since 2.6.27). */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10
#define FLAG_NMI 0x40 /* Linux 4.5 */

#define SECTOR 512 /* bytes, whatever the device says */

/* The events, and the fields in the order in which fill() takes them. */
static const struct event {
	const char *path;
	bool is_needed;
	const char *fields[RING_FIELDS];
} events[STEP_KINDS] = {
	[STEP_ENTRY] = { "ftrace/funcgraph_entry", true, { "func", "depth" } },
	[STEP_RETURN] = { "ftrace/funcgraph_exit",
			  true,
			  { "func", "depth", "calltime", "rettime" } },
	/* 5.10 has no order: there, a page is added at a time. */
	[STEP_ADD] = { "filemap/mm_filemap_add_to_page_cache",
		       true,
		       { "s_dev", "i_ino", "order" } },
	/* Since Linux 6.12. */
	[STEP_LOOK] = { "filemap/mm_filemap_get_pages",
			false,
			{ "s_dev", "i_ino" } },
	[STEP_BIO] = { "block/block_bio_queue",
		       true,
		       { "dev", "nr_sector", "rwbs" } },
	/* With CONFIG_FTRACE_SYSCALLS. */
	[STEP_SYSCALL] = { "raw_syscalls/sys_enter", false, { "id", "args" } },
	[STEP_SYSCALL_END] = { "raw_syscalls/sys_exit", false, { "id", "ret" } },
	/* AIO has no event: a probe makes one (place.h). */
	[STEP_AIO_END] = { PLACE_PROBE, false, { "res" } },
	[STEP_URING_END] = { "io_uring/io_uring_complete", false, { "res" } },
};

const char *ring_event(enum step_kind kind)
{
	return events[kind].path;
}

bool ring_event_is_needed(enum step_kind kind)
{
	return events[kind].is_needed;
}

static struct ring_field place(const struct tep_format_field *field)
{
	if (!field || field->offset < 0 || field->size <= 0)
		return (struct ring_field){ 0 };
	return (struct ring_field){ (unsigned int)field->offset,
				    (unsigned int)field->size };
}

/* Returns 0, or -EOPNOTSUPP. */
static int parse(struct ring_reader *reader, const struct event *event,
		 const char *text, struct ring_format *format,
		 struct error *err)
{
	const struct libtraceevent *library = &reader->library;
	struct tep_event *parsed = NULL;

	/* A print format that it cannot read is an error, but no obstacle. */
	library->parse(reader->tep, &parsed, text, strlen(text), "path");
	if (!parsed)
		return lack_doing(err, LACK_FORMAT, NULL, "reading the format",
				  event->path);
	*format = (struct ring_format){
		.id = parsed->id,
		.flags = place(library->find_common(parsed, "common_flags")),
		.thread = place(library->find_common(parsed, "common_pid")),
	};
	for (size_t i = 0; i < RING_FIELDS && event->fields[i]; i++)
		format->fields[i] =
			place(library->find(parsed, event->fields[i]));
	if (!format->flags.size || !format->thread.size ||
	    !format->fields[0].size ||
	    (event->fields[1] && !format->fields[1].size))
		return lack_doing(err, LACK_FIELD, NULL, "reading the format",
				  event->path);
	return 0;
}

static int read_format(struct ring_reader *reader, int tracing,
		       enum step_kind kind, struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	char path[128];
	int ret;

	snprintf(path, sizeof(path), "events/%s/format", events[kind].path);
	ret = tracing_read(tracing, path, &text, err);
	if (ret == -ENOENT && !events[kind].is_needed)
		return 0;
	if (ret == -ENOENT)
		return lack_doing(err, LACK_EVENT, NULL, "reading", path);
	return ret ? ret :
		     parse(reader, &events[kind], text, &reader->formats[kind],
			   err);
}

int ring_reader_init(struct ring_reader *reader, int tracing, struct error *err)
{
	const struct libtraceevent *library = &reader->library;
	int ret;

	*reader = (struct ring_reader){ 0 };
	ret = libtraceevent_init(&reader->library, err);
	if (ret < 0)
		return lack_of_error(err, LACK_LIBRARY);
	reader->tep = library->alloc();
	reader->buffer = library->buffer_alloc(
		sizeof(long) == 8 ? KBUFFER_LONGS_OF_8 : KBUFFER_LONGS_OF_4,
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ?
			KBUFFER_LITTLE_ENDIAN :
			KBUFFER_BIG_ENDIAN);
	if (!reader->tep || !reader->buffer)
		return error_errno(err, ENOMEM, "preparing",
				   "to read the trace");
	for (int kind = 0; !ret && kind < STEP_KINDS; kind++)
		ret = read_format(reader, tracing, (enum step_kind)kind, err);
	return ret;
}

void ring_reader_deinit(struct ring_reader *reader)
{
	if (reader->buffer)
		reader->library.buffer_free(reader->buffer);
	if (reader->tep)
		reader->library.free(reader->tep);
	libtraceevent_deinit(&reader->library);
	*reader = (struct ring_reader){ 0 };
}

/* ---- a record ------------------------------------------------------------ */

struct record {
	const unsigned char *bytes;
	size_t size;
};

/*
 * Returns the number in a field, or in the element @index of one that is an
 * array of longs; 0 if the record does not have it.
 */
static uint64_t number_at(const struct record *record,
			  const struct ring_field *field, unsigned int size,
			  unsigned int index)
{
	const size_t offset = field->offset + (size_t)index * size;
	uint64_t wide = 0;
	uint32_t word = 0;
	uint16_t half = 0;

	if (!field->size || offset + size > record->size ||
	    (index + 1) * size > field->size)
		return 0;
	switch (size) {
	case 1:
		return record->bytes[offset];
	case 2:
		memcpy(&half, record->bytes + offset, sizeof(half));
		return half;
	case 4:
		memcpy(&word, record->bytes + offset, sizeof(word));
		return word;
	case 8:
		memcpy(&wide, record->bytes + offset, sizeof(wide));
		return wide;
	default:
		return 0;
	}
}

static uint64_t number(const struct record *record,
		       const struct ring_field *field)
{
	return number_at(record, field, field->size, 0);
}

/* The same, for a field that may be negative. */
static int64_t signed_number(const struct record *record,
			     const struct ring_field *field)
{
	const uint64_t value = number(record, field);

	return field->size == 4 ? (int32_t)value : (int64_t)value;
}

/* Whether the letters for what I/O does, such as "WS", have a W. */
static bool writes(const struct record *record, const struct ring_field *field)
{
	for (unsigned int i = 0; i < field->size; i++) {
		if (number_at(record, field, 1, i) == 'W')
			return true;
	}
	return false;
}

static void fill(struct step *step, const struct record *record,
		 const struct ring_field *fields)
{
	switch ((enum step_kind)step->kind) {
	case STEP_RETURN:
		step->call.took_ns =
			number(record, &fields[3]) - number(record, &fields[2]);
		/* Fall through. */
	case STEP_ENTRY:
		step->call.address = number(record, &fields[0]);
		step->call.depth = (int32_t)number(record, &fields[1]);
		break;
	case STEP_ADD:
	case STEP_LOOK:
		step->cache.device = (uint32_t)number(record, &fields[0]);
		step->cache.inode = number(record, &fields[1]);
		step->cache.pages = UINT64_C(1)
				    << (number(record, &fields[2]) & 31);
		break;
	case STEP_BIO:
		step->bio.device = (uint32_t)number(record, &fields[0]);
		step->bio.bytes = number(record, &fields[1]) * SECTOR;
		step->bio.writes = writes(record, &fields[2]);
		break;
	case STEP_SYSCALL:
		step->call_out.number = signed_number(record, &fields[0]);
		step->call_out.first =
			number_at(record, &fields[1], sizeof(long), 0);
		step->call_out.third =
			number_at(record, &fields[1], sizeof(long), 2);
		break;
	case STEP_SYSCALL_END:
		step->call_out.number = signed_number(record, &fields[0]);
		step->call_out.result = signed_number(record, &fields[1]);
		break;
	case STEP_AIO_END:
	case STEP_URING_END:
		step->call_out.result = signed_number(record, &fields[0]);
		break;
	case STEP_KINDS:
		break;
	}
}

/* Returns false if it is of an event that is not asked for. */
static bool read_record(const struct ring_reader *reader,
			const struct record *record, struct step *step)
{
	uint16_t id;

	if (record->size < sizeof(id))
		return false;
	memcpy(&id, record->bytes, sizeof(id));
	for (int kind = 0; kind < STEP_KINDS; kind++) {
		const struct ring_format *format = &reader->formats[kind];
		uint64_t flags;

		if (!format->id || format->id != id)
			continue;
		flags = number(record, &format->flags);
		step->kind = (uint8_t)kind;
		step->thread = (uint32_t)number(record, &format->thread);
		step->in_interrupt = flags & (FLAG_HARDIRQ | FLAG_NMI);
		step->in_softirq = flags & FLAG_SOFTIRQ;
		fill(step, record, format->fields);
		return true;
	}
	return false;
}

void ring_reader_take(struct ring_reader *reader, uint32_t processor,
		      void *page,
		      void (*take)(void *data, const struct step *step),
		      void *data)
{
	const struct libtraceevent *library = &reader->library;
	struct kbuffer *buffer = reader->buffer;
	unsigned long long time;
	void *bytes;
	int missed;

	if (library->buffer_load(buffer, page) != 0)
		return;
	missed = library->buffer_missed(buffer);
	reader->lost += missed > 0 ? (unsigned int)missed : missed < 0;
	for (bytes = library->buffer_read(buffer, &time); bytes;
	     bytes = library->buffer_next(buffer, &time)) {
		const struct record record = {
			bytes, (size_t)library->record_size(buffer)
		};
		struct step step = { .time_ns = time, .processor = processor };

		if (read_record(reader, &record, &step))
			take(data, &step);
	}
}
