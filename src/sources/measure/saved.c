// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/lack.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/saved.h"
#include "measure/source_name.h"
#include "worker/file_text.h"
#include "worker/stuck.h"

/* Increased with every change that a reader must know about. */
#define VERSION 1
#define MAX_FILE (64U << 20)
#define MAX_ERRNO 4095 /* as in the kernel */

/* Captures of a bufstat that did not save readings all have this. */
#define OLD_CAPTURE "/bufstat/about"

static const struct saved_in {
	const char *doing;
	const char *damaged;
	const char *remedy;
} in_capture = {
	.doing = "reading a capture",
	.damaged = "its measurement is damaged",
	.remedy = "capture the host again",
}, in_sample = {
	.doing = "reading a saved sample",
	.damaged = "not JSON that bufstat wrote",
	.remedy = "save another with --save",
}, in_recording = {
	.doing = "reading a recording",
	.damaged = "a reading is not JSON that bufstat wrote",
	.remedy = "record anew in another directory",
};

static const char *const figure_keys[FIGURES] = {
	[FIGURE_PAGES] = "pages",
	[FIGURE_DIRTY] = "dirty_pages",
	[FIGURE_WRITEBACK] = "writeback_pages",
	[FIGURE_OPENERS] = "openers",
	[FIGURE_WRITE_ERROR] = "write_errno",
};

int saved_failed(const struct saved *saved, int ret, struct error *err)
{
	switch (ret) {
	case -EBADMSG:
		return error_doing(err, EBADMSG, saved->in->doing, saved->path,
				   "%s", saved->in->damaged);
	case -EPROTO:
		return error_remedy(
			err,
			error_doing(err, EPROTO, saved->in->doing, saved->path,
				    "in the form of another version of "
				    "bufstat"),
			"%s", saved->in->remedy);
	default:
		return error_errno(err, -ret, saved->in->doing, saved->path);
	}
}

int saved_end(struct saved *saved, int ret, struct error *err)
{
	if (ret < 0)
		saved_failed(saved, ret, err);
	saved_close(saved);
	return ret;
}

int saved_other_source(const struct sysroot *root, const char *source,
		       struct error *err)
{
	return lack_doing(err, LACK_SOURCE_IN_TREE, source, in_capture.doing,
			  root->prefix);
}

/* A document without a reading comes from an older bufstat or from -J. */
static int check_version(struct saved *saved)
{
	struct json_value head = json_in_root(saved->document);
	const char *program;
	uint64_t version;

	if (json_in_object(head, "reading", &saved->reading) <= 0)
		return json_in_string(head, "bufstat", &program) > 0 ? -EPROTO :
								       -EBADMSG;
	if (json_in_number(saved->reading, "version", UINT64_MAX, &version) <=
	    0)
		return -EBADMSG;
	return version == VERSION ? 0 : -EPROTO;
}

/*
 * @ret tells whether @text could be read. Takes over @text, and closes @saved
 * after an error.
 */
static int take(struct saved *saved, int ret, char *text, size_t size,
		struct error *err)
{
	if (!ret && strlen(text) != size) {
		free(text);
		ret = -EBADMSG;
	} else if (!ret) {
		ret = json_in_open(text, &saved->document);
	}
	if (!ret)
		ret = check_version(saved);
	if (ret < 0) {
		saved_failed(saved, ret, err);
		saved_close(saved);
	}
	return ret;
}

int saved_open(struct saved *saved, const struct sysroot *root,
	       struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	int ret;

	*saved = (struct saved){ .in = &in_capture, .path = root->prefix };
	if (sysroot_is_live(root))
		return 0;
	ret = sysroot_read(root, SAVED_PATH, MAX_FILE, &text, &size);
	if (ret == -ENOENT || ret == -ENOTDIR) {
		if (!sysroot_exists(root, OLD_CAPTURE))
			return 0;
		ret = -EPROTO;
	}
	ret = take(saved, ret, text, size, err);
	return ret < 0 ? ret : 1;
}

/*
 * A worker has nothing of what this process has open, such as a pipe. /run is
 * in memory.
 */
static bool is_for_this_process(const char *path)
{
	static const char *const prefixes[] = { "/dev/fd/", "/dev/stdin",
						"/proc/self/fd/", "/run/" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

int saved_open_file(struct saved *saved, const char *path, struct error *err)
{
	const struct sysroot live = { .fd = -1 };
	char object[STUCK_OBJECT];
	const struct file_text file = {
		.path = path,
		.limit = MAX_FILE,
		.object = object,
		.insists = true,
	};
	char why[ASK_WHY] = "";
	char *text = NULL;
	size_t size = 0;
	int ret;

	stuck_name_path("read", path, object);
	ret = is_for_this_process(path) ?
		      sysroot_read(&live, path, MAX_FILE, &text, &size) :
		      file_text_ask(&live, &file, &text, &size, why);
	*saved = (struct saved){ .in = &in_sample, .path = path };
	if (*why)
		return error_doing(err, ETIMEDOUT, in_sample.doing, path, "%s",
				   why);
	ret = take(saved, ret, text, size, err);
	return ret != -ENOENT ?
		       ret :
		       error_remedy(err, ret,
				    "--save makes one; bufstat history "
				    "--from TIME is for times");
}

int saved_open_recorded(struct saved *saved, char *text, size_t size,
			const char *path, struct error *err)
{
	*saved = (struct saved){ .in = &in_recording, .path = path };
	return take(saved, 0, text, size, err);
}

void saved_close(struct saved *saved)
{
	json_in_close(saved->document);
	*saved = (struct saved){ 0 };
}

int saved_read_page_size(struct json_value object, uint64_t *page_size)
{
	return json_in_number(object, "page_size_bytes", UINT64_MAX,
			      page_size) <= 0 ||
			       !page_size_is_sound(*page_size) ?
		       -EBADMSG :
		       1;
}

int saved_read_totals(struct json_value object, struct snapshot *snapshot)
{
	bool settled;

	if (saved_read_page_size(object, &snapshot->page_size) < 0 ||
	    json_in_bool(object, "settled", &settled) <= 0)
		return -EBADMSG;
	snapshot->unsettled = !settled;
	return 1;
}

static int read_figures(struct json_value row, struct sample *sample,
			enum figure last, uint64_t page_size)
{
	for (unsigned int i = 0; i <= last; i++) {
		uint64_t max = i == FIGURE_WRITE_ERROR ? MAX_ERRNO :
							 INT64_MAX / page_size;
		uint64_t figure;
		int ret = json_in_number(row, figure_keys[i], max, &figure);

		if (ret < 0)
			return ret;
		if (ret)
			sample_set(sample, i, figure);
	}
	return 1;
}

int saved_read_sample(struct json_value row, struct snapshot *snapshot,
		      enum figure last)
{
	struct sample *sample;
	unsigned int major, minor;
	const char *number;
	int ret = json_in_string(row, "maj:min", &number);

	if (ret <= 0 || !dev_number_parse(number, &major, &minor))
		return ret == -ENOMEM ? ret : -EBADMSG;
	sample = snapshot_add(snapshot, major, minor);
	if (!sample)
		return -ENOMEM;
	ret = read_figures(row, sample, last, snapshot->page_size);
	if (ret > 0)
		ret = json_in_copy(row, "refused", &sample->refused);
	if (ret > 0 && sample->present)
		ret = -EBADMSG;
	return ret < 0 ? ret : 1;
}

/* The snapshot's source must be a static name, not a copy. */
static int read_source(struct json_value devices, struct snapshot *snapshot)
{
	const char *name;
	int ret = json_in_string(devices, "source", &name);

	if (ret <= 0)
		return ret < 0 ? ret : -EBADMSG;
	snapshot->source = source_name_find(name);
	return snapshot->source ? 1 : -EBADMSG;
}

static int read_rows(struct json_value devices, struct snapshot *snapshot)
{
	struct json_value row;
	size_t count = 0;
	int ret = json_in_array(devices, "rows", &row, &count);

	if (!ret)
		return -EBADMSG;
	for (size_t i = 0; ret >= 0 && i < count; i++) {
		ret = saved_read_sample(row, snapshot, FIGURE_WRITE_ERROR);
		if (ret > 0)
			ret = json_in_copy(row, "kname",
					   &snapshot->devices[i].kname);
		row = json_in_next(row);
	}
	return ret < 0 ? ret : 1;
}

int saved_read_snapshot(const struct saved *saved, struct snapshot *snapshot)
{
	struct json_value devices;
	int ret = json_in_object(saved->reading, "devices", &devices);

	if (ret <= 0)
		return ret;
	ret = read_source(devices, snapshot);
	if (ret > 0)
		ret = saved_read_totals(devices, snapshot);
	if (ret > 0 && json_in_bool(devices, "lists_all_pages",
				    &snapshot->lists_all_pages) <= 0)
		ret = -EBADMSG;
	if (ret > 0)
		ret = json_in_copy(devices, "failed_source",
				   &snapshot->failed_source);
	return ret < 0 ? ret : read_rows(devices, snapshot);
}

void saved_begin(struct json_out *json)
{
	json->keeps_bytes = true;
	json_out_object(json, "reading");
	json_out_unsigned(json, "version", VERSION);
}

void saved_write_totals(struct json_out *json, const struct snapshot *snapshot)
{
	json_out_unsigned(json, "page_size_bytes", snapshot->page_size);
	json_out_bool(json, "settled", !snapshot->unsettled);
}

void saved_write_sample(struct json_out *json, const struct sample *sample,
			enum figure last)
{
	char number[24];

	snprintf(number, sizeof(number), "%u:%u", sample->major, sample->minor);
	json_out_string(json, "maj:min", number);
	for (unsigned int i = 0; i <= last; i++) {
		json_out_unsigned_if(json, figure_keys[i],
				     sample_has(sample, i), sample->figures[i]);
	}
	json_out_string(json, "refused", sample->refused);
}

void saved_write_snapshot(struct json_out *json,
			  const struct snapshot *snapshot)
{
	json_out_object(json, "devices");
	json_out_string(json, "source", snapshot->source);
	saved_write_totals(json, snapshot);
	json_out_bool(json, "lists_all_pages", snapshot->lists_all_pages);
	json_out_string(json, "failed_source", snapshot->failed_source);
	json_out_array(json, "rows");
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct sample *sample = &snapshot->devices[i];

		json_out_object(json, NULL);
		saved_write_sample(json, sample, FIGURE_WRITE_ERROR);
		json_out_string(json, "kname", sample->kname);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	json_out_object_end(json);
}
