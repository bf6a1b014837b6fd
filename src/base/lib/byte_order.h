/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of a known byte order among bytes, which need not be aligned. */
#ifndef BUFSTAT_BYTE_ORDER_H
#define BUFSTAT_BYTE_ORDER_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t le16_at(const unsigned char *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return le16toh(value);
}

static inline uint32_t le32_at(const unsigned char *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

static inline uint64_t le64_at(const unsigned char *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return le64toh(value);
}

static inline uint16_t be16_at(const unsigned char *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return be16toh(value);
}

static inline uint32_t be32_at(const unsigned char *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return be32toh(value);
}

static inline uint64_t be64_at(const unsigned char *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return be64toh(value);
}

#endif
