// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/whole.h"
#include "store/format.h"
#include "store/segment_index.h"
#include "store/segment_read.h"

/* Returns 1 if there is a header, 0 if not, or a negative errno. */
static int read_place(int fd, uint64_t offset, struct segment_place *place)
{
	uint8_t header[STORE_HEADER_BYTES];
	size_t size = 0;
	long length = pread_whole(fd, header, sizeof(header), offset);
	int ret;

	/* A sector that cannot be read is a segment that is lost. */
	if (length != sizeof(header))
		return length < 0 && length != -EIO ? (int)length : 0;
	ret = segment_identify(header, &place->identity, &size);
	if (ret < 0)
		return ret == -EBADMSG ? 0 : ret;
	place->offset = offset;
	place->size = size;
	return size >= STORE_SMALLEST_SEGMENT;
}

static int compare(const void *a, const void *b)
{
	const struct segment_place *one = a, *other = b;
	uint64_t number = one->identity.number;

	return (number > other->identity.number) -
	       (number < other->identity.number);
}

/* The first header tells the size of all; the places before it are damaged. */
static int find_first(int fd, uint64_t end, struct segment_place *place)
{
	int ret = 0;

	for (uint64_t at = 0; !ret && at < end; at += STORE_SMALLEST_SEGMENT)
		ret = read_place(fd, at, place);
	return ret;
}

int segment_index_read(int fd, struct segment_place *places)
{
	off_t end = lseek(fd, 0, SEEK_END);
	uint64_t offset;
	int count = 0, ret;

	if (end < 0)
		return -errno;
	ret = find_first(fd, (uint64_t)end, &places[0]);
	if (ret <= 0)
		return ret;
	for (offset = places[0].offset; offset < (uint64_t)end;
	     offset += places[0].size) {
		ret = read_place(fd, offset, &places[count]);
		if (ret < 0)
			return ret;
		if (ret && places[count].size != places[0].size)
			continue;
		count += ret;
		if (count == STORE_MOST_SEGMENTS)
			break;
	}
	qsort(places, (size_t)count, sizeof(*places), compare);
	return count;
}
