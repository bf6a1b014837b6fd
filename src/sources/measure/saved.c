// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "fields/fields.h"
#include "lib/json_out.h"
#include "lib/lack.h"
#include "lib/sysroot.h"
#include "measure/saved.h"
#include "worker/file_text.h"
#include "worker/stuck.h"

/* Increased with every change that a reader must know about. */
#define VERSION 1
#define MAX_FILE (64U << 20)

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

const char *const saved_figures[FIGURES] = {
	[FIGURE_PAGES] = "pages",
	[FIGURE_DIRTY] = "dirty_pages",
	[FIGURE_WRITEBACK] = "writeback_pages",
	[FIGURE_OPENERS] = "openers",
	[FIGURE_WRITE_ERROR] = "write_errno",
};

const struct field saved_sample_fields[SAVED_SAMPLE_FIELDS] = {
	{ FIELD_DEVICE(struct sample, major, "maj:min") },
	{ FIELD_COUNTS_OR_NULL(struct sample, figures, present, saved_figures,
			       FIGURES, INT64_MAX) },
	{ FIELD_STRING(struct sample, refused, "refused", SAYS_MESSAGE),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STRING(struct sample, kname, "kname", SAYS_WORD),
	  .known = KNOWN_NOT_ZERO },
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
	return saved_open_part(saved, root, SAVED_PATH, err);
}

int saved_open_part(struct saved *saved, const struct sysroot *root,
		    const char *path, struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	int ret;

	*saved = (struct saved){ .in = &in_capture, .path = root->prefix };
	if (sysroot_is_live(root))
		return 0;
	ret = sysroot_read(root, path, MAX_FILE, &text, &size);
	if (ret == -ENOENT && strcmp(path, SAVED_PATH) != 0)
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

bool saved_sample_is_sound(const struct sample *sample, uint64_t page_size)
{
	for (enum figure i = 0; i < FIGURES; i++) {
		if (sample->figures[i] > (i == FIGURE_WRITE_ERROR ?
						  MAX_ERRNO :
						  INT64_MAX / page_size))
			return false;
	}
	return !sample->refused || !sample->present;
}

void saved_begin(struct json_out *json)
{
	json->keeps_bytes = true;
	json_out_object(json, "reading");
	json_out_unsigned(json, "version", VERSION);
}
