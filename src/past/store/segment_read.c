// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/byte_order.h"
#include "lib/cleanup.h"
#include "lib/crc32c.h"
#include "store/bytes.h"
#include "store/document.h"
#include "store/segment_read.h"

#define MOST_TEXT (16U << 20)
/* Bytes that may be checked in vain, in sizes of the segment. */
#define MOST_VAIN 8

struct entry {
	uint32_t offset; /* in the segment; 0: not known */
	uint32_t length;
	uint32_t values;
	/* Where its values begin in the document before; only while it applies.
	 */
	uint32_t before;
	bool has_before;
};

struct stream {
	bool valid;
	uint64_t sequence;
	uint32_t piece_count;
	uint32_t value_count;
	uint32_t *pieces; /* ids; room for STORE_MOST_PIECES */
	uint64_t *codes; /* room for STORE_MOST_VALUES */
};

struct segment_reader {
	const uint8_t *data;
	size_t size;
	struct segment_identity identity;
	uint32_t seed_crc;
	size_t offset; /* where the next record is looked for */
	size_t used; /* where the last record has ended */
	uint64_t sequence; /* of the next record */
	size_t vain; /* bytes that were checked and are no record */
	struct entry *entries; /* STORE_MOST_WORDS */
	struct stream streams[STORE_KINDS];
	uint32_t *pieces; /* of the document that is being read */
	uint64_t *codes;
};

/* A record whose CRC is right. */
struct raw {
	struct segment_record record;
	struct byte_source payload;
	size_t end; /* offset after it */
};

int segment_identify(const uint8_t *data, struct segment_identity *identity,
		     size_t *segment_size)
{
	if (memcmp(data, STORE_HEADER_MAGIC, 8) != 0 ||
	    le32_at(data + 72) != crc32c(0, data, 72))
		return -EBADMSG;
	if (le32_at(data + 8) != STORE_VERSION)
		return -EPROTO;
	*segment_size = le32_at(data + 12);
	identity->number = le64_at(data + 16);
	identity->seed = le64_at(data + 24);
	memcpy(identity->boot_id, data + 32, STORE_BOOT_ID);
	identity->sequence = le64_at(data + 48);
	identity->time.boot_ms = (int64_t)le64_at(data + 56);
	identity->time.real_ms = (int64_t)le64_at(data + 64);
	if (*segment_size < STORE_HEADER_BYTES ||
	    *segment_size > STORE_MOST_SEGMENT || identity->time.boot_ms < 0 ||
	    identity->time.boot_ms > INT64_MAX / 4 ||
	    identity->time.real_ms < 0 ||
	    identity->time.real_ms > INT64_MAX / 4 ||
	    identity->sequence > INT64_MAX)
		return -EBADMSG;
	return 0;
}

/* Whether the head is one, and what it covers fits. */
static bool head_is_right(const struct segment_reader *reader, size_t offset,
			  size_t *length)
{
	const uint8_t *at = reader->data + offset;
	uint8_t checked[6];

	if (reader->size - offset < STORE_RECORD_HEAD || at[0] != STORE_MAGIC)
		return false;
	*length = le32_at(at + 4);
	memcpy(checked, at, 2);
	memcpy(checked + 2, at + 4, 4);
	return *length >= STORE_RECORD_HEAD &&
	       *length <= reader->size - offset &&
	       le16_at(at + 2) == (uint16_t)crc32c(reader->seed_crc, checked,
						   sizeof(checked));
}

static bool read_varints(const struct segment_reader *reader, struct raw *raw)
{
	const struct segment_identity *identity = &reader->identity;
	struct segment_record *record = &raw->record;
	uint64_t sequence, boot, shift;
	int64_t behind;

	if (!source_varint(&raw->payload, &sequence) ||
	    !source_varint(&raw->payload, &boot) ||
	    !source_varint(&raw->payload, &shift) || sequence > INT64_MAX ||
	    boot > INT64_MAX / 4)
		return false;
	behind = unzigzag(shift);
	if (behind > INT64_MAX / 4 || behind < -(INT64_MAX / 4))
		return false;
	record->sequence = identity->sequence + sequence;
	record->time.boot_ms = identity->time.boot_ms + (int64_t)boot;
	record->time.real_ms = identity->time.real_ms + (int64_t)boot + behind;
	return record->time.real_ms >= 0;
}

static bool record_at(struct segment_reader *reader, size_t offset,
		      struct raw *raw)
{
	const uint8_t *at = reader->data + offset;
	size_t length;
	uint32_t crc;

	if (!head_is_right(reader, offset, &length))
		return false;
	crc = crc32c(reader->seed_crc, at, 8);
	crc = crc32c(crc, at + STORE_RECORD_HEAD, length - STORE_RECORD_HEAD);
	*raw = (struct raw){
		.record.kind = at[1],
		.payload = { at + STORE_RECORD_HEAD, at + length },
		.end = (offset + length + STORE_ALIGN - 1) &
		       ~(size_t)(STORE_ALIGN - 1),
	};
	if (crc == le32_at(at + 8) && read_varints(reader, raw))
		return true;
	reader->vain += length;
	return false;
}

/* Finds the next record whose sequence number is new. */
static bool next_raw(struct segment_reader *reader, struct raw *raw)
{
	while (reader->offset < reader->size &&
	       reader->vain / MOST_VAIN <= reader->size) {
		if (!record_at(reader, reader->offset, raw)) {
			reader->offset += STORE_ALIGN;
			continue;
		}
		reader->offset = reader->used = raw->end;
		if (raw->record.sequence < reader->sequence)
			continue;
		raw->record.lost = raw->record.sequence - reader->sequence;
		reader->sequence = raw->record.sequence + 1;
		return true;
	}
	return false;
}

static void rewind_to_start(struct segment_reader *reader)
{
	reader->offset = STORE_HEADER_BYTES;
	reader->sequence = reader->identity.sequence;
	reader->vain = 0;
}

/* Takes all words first: what needs them may stand before a second copy. */
static void read_words(struct segment_reader *reader)
{
	struct raw raw;

	while (next_raw(reader, &raw)) {
		struct entry *entry;
		uint64_t id;

		if (raw.record.kind != STORE_WORDS ||
		    !source_varint(&raw.payload, &id) ||
		    id >= STORE_MOST_WORDS || raw.payload.at == raw.payload.end)
			continue;
		entry = &reader->entries[id];
		if (entry->offset)
			continue;
		entry->offset = (uint32_t)(raw.payload.at - reader->data);
		entry->length = (uint32_t)(raw.payload.end - raw.payload.at);
		entry->values = (uint32_t)document_values(raw.payload.at,
							  entry->length);
	}
	rewind_to_start(reader);
}

int segment_reader_open(struct segment_reader **opened, const uint8_t *data,
			size_t size)
{
	struct segment_reader *reader;
	struct segment_identity identity;
	size_t segment_size = 0;
	uint8_t seed[8];
	int ret = -EBADMSG;

	if (size >= STORE_HEADER_BYTES)
		ret = segment_identify(data, &identity, &segment_size);
	if (ret < 0)
		return ret;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	reader->data = data;
	reader->size = size < segment_size ? size : segment_size;
	reader->identity = identity;
	put_le64(seed, identity.seed);
	reader->seed_crc = crc32c(0, seed, sizeof(seed));
	reader->entries = calloc(STORE_MOST_WORDS, sizeof(*reader->entries));
	reader->pieces = calloc(STORE_MOST_PIECES, sizeof(*reader->pieces));
	reader->codes = calloc(STORE_MOST_VALUES, sizeof(*reader->codes));
	if (!reader->entries || !reader->pieces || !reader->codes) {
		segment_reader_close(reader);
		return -ENOMEM;
	}
	rewind_to_start(reader);
	read_words(reader);
	*opened = reader;
	return 0;
}

void segment_reader_close(struct segment_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < STORE_KINDS; i++) {
		free(reader->streams[i].pieces);
		free(reader->streams[i].codes);
	}
	free(reader->entries);
	free(reader->pieces);
	free(reader->codes);
	free(reader);
}

/* Returns false if it is damaged: it has more than any document. */
static bool read_pieces(struct segment_reader *reader,
			const struct stream *stream, struct byte_source *from,
			uint32_t *piece_count)
{
	uint64_t count, id;

	if (!source_varint(from, &count) || count > STORE_MOST_PIECES)
		return false;
	*piece_count = count ? (uint32_t)count : stream->piece_count;
	if (!count) {
		memcpy(reader->pieces, stream->pieces,
		       stream->piece_count * sizeof(*reader->pieces));
		return true;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (!source_varint(from, &id) || id >= STORE_MOST_WORDS ||
		    !reader->entries[id].offset)
			return false;
		reader->pieces[i] = (uint32_t)id;
	}
	return true;
}

/* Notes where the values of each entry are in the document before. */
static void note_before(struct segment_reader *reader,
			const struct stream *stream, bool has_before)
{
	uint32_t place = stream->value_count;

	for (uint32_t i = stream->piece_count; i-- > 0;) {
		struct entry *entry = &reader->entries[stream->pieces[i]];

		place -= entry->values;
		entry->before = place;
		entry->has_before = has_before;
	}
}

static bool fill_before(struct segment_reader *reader,
			const struct stream *stream, uint32_t piece_count,
			uint32_t *value_count)
{
	uint32_t place = 0;

	for (uint32_t i = 0; i < piece_count; i++) {
		const struct entry *entry = &reader->entries[reader->pieces[i]];
		size_t bytes = entry->values * sizeof(*reader->codes);

		if (entry->values > STORE_MOST_VALUES - place)
			return false;
		if (entry->has_before)
			memcpy(&reader->codes[place],
			       &stream->codes[entry->before], bytes);
		else
			memset(&reader->codes[place], 0, bytes);
		place += entry->values;
	}
	*value_count = place;
	return true;
}

static bool read_changes(struct segment_reader *reader,
			 struct byte_source *from, uint32_t value_count)
{
	uint64_t changed, same, delta, place = 0;

	if (!source_varint(from, &changed))
		return false;
	for (; changed; changed--) {
		if (!source_varint(from, &same) ||
		    !source_varint(from, &delta) || same >= value_count - place)
			return false;
		place += same;
		reader->codes[place++] += (uint64_t)unzigzag(delta);
	}
	return true;
}

static int have_room(struct stream *stream)
{
	if (stream->pieces)
		return 0;
	stream->pieces = calloc(STORE_MOST_PIECES, sizeof(*stream->pieces));
	stream->codes = calloc(STORE_MOST_VALUES, sizeof(*stream->codes));
	if (stream->pieces && stream->codes)
		return 0;
	free(stream->pieces);
	free(stream->codes);
	stream->pieces = NULL;
	stream->codes = NULL;
	return -ENOMEM;
}

static void keep(struct segment_reader *reader, struct stream *stream,
		 uint32_t piece_count, uint32_t value_count)
{
	memcpy(stream->pieces, reader->pieces,
	       piece_count * sizeof(*stream->pieces));
	memcpy(stream->codes, reader->codes,
	       value_count * sizeof(*stream->codes));
	stream->piece_count = piece_count;
	stream->value_count = value_count;
}

/* Whether the document that @back points to is the last one of the stream. */
static bool follows(const struct stream *stream, uint64_t sequence,
		    uint64_t back)
{
	return stream->valid && back <= sequence &&
	       stream->sequence == sequence - back;
}

static int read_document(struct segment_reader *reader, struct raw *raw)
{
	struct segment_record *record = &raw->record;
	struct stream *stream = &reader->streams[record->kind];
	uint32_t piece_count = 0, value_count = 0;
	uint64_t back;
	int ret = have_room(stream);

	if (ret < 0)
		return ret;
	if (!source_varint(&raw->payload, &back) ||
	    (back && !follows(stream, record->sequence, back))) {
		stream->valid = false;
		return 0;
	}
	record->key = !back;
	if (record->key) {
		stream->piece_count = 0;
		stream->value_count = 0;
	}
	note_before(reader, stream, true);
	stream->valid =
		read_pieces(reader, stream, &raw->payload, &piece_count) &&
		fill_before(reader, stream, piece_count, &value_count) &&
		read_changes(reader, &raw->payload, value_count);
	note_before(reader, stream, false);
	if (!stream->valid)
		return 0;
	keep(reader, stream, piece_count, value_count);
	stream->sequence = record->sequence;
	record->readable = true;
	return 0;
}

int segment_reader_next(struct segment_reader *reader,
			struct segment_record *record)
{
	uint64_t lost = 0;
	struct raw raw;
	int ret;

	while (next_raw(reader, &raw)) {
		raw.record.lost += lost;
		if (raw.record.kind == STORE_WORDS) {
			lost = raw.record.lost;
			continue;
		}
		if (raw.record.kind > STORE_WORDS &&
		    raw.record.kind < STORE_KINDS) {
			ret = read_document(reader, &raw);
			if (ret < 0)
				return ret;
		}
		*record = raw.record;
		return 1;
	}
	return 0;
}

static int join(const struct segment_reader *reader,
		const struct stream *stream, struct byte_sink *text)
{
	const uint64_t *codes = stream->codes;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < stream->piece_count; i++) {
		const struct entry *entry = &reader->entries[stream->pieces[i]];

		ret = document_join(reader->data + entry->offset, entry->length,
				    codes, text);
		codes += entry->values;
	}
	return ret;
}

int segment_reader_text(const struct segment_reader *reader,
			const struct segment_record *record, char **text,
			size_t *size)
{
	const struct stream *stream = &reader->streams[record->kind];

	for (size_t room = 16384; room <= MOST_TEXT; room *= 4) {
		_cleanup_(freep) uint8_t *buffer = malloc(room);
		struct byte_sink sink;
		int ret;

		if (!buffer)
			return -ENOMEM;
		sink = (struct byte_sink){ buffer, buffer + room - 1, false };
		ret = join(reader, stream, &sink);
		if (ret == -ENOSPC)
			continue;
		if (ret < 0)
			return ret;
		*sink.at = '\0';
		*size = (size_t)(sink.at - buffer);
		*text = (char *)steal_ptr(buffer);
		return 0;
	}
	return -EBADMSG;
}

size_t segment_reader_used(const struct segment_reader *reader)
{
	return reader->used;
}

uint64_t segment_reader_sequence(const struct segment_reader *reader)
{
	return reader->sequence;
}
