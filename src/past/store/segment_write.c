// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/crc32c.h"
#include "store/bytes.h"
#include "store/document.h"
#include "store/segment_write.h"

#define HASH_SLOTS ((size_t)2 * STORE_MOST_WORDS)
#define NONE UINT32_MAX

/* An entry of the dictionary; its words are in the segment. */
struct entry {
	uint32_t offset; /* of the words */
	uint32_t length;
	uint32_t values;
	uint32_t hash;
	/* Where its values begin in the last document of a stream, or NONE. */
	uint32_t last[STORE_KINDS];
};

/* The last document of a kind. */
struct stream {
	bool valid;
	uint64_t sequence;
	uint32_t piece_count;
	uint32_t value_count;
	uint16_t pieces[STORE_MOST_PIECES];
	uint64_t codes[STORE_MOST_VALUES];
};

struct segment_writer {
	uint8_t *data;
	size_t size;
	size_t used;
	struct segment_identity identity;
	uint64_t sequence; /* of the next record */
	uint32_t seed_crc;
	uint32_t entry_count;
	struct entry entries[STORE_MOST_WORDS];
	uint16_t slots[HASH_SLOTS]; /* id + 1, or 0 */
	struct stream streams[STORE_KINDS];
	/* The document that is being appended. */
	uint16_t pieces[STORE_MOST_PIECES];
	uint64_t codes[STORE_MOST_VALUES];
	uint64_t before[STORE_MOST_VALUES];
};

struct segment_writer *segment_writer_create(void)
{
	return calloc(1, sizeof(struct segment_writer));
}

void segment_writer_destroy(struct segment_writer *writer)
{
	free(writer);
}

static uint32_t crc_of_seed(uint64_t seed)
{
	uint8_t bytes[8];

	put_le64(bytes, seed);
	return crc32c(0, bytes, sizeof(bytes));
}

static void write_header(uint8_t *data, size_t size,
			 const struct segment_identity *identity)
{
	memset(data, 0, STORE_HEADER_BYTES);
	memcpy(data, STORE_HEADER_MAGIC, 8);
	put_le32(data + 8, STORE_VERSION);
	put_le32(data + 12, (uint32_t)size);
	put_le64(data + 16, identity->number);
	put_le64(data + 24, identity->seed);
	memcpy(data + 32, identity->boot_id, STORE_BOOT_ID);
	put_le64(data + 48, identity->sequence);
	put_le64(data + 56, (uint64_t)identity->time.boot_ms);
	put_le64(data + 64, (uint64_t)identity->time.real_ms);
	put_le32(data + 72, crc32c(0, data, 72));
}

void segment_begin(struct segment_writer *writer, uint8_t *data, size_t size,
		   const struct segment_identity *identity)
{
	write_header(data, size, identity);
	writer->data = data;
	writer->size = size;
	writer->used = STORE_HEADER_BYTES;
	writer->identity = *identity;
	writer->sequence = identity->sequence;
	writer->seed_crc = crc_of_seed(identity->seed);
	writer->entry_count = 0;
	memset(writer->slots, 0, sizeof(writer->slots));
	for (size_t i = 0; i < STORE_KINDS; i++)
		writer->streams[i].valid = false;
}

/* Opens a record; its payload goes to *@sink. */
static void record_begin(const struct segment_writer *writer,
			 const struct store_time *time, struct byte_sink *sink)
{
	const struct store_time *base = &writer->identity.time;
	uint8_t *start = writer->data + writer->used;

	*sink = (struct byte_sink){ start, writer->data + writer->size, false };
	if (writer->size - writer->used < STORE_RECORD_HEAD) {
		sink->full = true;
		return;
	}
	sink->at += STORE_RECORD_HEAD;
	sink_varint(sink, writer->sequence - writer->identity.sequence);
	sink_varint(sink, (uint64_t)(time->boot_ms - base->boot_ms));
	sink_varint(sink, zigzag((time->real_ms - time->boot_ms) -
				 (base->real_ms - base->boot_ms)));
}

/* Closes it. Returns 0, or -ENOSPC as if it had never been opened. */
static int record_end(struct segment_writer *writer, enum store_kind kind,
		      const struct byte_sink *sink)
{
	uint8_t *start = writer->data + writer->used;
	size_t length = (size_t)(sink->at - start), end;
	uint8_t checked[6] = { STORE_MAGIC, (uint8_t)kind };
	uint32_t crc;

	end = (writer->used + length + STORE_ALIGN - 1) &
	      ~(size_t)(STORE_ALIGN - 1);
	if (sink->full || end > writer->size)
		return -ENOSPC;
	put_le32(checked + 2, (uint32_t)length);
	start[0] = STORE_MAGIC;
	start[1] = (uint8_t)kind;
	put_le16(start + 2,
		 (uint16_t)crc32c(writer->seed_crc, checked, sizeof(checked)));
	put_le32(start + 4, (uint32_t)length);
	crc = crc32c(writer->seed_crc, start, 8);
	put_le32(start + 8, crc32c(crc, start + STORE_RECORD_HEAD,
				   length - STORE_RECORD_HEAD));
	memset(start + length, 0, end - writer->used - length);
	writer->used = end;
	writer->sequence++;
	return 0;
}

static uint32_t hash_of(const uint8_t *words, size_t length)
{
	return crc32c(0, words, length);
}

static int write_entry(struct segment_writer *writer,
		       const struct store_time *time, uint16_t id,
		       const uint8_t *words, size_t length, size_t *offset)
{
	struct byte_sink sink;

	record_begin(writer, time, &sink);
	sink_varint(&sink, id);
	*offset = (size_t)(sink.at - writer->data);
	sink_bytes(&sink, words, length);
	return record_end(writer, STORE_WORDS, &sink);
}

/* Returns the slot of the words, or the empty one where they belong. */
static size_t find_slot(const struct segment_writer *writer,
			const uint8_t *words, size_t length, uint32_t hash)
{
	size_t slot = hash % HASH_SLOTS;

	for (; writer->slots[slot]; slot = (slot + 1) % HASH_SLOTS) {
		const struct entry *entry =
			&writer->entries[writer->slots[slot] - 1];

		if (entry->hash == hash && entry->length == length &&
		    memcmp(writer->data + entry->offset, words, length) == 0)
			break;
	}
	return slot;
}

static int find_words(struct segment_writer *writer,
		      const struct store_time *time, const uint8_t *words,
		      size_t length, uint16_t *id)
{
	uint32_t hash = hash_of(words, length);
	size_t slot = find_slot(writer, words, length, hash), offset;
	struct entry *entry;
	int ret;

	if (writer->slots[slot]) {
		*id = (uint16_t)(writer->slots[slot] - 1);
		return 0;
	}
	if (writer->entry_count == STORE_MOST_WORDS)
		return -ENOSPC;
	*id = (uint16_t)writer->entry_count;
	/* This moves the words, so that @words has something else after it. */
	ret = write_entry(writer, time, *id, words, length, &offset);
	if (ret < 0)
		return ret;
	entry = &writer->entries[writer->entry_count++];
	*entry = (struct entry){
		.offset = (uint32_t)offset,
		.length = (uint32_t)length,
		.values = (uint32_t)document_values(writer->data + offset,
						    length),
		.hash = hash,
	};
	for (size_t i = 0; i < STORE_KINDS; i++)
		entry->last[i] = NONE;
	writer->slots[slot] = (uint16_t)(*id + 1);
	return 0;
}

/*
 * Cuts the document into writer->pieces and writer->codes. The words of a piece
 * are made where a new entry would have them, so that they need no room of
 * their own: the largest head is before them.
 */
static int cut(struct segment_writer *writer, const struct store_time *time,
	       const char *text, size_t size, uint32_t *piece_count,
	       struct document_codes *codes)
{
	enum { MOST_HEAD = STORE_RECORD_HEAD + 4 * 10 };
	struct document_text left = { text, text + size };

	*piece_count = 0;
	while (left.at < left.end) {
		uint8_t *end = writer->data + writer->size, *words;
		struct byte_sink sink = { .end = end };
		int ret;

		if (*piece_count == STORE_MOST_PIECES ||
		    writer->size - writer->used < MOST_HEAD)
			return -ENOSPC;
		words = writer->data + writer->used + MOST_HEAD;
		sink.at = words;
		ret = document_cut(&left, &sink, codes);
		if (!ret)
			ret = find_words(writer, time, words,
					 (size_t)(sink.at - words),
					 &writer->pieces[*piece_count]);
		if (ret < 0)
			return ret;
		++*piece_count;
	}
	return 0;
}

/* The values that the document is a change of. */
static void find_before(struct segment_writer *writer, enum store_kind kind,
			uint32_t piece_count, bool key)
{
	const struct stream *stream = &writer->streams[kind];
	size_t place = 0;

	for (uint32_t i = 0; i < piece_count; i++) {
		const struct entry *entry = &writer->entries[writer->pieces[i]];
		size_t bytes = entry->values * sizeof(*writer->before);

		if (key || entry->last[kind] == NONE)
			memset(&writer->before[place], 0, bytes);
		else
			memcpy(&writer->before[place],
			       &stream->codes[entry->last[kind]], bytes);
		place += entry->values;
	}
}

static void write_changes(struct byte_sink *sink,
			  const struct segment_writer *writer, size_t count)
{
	uint64_t changed = 0, same = 0;

	for (size_t i = 0; i < count; i++)
		changed += writer->codes[i] != writer->before[i];
	sink_varint(sink, changed);
	for (size_t i = 0; i < count; i++, same++) {
		if (writer->codes[i] == writer->before[i])
			continue;
		sink_varint(sink, same);
		sink_varint(sink, zigzag((int64_t)(writer->codes[i] -
						   writer->before[i])));
		same = (uint64_t)-1;
	}
}

static void keep(struct segment_writer *writer, enum store_kind kind,
		 uint32_t piece_count, size_t value_count, uint64_t sequence)
{
	struct stream *stream = &writer->streams[kind];
	uint32_t place = (uint32_t)value_count;

	for (uint32_t i = 0; stream->valid && i < stream->piece_count; i++)
		writer->entries[stream->pieces[i]].last[kind] = NONE;
	/* From the end, so that the first of equal ones is left. */
	for (uint32_t i = piece_count; i-- > 0;) {
		struct entry *entry = &writer->entries[writer->pieces[i]];

		place -= entry->values;
		entry->last[kind] = place;
	}
	memcpy(stream->pieces, writer->pieces,
	       piece_count * sizeof(*stream->pieces));
	memcpy(stream->codes, writer->codes,
	       value_count * sizeof(*stream->codes));
	stream->piece_count = piece_count;
	stream->value_count = (uint32_t)value_count;
	stream->sequence = sequence;
	stream->valid = true;
}

static bool has_pieces(const struct stream *stream,
		       const struct segment_writer *writer,
		       uint32_t piece_count)
{
	return stream->piece_count == piece_count &&
	       memcmp(stream->pieces, writer->pieces,
		      piece_count * sizeof(*stream->pieces)) == 0;
}

static int append(struct segment_writer *writer, enum store_kind kind,
		  const struct store_time *time, uint32_t piece_count,
		  size_t value_count, bool key)
{
	const struct stream *stream = &writer->streams[kind];
	uint64_t sequence = writer->sequence;
	struct byte_sink sink;
	int ret;

	find_before(writer, kind, piece_count, key);
	record_begin(writer, time, &sink);
	sink_varint(&sink, key ? 0 : sequence - stream->sequence);
	if (!key && has_pieces(stream, writer, piece_count)) {
		sink_varint(&sink, 0);
	} else {
		sink_varint(&sink, piece_count);
		for (uint32_t i = 0; i < piece_count; i++)
			sink_varint(&sink, writer->pieces[i]);
	}
	write_changes(&sink, writer, value_count);
	ret = record_end(writer, kind, &sink);
	if (!ret)
		keep(writer, kind, piece_count, value_count, sequence);
	return ret;
}

int segment_append(struct segment_writer *writer, enum store_kind kind,
		   const struct store_time *time, const char *text, size_t size,
		   bool key)
{
	struct document_codes codes = { writer->codes, 0, STORE_MOST_VALUES };
	bool empty = writer->used == STORE_HEADER_BYTES;
	uint32_t piece_count;
	int ret = cut(writer, time, text, size, &piece_count, &codes);

	if (!ret)
		ret = append(writer, kind, time, piece_count, codes.count,
			     key || !writer->streams[kind].valid);
	return ret == -ENOSPC && empty ? -E2BIG : ret;
}

int segment_repeat_words(struct segment_writer *writer,
			 const struct store_time *time)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < writer->entry_count; i++) {
		const struct entry *entry = &writer->entries[i];
		size_t offset;

		ret = write_entry(writer, time, (uint16_t)i,
				  writer->data + entry->offset, entry->length,
				  &offset);
	}
	return ret;
}

void segment_align(struct segment_writer *writer)
{
	size_t end = (writer->used + STORE_SECTOR - 1) &
		     ~(size_t)(STORE_SECTOR - 1);

	if (end > writer->size)
		end = writer->size;
	memset(writer->data + writer->used, 0, end - writer->used);
	writer->used = end;
}

size_t segment_used(const struct segment_writer *writer)
{
	return writer->used;
}

uint64_t segment_sequence(const struct segment_writer *writer)
{
	return writer->sequence;
}
