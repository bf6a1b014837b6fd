// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "trace/perf_record.h"
#include "trace/tracefs.h"

/* A sample of PERF_SAMPLE_TID and PERF_SAMPLE_RAW. */
struct sample {
	struct perf_event_header header;
	uint32_t process;
	uint32_t thread;
	uint32_t size; /* of what follows, bytes */
	unsigned char bytes[];
};

/*
 * Finds a field in the lines of "format", which are like
 *	field:dev_t s_dev;	offset:32;	size:4;	signed:0;
 */
static struct record_field find_field(const char *format, const char *name)
{
	struct record_field field = { 0 };
	char wanted[32];
	const char *at;

	snprintf(wanted, sizeof(wanted), " %s;", name);
	at = strstr(format, wanted);
	if (!at || sscanf(at + strlen(wanted), " offset:%u; size:%u;",
			  &field.offset, &field.size) != 2)
		return (struct record_field){ 0 };
	return field;
}

int record_layout_init(struct record_layout *layout, const struct sysroot *root,
		       struct error *err)
{
	_cleanup_(freep) char *format = NULL;
	int ret = tracefs_id(root, TRACE_ADD, &layout->add, err);

	if (!ret)
		ret = tracefs_id(root, TRACE_DELETE, &layout->remove, err);
	if (!ret)
		ret = tracefs_read(root, TRACE_ADD, "format", &format, err);
	if (ret < 0)
		return ret;
	layout->inode = find_field(format, "i_ino");
	layout->device = find_field(format, "s_dev");
	layout->order = find_field(format, "order");
	if (!layout->inode.size || !layout->device.size)
		return error_doing(err, ERROR_UNUSABLE, "reading the format",
				   TRACE_ADD, "a field is missing");
	return 0;
}

/* Returns false if it is not in the sample. */
static bool read_field(const struct sample *sample, struct record_field field,
		       uint64_t *value)
{
	*value = 0;
	if (field.size > sizeof(*value) || sample->size < field.size ||
	    field.offset > sample->size - field.size)
		return false;
		/* Little-endian machines have the low bytes first. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(value, sample->bytes + field.offset, field.size);
#else
	memcpy((char *)value + sizeof(*value) - field.size,
	       sample->bytes + field.offset, field.size);
#endif
	return true;
}

bool record_read(const struct record_layout *layout,
		 const struct perf_event_header *header, struct record *record)
{
	const struct sample *sample = (const struct sample *)header;
	/* common_type, the first field of all tracepoints. */
	const struct record_field type = { 0, 2 };
	uint64_t number, device, order = 0;

	if (header->size < sizeof(*sample) ||
	    sample->size > header->size - sizeof(*sample) ||
	    !read_field(sample, type, &number) ||
	    (number != layout->add && number != layout->remove) ||
	    !read_field(sample, layout->device, &device) ||
	    !read_field(sample, layout->inode, &record->inode))
		return false;
	if (layout->order.size)
		read_field(sample, layout->order, &order);
	record->process = sample->process;
	record->comes_in = number == layout->add;
	record->device = (uint32_t)device;
	record->pages = UINT64_C(1) << (order & 63);
	return true;
}
