/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A document of a recording: JSON text on one line, as words, which repeat from
 * one document to the next, and values, which change (format.h). What is joined
 * again is the same text, byte for byte.
 */
#ifndef BUFSTAT_STORE_DOCUMENT_H
#define BUFSTAT_STORE_DOCUMENT_H

#include <stddef.h>
#include <stdint.h>

#include "store/bytes.h"

/* Codes of values are less than this. */
#define DOCUMENT_CODE_END (UINT64_C(1) << 62)

struct document_text {
	const char *at;
	const char *end;
};

/* Room for codes. */
struct document_codes {
	uint64_t *codes;
	size_t count;
	size_t room;
};

/*
 * Moves the first piece of @text, which is not empty, to @words and appends its
 * values to @codes. Allocates nothing. Returns 0, -ENOSPC if one of them is
 * full, or -EBADMSG if the text has bytes that no JSON has.
 */
int document_cut(struct document_text *text, struct byte_sink *words,
		 struct document_codes *codes);

/* How many values belong to words. */
size_t document_values(const uint8_t *words, size_t size);

/*
 * Puts @codes, document_values() many, into @words. Returns 0, -ENOSPC if @text
 * is full, or -EBADMSG if a code is none.
 */
int document_join(const uint8_t *words, size_t size, const uint64_t *codes,
		  struct byte_sink *text);

#endif
