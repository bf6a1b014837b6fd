/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of a recording, version 1.
 *
 * It is a ring of segments of equal size, allocated when the recorder starts,
 * so that a full disk shows then and not in the incident. Nothing outside the
 * segments is needed to read them, and no segment needs another one.
 *
 * A segment begins with a header of STORE_HEADER_BYTES bytes. Numbers are
 * little-endian:
 *
 *	 0  8 bytes	"BUFREC1\n"
 *	 8  u32		STORE_VERSION
 *	12  u32		size of the segment, bytes
 *	16  u64		number of the segment: every new one has the next, so
 *			the numbers are the order and the lowest is the oldest
 *	24  u64		seed, a random number
 *	32  16 bytes	boot id of the host
 *	48  u64		sequence number of the first record
 *	56  u64		CLOCK_BOOTTIME, ms, that the records count from
 *	64  u64		CLOCK_REALTIME at that moment, ms since 1970
 *	72  u32		CRC32C of bytes 0 to 71
 *
 * and zeros. Records follow, each on a multiple of STORE_ALIGN bytes:
 *
 *	 0  u8		STORE_MAGIC
 *	 1  u8		kind, enum store_kind
 *	 2  u16		low half of the CRC32C of bytes 0, 1 and 4 to 7
 *	 4  u32		length of the record in bytes, without what pads it
 *	 8  u32		CRC32C of bytes 0 to 7 and of all after this field
 *	12  varint	sequence number, less that of the header
 *	    varint	CLOCK_BOOTTIME, ms, less that of the header
 *	    zigzag	CLOCK_REALTIME less CLOCK_BOOTTIME, ms, less what this
 *			difference is in the header
 *	    payload
 *
 * Each CRC begins with the seed. So what is left of an earlier segment in the
 * same place is not a record. A varint has seven bits in a byte, the lowest
 * first, and a set high bit in all but the last; a zigzag is a varint of
 * 2n for n >= 0 and of -2n - 1 for n < 0.
 *
 * A reader trusts the CRC and the sequence number and nothing else. Where no
 * record is, it tries the next multiple of STORE_ALIGN. A number that is
 * missing in the sequence is a record that was lost. It skips kinds that it
 * does not know.
 *
 * STORE_WORDS is an entry of the segment's dictionary: a varint, its id, and
 * the rest of the payload, its words. An entry may come more than once.
 *
 * Every other known kind is a stream of documents, each a JSON text on one
 * line. The text is cut before each "{" and after each "}" and its comma. In
 * the pieces, an integer, null, true or false that is a value becomes the byte
 * STORE_SCALAR, and a string that is a time in UTC becomes STORE_TIME. What is
 * left are words of the dictionary. The values are codes: 0 null, 1 false, 2
 * true, and for an integer or a time in seconds since 1970, 3 and its zigzag.
 *
 *	varint		how many sequence numbers before this record the
 *			document is that this one is a change of; 0: it stands
 *			alone (a key record)
 *	varint		number of pieces, 0: they are the same as before
 *	    varint	id of the words of each piece
 *	varint		number of changed values
 *	    varint	unchanged values before the next changed one
 *	    zigzag	code less the code before
 *
 * The value before is that of the same words in the document before, else 0.
 * If these words were there more than once, the first counts.
 *
 * The recorder writes a key record of each stream at least once a minute, then
 * calls fdatasync(2). The next record begins on a multiple of STORE_SECTOR, so
 * no sector that has been synced is written again.
 */
#ifndef BUFSTAT_STORE_FORMAT_H
#define BUFSTAT_STORE_FORMAT_H

enum {
	STORE_VERSION = 1,
	STORE_SECTOR = 512,
	STORE_HEADER_BYTES = STORE_SECTOR,
	STORE_MAGIC = 0xb5,
	STORE_RECORD_HEAD = 12, /* bytes before the first varint */
	STORE_ALIGN = 8,
	STORE_SCALAR = 1,
	STORE_TIME = 2,
};

#define STORE_HEADER_MAGIC "BUFREC1\n"

/* The values are those in files. */
enum store_kind {
	STORE_WORDS = 1,
	STORE_STATE = 2, /* about the recorder: start, end, what it costs */
	STORE_DEVICES = 3, /* a reading: meminfo_kib and devices */
	STORE_FILESYSTEMS = 4, /* a reading: filesystems */
	STORE_MEMORY = 5, /* a reading: memory */
	STORE_FILLED = 6, /* which processes brought pages in */
	STORE_NAMES = 7, /* what the devices are called, and where mounted */
	STORE_KINDS
};

/* What a writer holds and a reader accepts. */
enum {
	STORE_MOST_WORDS = 16384, /* entries of a dictionary */
	STORE_MOST_PIECES = 16384, /* of a document */
	STORE_MOST_VALUES = 32768, /* of a document */
	STORE_MOST_SEGMENT = 16 << 20, /* bytes */
};

#endif
