/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers as bytes, as format.h has them. No function goes past an end.
 * lib/byte_order.h reads those of a fixed size.
 */
#ifndef BUFSTAT_STORE_BYTES_H
#define BUFSTAT_STORE_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void put_le16(uint8_t *to, uint16_t value)
{
	value = htole16(value);
	memcpy(to, &value, sizeof(value));
}

static inline void put_le32(uint8_t *to, uint32_t value)
{
	value = htole32(value);
	memcpy(to, &value, sizeof(value));
}

static inline void put_le64(uint8_t *to, uint64_t value)
{
	value = htole64(value);
	memcpy(to, &value, sizeof(value));
}

static inline uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ -(value & 1));
}

/* Writes to @at, which has room until @end. */
struct byte_sink {
	uint8_t *at;
	uint8_t *end;
	bool full; /* something did not fit */
};

static inline void sink_byte(struct byte_sink *sink, uint8_t byte)
{
	if (sink->at == sink->end)
		sink->full = true;
	else
		*sink->at++ = byte;
}

static inline void sink_varint(struct byte_sink *sink, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		sink_byte(sink, (uint8_t)(value | 0x80));
	sink_byte(sink, (uint8_t)value);
}

/* @bytes may overlap with where they go. */
static inline void sink_bytes(struct byte_sink *sink, const void *bytes,
			      size_t size)
{
	if ((size_t)(sink->end - sink->at) < size) {
		sink->full = true;
		return;
	}
	memmove(sink->at, bytes, size);
	sink->at += size;
}

struct byte_source {
	const uint8_t *at;
	const uint8_t *end;
};

/* Returns false if no varint of at most 64 bits is there. */
static inline bool source_varint(struct byte_source *source, uint64_t *value)
{
	*value = 0;
	for (unsigned int shift = 0; shift < 64 && source->at < source->end;
	     shift += 7) {
		uint8_t byte = *source->at++;

		if (shift == 63 && byte > 1)
			return false;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

#endif
