// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "store/excerpt.h"
#include "store/past.h"
#include "store/recording.h"
#include "worker/reach.h"

#define SEGMENT_SIZE ((size_t)1 << 20)
#define MOST_BYTES ((size_t)256 << 20)

struct segment {
	uint8_t *data;
};

struct excerpt {
	struct recording_cursor cursor;
	int64_t from_ms;
	int64_t to_ms;
	excerpt_filter_fn *filter;
	void *data;
	struct segment_writer *writer;
	struct segment *segments;
	size_t count;
	size_t room;
	uint8_t boot_id[STORE_BOOT_ID]; /* of the last segment */
	bool lost; /* something is missing before the next record */
	bool has_devices;
};

static void excerpt_deinit(struct excerpt *excerpt)
{
	for (size_t i = 0; i < excerpt->count; i++)
		free(excerpt->segments[i].data);
	free(excerpt->segments);
	segment_writer_destroy(excerpt->writer);
	recording_cursor_deinit(&excerpt->cursor);
}

/* A number that is left out in the sequence is a record that was lost. */
static int begin_segment(struct excerpt *excerpt)
{
	const struct segment_record *record = &excerpt->cursor.record;
	struct segment_identity identity = {
		.number = excerpt->count + 1,
		.seed = excerpt->count + 1,
		.time = record->time,
	};
	uint8_t *data;

	if (excerpt->count)
		identity.sequence =
			segment_sequence(excerpt->writer) + excerpt->lost;
	memcpy(identity.boot_id, recording_identity(&excerpt->cursor)->boot_id,
	       STORE_BOOT_ID);
	memcpy(excerpt->boot_id, identity.boot_id, STORE_BOOT_ID);
	excerpt->lost = false;
	if (array_make_room(&excerpt->segments, excerpt->count,
			    &excerpt->room) < 0)
		return -ENOMEM;
	data = calloc(1, SEGMENT_SIZE);
	if (!data)
		return -ENOMEM;
	excerpt->segments[excerpt->count++].data = data;
	segment_begin(excerpt->writer, data, SEGMENT_SIZE, &identity);
	return 0;
}

static bool needs_segment(const struct excerpt *excerpt)
{
	return !excerpt->count || excerpt->lost ||
	       memcmp(excerpt->boot_id,
		      recording_identity(&excerpt->cursor)->boot_id,
		      STORE_BOOT_ID) != 0;
}

static int append(struct excerpt *excerpt, const char *text, size_t size)
{
	const struct segment_record *record = &excerpt->cursor.record;
	int ret = needs_segment(excerpt) ? begin_segment(excerpt) : 0;

	if (ret < 0)
		return ret;
	ret = segment_append(excerpt->writer, record->kind, &record->time, text,
			     size, record->key);
	if (ret != -ENOSPC)
		return ret;
	ret = begin_segment(excerpt);
	return ret < 0 ? ret :
			 segment_append(excerpt->writer, record->kind,
					&record->time, text, size, true);
}

/* What comes before the time is there for what refers to it. */
static bool is_wanted(const struct excerpt *excerpt)
{
	const struct segment_record *record = &excerpt->cursor.record;
	int64_t real_ms = record->time.real_ms;

	if (real_ms > excerpt->to_ms ||
	    real_ms < excerpt->from_ms - PAST_MOST_AGE_MS)
		return false;
	return real_ms >= excerpt->from_ms || record->kind == STORE_NAMES ||
	       record->kind == STORE_FILESYSTEMS ||
	       record->kind == STORE_MEMORY || record->kind == STORE_STATE;
}

static int take(struct excerpt *excerpt)
{
	const struct segment_record *record = &excerpt->cursor.record;
	_cleanup_(freep) char *text = NULL;
	size_t size;
	int ret;

	if (!is_wanted(excerpt) || record->kind >= STORE_KINDS)
		return 0;
	excerpt->lost |= (record->lost || excerpt->cursor.lost_segment ||
			  !record->readable) &&
			 excerpt->count;
	if (!record->readable)
		return 0;
	ret = recording_text(&excerpt->cursor, &text, &size);
	if (ret < 0)
		return only_enomem(ret);
	ret = excerpt->filter(excerpt->data, &text, &size);
	if (ret == -EBADMSG) {
		excerpt->lost |= excerpt->count;
		return 0;
	}
	if (ret < 0)
		return ret;
	excerpt->has_devices |= record->kind == STORE_DEVICES;
	return append(excerpt, text, size);
}

static int take_all(struct excerpt *excerpt, const struct recording *recording)
{
	int ret;

	excerpt->writer = segment_writer_create();
	if (!excerpt->writer)
		return -ENOMEM;
	recording_cursor_init(&excerpt->cursor, recording);
	while ((ret = recording_next(&excerpt->cursor)) > 0) {
		ret = take(excerpt);
		if (ret < 0)
			break;
		if (excerpt->count * SEGMENT_SIZE >= MOST_BYTES)
			return -EFBIG;
	}
	return ret;
}

static int join(const struct excerpt *excerpt, char **bytes, size_t *size)
{
	*size = excerpt->count * SEGMENT_SIZE;
	*bytes = malloc(*size + 1);
	if (!*bytes)
		return -ENOMEM;
	for (size_t i = 0; i < excerpt->count; i++)
		memcpy(*bytes + i * SEGMENT_SIZE, excerpt->segments[i].data,
		       SEGMENT_SIZE);
	return 0;
}

int excerpt_make(const char *path, int64_t from_ms, int64_t to_ms,
		 excerpt_filter_fn *filter, void *data, char **bytes,
		 size_t *size, struct patience *patience, struct error *err)
{
	struct excerpt excerpt = {
		.from_ms = from_ms,
		.to_ms = to_ms,
		.filter = filter,
		.data = data,
	};
	struct recording recording;
	int ret = recording_open(&recording, path, patience, err);

	*bytes = NULL;
	if (!ret)
		ret = recording_load(&recording, from_ms - PAST_MOST_AGE_MS,
				     to_ms, patience, err);
	if (!ret) {
		ret = take_all(&excerpt, &recording);
		if (!ret)
			ret = join(&excerpt, bytes, size);
		if (ret < 0)
			error_errno(err, -ret, "reading a recording", path);
	}
	if (!ret && !excerpt.has_devices)
		ret = recording_nothing(
			&recording, "nothing was recorded in that time", err);
	excerpt_deinit(&excerpt);
	recording_close(&recording);
	return ret;
}

static int copy_from_tree(struct recording_place *place,
			  const struct sysroot *root, struct error *err)
{
	_cleanup_(freep) char *bytes = NULL;
	size_t size;
	int ret = sysroot_read(root, EXCERPT_PATH, MOST_BYTES, &bytes, &size);

	if (ret == -ENOENT)
		return error_advise(err, ENOENT, "reading a recording",
				    root->prefix,
				    "bufstat capture --from TIME has one",
				    "it has none");
	if (ret < 0)
		return error_errno(err, -ret, "reading a recording",
				   root->prefix);
	place->fd = memfd_create("bufstat-recording", MFD_CLOEXEC);
	if (place->fd < 0 || pwrite(place->fd, bytes, size, 0) != (ssize_t)size)
		return error_errno(err, errno, "reading a recording",
				   root->prefix);
	/* The workers that read it have other descriptors. */
	snprintf(place->path, sizeof(place->path), "/proc/%d/fd/%d", getpid(),
		 place->fd);
	place->where = place->path;
	return 0;
}

int recording_place_init(struct recording_place *place,
			 const struct sysroot *root, const char *dir,
			 struct error *err)
{
	*place = (struct recording_place){
		.fd = -1,
		.where = dir ? dir : RECORDING_DIR,
	};
	/* If it is silent, each reader would leave a process that waits. */
	if (sysroot_is_live(root))
		return reach("reading a recording", place->where, err);
	if (dir)
		return error_option(
			err, "--dir",
			"cannot be used with a captured host, which "
			"has its own recording");
	return copy_from_tree(place, root, err);
}

void recording_place_deinit(struct recording_place *place)
{
	closep(&place->fd);
	place->fd = -1;
}
