// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/patience.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/monotonic.h"
#include "lib/sysroot.h"
#include "lib/text_stream.h"
#include "record/take.h"
#include "sample/reading.h"
#include "sample/reading_json.h"
#include "store/format.h"

/* Nothing that makes progress may hold up the recording for longer. */
#define MOST_SECONDS 5

static void send_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t length = write(fd, at, size);

		if (length < 0 && errno == EINTR)
			continue;
		/* The recorder is gone. */
		if (length <= 0)
			_exit(1);
		at += length;
		size -= (size_t)length;
	}
}

static void send_frame(int fd, unsigned int kind, const void *data, size_t size)
{
	const struct taken head = { kind, (uint32_t)size };

	send_all(fd, &head, sizeof(head));
	send_all(fd, data, size);
}

/* Sends what was written to a stream, without the newline at its end. */
static void send_text(int fd, enum store_kind kind, FILE *stream, char **text,
		      const size_t *size)
{
	if (text_stream_close(stream, text) == 0 && *size)
		send_frame(fd, kind, *text, *size - 1);
}

static void send_part(int fd, const struct reading *reading,
		      enum reading_part part)
{
	static const enum store_kind kinds[] = {
		[READING_DEVICES] = STORE_DEVICES,
		[READING_FILESYSTEMS] = STORE_FILESYSTEMS,
		[READING_MEMORY] = STORE_MEMORY,
	};
	_cleanup_(freep) char *text = NULL;
	size_t size = 0;
	FILE *stream = text_stream_open(&text, &size);

	if (!stream)
		return;
	reading_json_record(stream, reading, part);
	send_text(fd, kinds[part], stream, &text, &size);
}

static void send_failure(int fd, const struct error *why)
{
	_cleanup_(freep) char *text = NULL;
	struct json_out json;
	size_t size = 0;
	FILE *stream = text_stream_open(&text, &size);

	if (!stream)
		return;
	json_out_init(&json, stream);
	json.compact = true;
	json_out_object(&json, NULL);
	json_out_string(&json, "state", "failed");
	json_out_error(&json, "reason", why);
	json_out_object_end(&json);
	json_out_finish(&json);
	send_text(fd, STORE_STATE, stream, &text, &size);
}

/* What /proc/meminfo says is worth keeping even if no source answers. */
static void take_devices(int fd, struct reading *reading,
			 const struct sysroot *root)
{
	struct error err;
	int ret = measure(root, NULL, &reading->measurement, &err);

	if (!ret && reading_complete(reading, root, NULL, ROWS_ALL) < 0)
		ret = error_errno(&err, ENOMEM, "naming", "the devices");
	if (ret < 0) {
		send_failure(fd, &err);
		return;
	}
	if (reading->measurement.collected < 0)
		send_failure(fd, &reading->measurement.why);
	send_part(fd, reading, READING_DEVICES);
}

static void take_filesystems(int fd, struct reading *reading,
			     const struct sysroot *root)
{
	int64_t began_ns = monotonic_ns(), walk_ns;

	if (reading_ask_filesystems(reading, root, NULL, NULL) == 0)
		send_part(fd, reading, READING_FILESYSTEMS);
	walk_ns = monotonic_ns() - began_ns;
	send_frame(fd, TAKEN_WALK_NS, &walk_ns, sizeof(walk_ns));
}

/* The devices that have pages, as people know them. */
static void write_names(struct json_out *json, const struct device_rows *rows)
{
	json->keeps_bytes = true;
	json_out_object(json, NULL);
	json_out_array(json, "names");
	for (size_t i = 0; i < rows->count; i++) {
		const struct device_row *row = &rows->rows[i];
		const struct device_names *names = &row->names;

		if (!row->sample || !names->in_sysfs ||
		    !row->sample->figures[FIGURE_PAGES])
			continue;
		json_out_object(json, NULL);
		json_out_string(json, "maj:min", row->number);
		json_out_string(json, "name", names->name);
		json_out_string(json, "fstype", names->fstype);
		json_out_strings(json, "mountpoints", &names->mountpoints);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	json_out_object_end(json);
}

static void send_names(int fd, const struct reading *reading)
{
	_cleanup_(freep) char *text = NULL;
	struct json_out json;
	size_t size = 0;
	FILE *stream = text_stream_open(&text, &size);

	if (!stream)
		return;
	json_out_init(&json, stream);
	json.compact = true;
	write_names(&json, &reading->rows);
	json_out_finish(&json);
	send_text(fd, STORE_NAMES, stream, &text, &size);
}

static void take_memory(int fd, struct reading *reading,
			const struct sysroot *root)
{
	if (memory_read(&reading->memory, root, NULL) == 0)
		send_part(fd, reading, READING_MEMORY);
}

void take_reading(int fd, unsigned int also)
{
	_cleanup_(reading_deinit) struct reading reading = { 0 };
	struct patience patience = { .seconds = MOST_SECONDS };
	_cleanup_(sysroot_deinit) struct sysroot root = { .fd = -1 };

	if (sysroot_init(&root, NULL, NULL) < 0)
		return;
	root.patience = &patience;
	patience_begin(&patience);
	take_devices(fd, &reading, &root);
	if (also & TAKE_NAMES)
		send_names(fd, &reading);
	if (also & TAKE_MEMORY)
		take_memory(fd, &reading, &root);
	if (also & TAKE_FILESYSTEMS)
		take_filesystems(fd, &reading, &root);
}
