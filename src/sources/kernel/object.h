/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members of an object that was read out of a kernel's memory, which need not
 * be aligned here. Offsets are in bytes.
 */
#ifndef BUFSTAT_OBJECT_H
#define BUFSTAT_OBJECT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The errno in an errseq_t; above it are a flag and a counter. */
#define ERRSEQ_ERRNO 0xfff

/* A pointer or an unsigned long. */
static inline uint64_t word_at(const unsigned char *object, size_t offset)
{
	uint64_t word;

	memcpy(&word, object + offset, sizeof(word));
	return word;
}

/* An unsigned int. */
static inline uint32_t half_at(const unsigned char *object, size_t offset)
{
	uint32_t half;

	memcpy(&half, object + offset, sizeof(half));
	return half;
}

/* An unsigned short. */
static inline uint16_t short_at(const unsigned char *object, size_t offset)
{
	uint16_t value;

	memcpy(&value, object + offset, sizeof(value));
	return value;
}

#endif
