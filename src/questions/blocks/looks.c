// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>

#include "blocks/looks.h"
#include "lib/byte_order.h"

#define EXTENT_MAGIC 0xf30a
#define XATTR_MAGIC 0xea020000
#define JOURNAL_MAGIC 0xc03b3998 /* big-endian */
/* Types of files in an entry of a directory; 0xde is that of its checksum. */
#define MAX_TYPE 7
#define CHECKSUM_TYPE 0xde

static bool is_zero(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

/* Entries that fill the block, one after the other, some in use. */
static bool is_directory(const unsigned char *bytes, size_t size)
{
	size_t at = 0, used = 0;

	while (at + 8 <= size) {
		size_t length = le16_at(bytes + at + 4);
		size_t name = bytes[at + 6];
		unsigned int type = bytes[at + 7];

		if (length < 8 || length % 4 || length > size - at ||
		    name > length - 8 ||
		    (type > MAX_TYPE && type != CHECKSUM_TYPE))
			return false;
		if (le32_at(bytes + at)) {
			if (!name || memchr(bytes + at + 8, 0, name))
				return false;
			used++;
		}
		at += length;
	}
	return at == size && used;
}

static bool is_map(const unsigned char *bytes, size_t size)
{
	size_t entries = le16_at(bytes + 2), most = le16_at(bytes + 4);

	return le16_at(bytes) == EXTENT_MAGIC && entries <= most &&
	       (most + 1) * 12 <= size && le16_at(bytes + 6) <= 5;
}

enum block_look block_look_of(const unsigned char *bytes, size_t size)
{
	if (size < 32)
		return LOOK_NONE;
	if (is_zero(bytes, size))
		return LOOK_ZEROS;
	if (is_map(bytes, size))
		return LOOK_MAP;
	if (le32_at(bytes) == XATTR_MAGIC)
		return LOOK_XATTR;
	if (be32_at(bytes) == JOURNAL_MAGIC)
		return LOOK_JOURNAL;
	if (is_directory(bytes, size))
		return LOOK_DIRECTORY;
	return LOOK_NONE;
}
