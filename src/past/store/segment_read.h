/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a segment (format.h), which may be damaged anywhere or come from a
 * stranger. What cannot be proven by a CRC is not there.
 */
#ifndef BUFSTAT_SEGMENT_READ_H
#define BUFSTAT_SEGMENT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/segment_write.h"

struct segment_reader;

struct segment_record {
	unsigned int kind; /* enum store_kind, or one that is not known */
	uint64_t sequence;
	struct store_time time;
	uint64_t lost; /* sequence numbers that are missing right before it */
	bool key;
	/*
	 * The document is known. It is not if the one that it is a change of,
	 * or some of its words, were lost.
	 */
	bool readable;
};

/*
 * Reads the header in the first STORE_HEADER_BYTES bytes of a segment. Returns
 * 0, -EPROTO if a later version of bufstat wrote it, or -EBADMSG if it is none.
 */
int segment_identify(const uint8_t *data, struct segment_identity *identity,
		     size_t *segment_size);

/*
 * @data must outlive *@opened. @size may be less than that of the segment: the
 * rest is then lost. Returns 0 (the caller closes *@opened then), or as
 * segment_identify(), or -ENOMEM.
 */
int segment_reader_open(struct segment_reader **opened, const uint8_t *data,
			size_t size);
void segment_reader_close(struct segment_reader *reader);

/* Moves to the next record that is not words. Returns 1, 0, or -ENOMEM. */
int segment_reader_next(struct segment_reader *reader,
			struct segment_record *record);

/*
 * Makes the text of the readable document that segment_reader_next() has
 * returned last. It has a NUL after its *@size bytes, and the caller frees it.
 * Returns 0, -EBADMSG or -ENOMEM.
 */
int segment_reader_text(const struct segment_reader *reader,
			const struct segment_record *record, char **text,
			size_t *size);

/* Bytes from the beginning of the segment to the end of the last record. */
size_t segment_reader_used(const struct segment_reader *reader);

/* The sequence number after the last record; that of the first if none. */
uint64_t segment_reader_sequence(const struct segment_reader *reader);

#endif
