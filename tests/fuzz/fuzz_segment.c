// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a segment of a recording, and as the payloads of records whose
 * CRCs are right. Whatever is read, a writer takes it, and then it reads the
 * same.
 */
#include <string.h>

#include "fuzz.h"
#include "lib/crc32c.h"
#include "store/bytes.h"
#include "store/segment_read.h"
#include "store/segment_write.h"

enum { SEGMENT = 64 << 10 };

static const struct segment_identity identity = { .number = 1, .seed = 2 };

/* Appends a record with the sequence number @sequence; returns the new end. */
static size_t add_record(uint8_t *segment, size_t used, uint8_t kind,
			 uint8_t sequence, const uint8_t *payload, size_t size)
{
	uint8_t *at = segment + used, checked[6], seed[8];
	size_t length = STORE_RECORD_HEAD + 3 + size;
	uint32_t crc;

	if (SEGMENT - used < length + STORE_ALIGN)
		return used;
	put_le64(seed, identity.seed);
	crc = crc32c(0, seed, sizeof(seed));
	at[0] = STORE_MAGIC;
	at[1] = kind;
	put_le32(at + 4, (uint32_t)length);
	memcpy(checked, at, 2);
	memcpy(checked + 2, at + 4, 4);
	put_le16(at + 2, (uint16_t)crc32c(crc, checked, sizeof(checked)));
	at[12] = sequence & 0x7f;
	at[13] = 0;
	at[14] = 0;
	memcpy(at + 15, payload, size);
	put_le32(at + 8, crc32c(crc32c(crc, at, 8), at + 12, length - 12));
	return used + ((length + STORE_ALIGN - 1) & ~(size_t)(STORE_ALIGN - 1));
}

/* Each record of the input: kind, length of the payload, payload. */
static void make_records(uint8_t *segment, const uint8_t *data, size_t size)
{
	size_t used = STORE_HEADER_BYTES;
	uint8_t sequence = 0;

	while (size >= 2) {
		uint8_t kind = data[0] % (STORE_KINDS + 1);
		size_t length = data[1];

		data += 2;
		size -= 2;
		if (length > size)
			length = size;
		used = add_record(segment, used, kind, sequence++, data,
				  length);
		data += length;
		size -= length;
	}
}

/* What cannot be a document on one line was never written by the recorder. */
static void check_again(struct segment_writer *writer, const char *text,
			size_t size)
{
	static uint8_t again[SEGMENT];
	const struct store_time time = { 0 };
	struct segment_reader *reader;
	struct segment_record record;
	size_t read_size;
	char *read;

	memset(again, 0, sizeof(again));
	segment_begin(writer, again, SEGMENT, &identity);
	if (segment_append(writer, STORE_DEVICES, &time, text, size, true) < 0)
		return;
	fuzz_require(segment_reader_open(&reader, again, SEGMENT) == 0);
	fuzz_require(segment_reader_next(reader, &record) == 1);
	fuzz_require(record.readable && record.key);
	fuzz_require(segment_reader_text(reader, &record, &read, &read_size) ==
		     0);
	fuzz_require(read_size == size && memcmp(read, text, size) == 0);
	free(read);
	segment_reader_close(reader);
}

static void read_all(const uint8_t *segment, size_t size,
		     struct segment_writer *writer)
{
	struct segment_reader *reader;
	struct segment_record record;
	uint64_t last = 0;
	int texts = 0;

	if (segment_reader_open(&reader, segment, size) < 0)
		return;
	while (segment_reader_next(reader, &record) == 1) {
		size_t length;
		char *text;

		fuzz_require(record.sequence >= last);
		fuzz_require(record.time.boot_ms >= 0 &&
			     record.time.real_ms >= 0);
		last = record.sequence + 1;
		if (!record.readable || texts++ > 20 ||
		    segment_reader_text(reader, &record, &text, &length) < 0)
			continue;
		check_again(writer, text, length);
		free(text);
	}
	fuzz_require(segment_reader_sequence(reader) >= last);
	segment_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t segment[SEGMENT];
	static struct segment_writer *writer;

	if (size < 1)
		return 0;
	if (!writer)
		writer = segment_writer_create();
	memset(segment, 0, sizeof(segment));
	segment_begin(writer, segment, SEGMENT, &identity);
	if (*data & 1)
		make_records(segment, data + 1, size - 1);
	else if (size - 1 <= SEGMENT - STORE_HEADER_BYTES)
		memcpy(segment + STORE_HEADER_BYTES, data + 1, size - 1);
	read_all(segment, SEGMENT, writer);
	/* Its header may be anything, too. */
	read_all(data + 1, size - 1, writer);
	return 0;
}
