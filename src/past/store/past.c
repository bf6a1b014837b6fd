// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/json_in.h"
#include "lib/sysroot.h"
#include "lib/tar.h"
#include "lib/utc.h"
#include "measure/saved.h"
#include "names/recorded_names.h"
#include "store/past.h"
#include "store/recording.h"

enum store_kind store_kind_of(enum recorded part)
{
	static const enum store_kind kinds[] = {
		[RECORDED_DEVICES] = STORE_DEVICES,
		[RECORDED_FILESYSTEMS] = STORE_FILESYSTEMS,
		[RECORDED_MEMORY] = STORE_MEMORY,
	};

	return kinds[part];
}

/* A reading is taken for that of a moment so many intervals later. */
#define MOST_INTERVALS 6

/* Bytes of a document. */
#define MOST_SAVED (64 << 20)

/* What is read less often than the devices: the newest one so far. */
struct part {
	char *text; /* or NULL */
	struct store_time time;
	uint8_t boot[STORE_BOOT_ID];
};

static const char *const part_paths[PAST_PARTS] = {
	[PAST_FILESYSTEMS] = SAVED_FILESYSTEMS,
	[PAST_MEMORY] = SAVED_MEMORY,
};

struct search {
	struct pasts *pasts;
	struct recording_cursor cursor;
	enum store_kind kind;
	int64_t at_ms;
	int64_t until_ms; /* past_until_ms() of the recorder, by then */
	/* The newest reading so far that is not after at_ms, if it has text. */
	struct past found;
	int64_t found_boot_ms;
	uint8_t found_boot[STORE_BOOT_ID];
	struct part parts[PAST_PARTS];
	char *names; /* the newest, or NULL */
};

static void past_deinit(struct past *past)
{
	for (size_t i = 0; i < PAST_PARTS; i++)
		free(past->parts[i]);
	free(past->text);
	free(past->names);
}

static const uint8_t *boot_of(const struct search *search)
{
	return recording_identity(&search->cursor)->boot_id;
}

static int take_part(struct search *search, struct part *part)
{
	const struct store_time *time = &search->cursor.record.time;
	char *text = NULL;
	size_t size;
	int ret;

	if (time->real_ms > search->at_ms + PAST_SAME_READING_MS ||
	    (search->found.text &&
	     time->boot_ms - search->found_boot_ms > PAST_SAME_READING_MS))
		return 0;
	ret = recording_text(&search->cursor, &text, &size);
	if (ret < 0)
		return ret == -EBADMSG ? 0 : ret;
	free(part->text);
	*part = (struct part){ .text = text, .time = *time };
	memcpy(part->boot, boot_of(search), sizeof(part->boot));
	return 0;
}

/* Adds the parts that were read with the reading or, of its boot, last. */
static int add_parts(struct search *search)
{
	struct past *found = &search->found;

	for (size_t i = 0; i < PAST_PARTS; i++) {
		const struct part *part = &search->parts[i];
		int64_t age_ms = search->found_boot_ms - part->time.boot_ms;

		if (!part->text || age_ms > PAST_MOST_AGE_MS ||
		    age_ms < -PAST_SAME_READING_MS ||
		    memcmp(part->boot, search->found_boot,
			   sizeof(part->boot)) != 0)
			continue;
		found->parts[i] = strdup(part->text);
		if (!found->parts[i])
			return -ENOMEM;
		if (age_ms > PAST_SAME_READING_MS)
			found->part_ms[i] = part->time.real_ms;
	}
	return 0;
}

static int64_t most_age_ms(const struct search *search)
{
	return search->kind == STORE_DEVICES ? search->until_ms :
					       PAST_MOST_AGE_MS;
}

/* The names came with the reading, or before it. Returns 0 or -ENOMEM. */
static int emit(struct search *search)
{
	struct pasts *pasts = search->pasts;

	if (!search->found.text)
		return 0;
	if (search->kind == STORE_DEVICES && add_parts(search) < 0)
		return -ENOMEM;
	if (search->names) {
		search->found.names = strdup(search->names);
		if (!search->found.names)
			return -ENOMEM;
	}
	if (pasts->count == PASTS)
		past_deinit(&search->found);
	else
		pasts->pasts[pasts->count++] = search->found;
	search->found = (struct past){ 0 };
	return 0;
}

static int take_names(struct search *search)
{
	char *text = NULL;
	size_t size;
	int ret = recording_text(&search->cursor, &text, &size);

	if (ret < 0)
		return ret == -EBADMSG ? 0 : ret;
	free(search->names);
	search->names = text;
	return 0;
}

static int take_reading(struct search *search)
{
	const struct store_time *time = &search->cursor.record.time;
	int ret;

	/* It is newer, or the clock was set and there are two moments. */
	if (search->found.text && time->real_ms <= search->at_ms &&
	    time->real_ms >= search->found.real_ms) {
		free(search->found.text);
		search->found = (struct past){ 0 };
	}
	ret = emit(search);
	if (ret < 0 || time->real_ms > search->at_ms ||
	    search->at_ms - time->real_ms > most_age_ms(search))
		return ret;
	ret = recording_text(&search->cursor, &search->found.text,
			     &search->found.size);
	search->found.real_ms = time->real_ms;
	search->found_boot_ms = time->boot_ms;
	memcpy(search->found_boot, boot_of(search), sizeof(search->found_boot));
	return ret == -EBADMSG ? 0 : ret;
}

int64_t past_until_ms(const char *text, int64_t until_ms)
{
	static const char key[] = "\"interval_ms\":";
	const char *interval = strstr(text, key);
	int64_t interval_ms;

	if (!interval)
		return until_ms;
	return sscanf(interval + strlen(key), "%7" SCNd64, &interval_ms) == 1 ?
		       interval_ms * MOST_INTERVALS :
		       PAST_USUAL_UNTIL_MS;
}

static int take_state(struct search *search)
{
	_cleanup_(freep) char *text = NULL;
	size_t size;
	int ret = recording_text(&search->cursor, &text, &size);

	if (ret < 0)
		return ret == -EBADMSG ? 0 : ret;
	search->until_ms = past_until_ms(text, search->until_ms);
	return 0;
}

static int take_record(struct search *search)
{
	const struct segment_record *record = &search->cursor.record;

	if (!record->readable)
		return 0;
	if (record->kind == search->kind)
		return take_reading(search);
	if (record->kind == STORE_STATE)
		return take_state(search);
	if (record->kind == STORE_NAMES)
		return take_names(search);
	if (search->kind == STORE_DEVICES && record->kind == STORE_FILESYSTEMS)
		return take_part(search, &search->parts[PAST_FILESYSTEMS]);
	if (search->kind == STORE_DEVICES && record->kind == STORE_MEMORY)
		return take_part(search, &search->parts[PAST_MEMORY]);
	return 0;
}

static int find(struct search *search, const struct recording *recording)
{
	int ret;

	recording_cursor_init(&search->cursor, recording);
	while ((ret = recording_next(&search->cursor)) > 0) {
		ret = take_record(search);
		if (ret < 0)
			break;
	}
	if (!ret)
		ret = emit(search);
	recording_cursor_deinit(&search->cursor);
	past_deinit(&search->found);
	free(search->names);
	for (size_t i = 0; i < PAST_PARTS; i++)
		free(search->parts[i].text);
	return ret;
}

int pasts_find(struct pasts *pasts, const char *path, enum store_kind kind,
	       int64_t at_ms, struct patience *patience, struct error *err)
{
	struct search search = {
		.pasts = pasts,
		.kind = kind,
		.at_ms = at_ms,
		.until_ms = PAST_USUAL_UNTIL_MS,
	};
	size_t before = pasts->count;
	struct recording recording;
	int ret = recording_open(&recording, path, patience, err);

	if (!ret)
		ret = recording_load(&recording, at_ms - PAST_MOST_AGE_MS,
				     at_ms, patience, err);
	if (!ret) {
		ret = find(&search, &recording);
		if (ret < 0)
			error_errno(err, -ret, "reading a recording", path);
	}
	if (!ret && pasts->count == before)
		ret = recording_nothing(&recording, "not recorded", err);
	recording_close(&recording);
	return ret;
}

void pasts_deinit(struct pasts *pasts)
{
	for (size_t i = 0; i < pasts->count; i++)
		past_deinit(&pasts->pasts[i]);
	*pasts = (struct pasts){ 0 };
}

time_t past_now(const struct sysroot *root)
{
	struct json_in *document;
	time_t now = time(NULL);
	const char *taken_at;
	char *text;

	if (sysroot_is_live(root) ||
	    sysroot_read(root, SAVED_PATH, MOST_SAVED, &text, NULL) < 0 ||
	    json_in_open(text, &document) < 0)
		return now;
	if (json_in_string(json_in_root(document), "taken_at", &taken_at) > 0)
		utc_parse(taken_at, &now);
	json_in_close(document);
	return now;
}

/* Returns a descriptor of a file in memory, or a negative errno. */
static int pack(const struct past *past, struct error *err)
{
	_cleanup_(closep) int fd = memfd_create("bufstat-past", MFD_CLOEXEC);
	int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out) {
		int number = errno;

		closep(&copy);
		return error_errno(err, number, "reading a recording", NULL);
	}
	tar_write_file(out, SAVED_PATH, past->text, past->size);
	for (size_t i = 0; i < PAST_PARTS; i++) {
		if (past->parts[i])
			tar_write_file(out, part_paths[i], past->parts[i],
				       strlen(past->parts[i]));
	}
	if (past->names)
		tar_write_file(out, RECORDED_NAMES, past->names,
			       strlen(past->names));
	tar_write_end(out);
	if (fclose(out) != 0)
		return error_errno(err, errno, "reading a recording", NULL);
	return steal_fd(&fd);
}

int past_root(struct sysroot *root, const struct past *past, struct error *err)
{
	_cleanup_(closep) int fd = pack(past, err);
	char path[32], *name;
	int ret;

	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = sysroot_init(root, path, err);
	/* Messages name it. */
	name = ret < 0 ? NULL : strdup("the recording");
	if (name) {
		free(root->prefix);
		root->prefix = name;
	}
	root->is_recorded = true;
	return ret;
}
