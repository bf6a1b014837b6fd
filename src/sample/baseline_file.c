// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "baseline_file.h"
#include "cleanup.h"
#include "error.h"
#include "history.h"
#include "library.h"
#include "number.h"
#include "snapshot.h"
#include "sysroot.h"

#define LIBJSON "libjson-c.so.5"
#define MAX_FILE (64U << 20)

/* The functions of json-c that are used here. */
struct json {
	void *library;
	__typeof__(json_tokener_parse) *parse;
	__typeof__(json_object_put) *put;
	__typeof__(json_object_object_get_ex) *get;
	__typeof__(json_object_get_type) *type;
	__typeof__(json_object_get_int64) *number;
	__typeof__(json_object_get_string) *string;
	__typeof__(json_object_get_boolean) *boolean;
	__typeof__(json_object_array_length) *length;
	__typeof__(json_object_array_get_idx) *element;
};

static int open_json(struct json *json, struct error *err)
{
	const struct library_symbol symbols[] = {
		{ "json_tokener_parse", &json->parse },
		{ "json_object_put", &json->put },
		{ "json_object_object_get_ex", &json->get },
		{ "json_object_get_type", &json->type },
		{ "json_object_get_int64", &json->number },
		{ "json_object_get_string", &json->string },
		{ "json_object_get_boolean", &json->boolean },
		{ "json_object_array_length", &json->length },
		{ "json_object_array_get_idx", &json->element },
	};

	return library_open(LIBJSON, "libjson-c5 or json-c", symbols,
			    sizeof(symbols) / sizeof(*symbols), &json->library,
			    err);
}

/* The member of this type, or NULL. */
static struct json_object *member(const struct json *json,
				  struct json_object *object, const char *key,
				  enum json_type type)
{
	struct json_object *value = NULL;

	if (json->type(object) != json_type_object ||
	    !json->get(object, key, &value) || json->type(value) != type)
		return NULL;
	return value;
}

static bool read_number(const char *text, unsigned int *major,
			unsigned int *minor)
{
	uint64_t numbers[2];

	if (!number_scan(&text, UINT32_MAX, &numbers[0]) || *text++ != ':' ||
	    !number_parse(text, UINT32_MAX, &numbers[1]))
		return false;
	*major = (unsigned int)numbers[0];
	*minor = (unsigned int)numbers[1];
	return true;
}

static int read_device(const struct json *json, struct json_object *device,
		       struct snapshot *snapshot)
{
	struct json_object *number =
		member(json, device, "maj:min", json_type_string);
	struct json_object *pages =
		member(json, device, "pages", json_type_int);
	struct json_object *kname =
		member(json, device, "kname", json_type_string);
	unsigned int major, minor;
	struct device_sample *sample;

	if (!number || !read_number(json->string(number), &major, &minor))
		return -EBADMSG;
	sample = snapshot_add(snapshot, major, minor);
	if (!sample)
		return -ENOMEM;
	if (pages && json->number(pages) >= 0)
		sample_set(sample, FIGURE_PAGES, (uint64_t)json->number(pages));
	if (kname)
		sample->kname = strdup(json->string(kname));
	return 0;
}

static int read_document(const struct json *json, struct json_object *root,
			 const char *rows, struct snapshot *snapshot)
{
	struct json_object *devices = member(json, root, rows, json_type_array);
	struct json_object *all =
		member(json, root, "lists_all_pages", json_type_boolean);
	struct json_object *size =
		member(json, root, "page_size_bytes", json_type_int);
	int ret = 0;

	if (!devices || !size || json->number(size) <= 0)
		return -EBADMSG;
	snapshot->page_size = (uint64_t)json->number(size);
	snapshot->lists_all_pages = all && json->boolean(all);
	for (size_t i = 0; !ret && i < json->length(devices); i++)
		ret = read_device(json, json->element(devices, i), snapshot);
	return ret;
}

/* Without Buffers there is none. */
static void read_rest(const struct json *json, struct json_object *root,
		      struct baseline *baseline)
{
	struct json_object *rest =
		member(json, root, "unattributed_bytes", json_type_int);

	if (!rest)
		return;
	baseline->has_rest = true;
	baseline->rest_pages =
		json->number(rest) / (int64_t)baseline->page_size;
}

static int read_text(const struct json *json, const char *text,
		     const char *rows, struct baseline *baseline)
{
	struct json_object *root = json->parse(text);
	struct snapshot snapshot = { 0 };
	int ret;

	if (!root)
		return -EBADMSG;
	ret = read_document(json, root, rows, &snapshot);
	if (!ret)
		ret = baseline_take(baseline, &snapshot);
	if (!ret)
		read_rest(json, root, baseline);
	snapshot_deinit(&snapshot);
	json->put(root);
	return ret;
}

int baseline_read(struct baseline *baseline, const char *path, const char *rows,
		  struct error *err)
{
	const struct sysroot live = { .fd = -1 };
	_cleanup_(freep) char *text = NULL;
	struct json json = { 0 };
	int ret;

	ret = sysroot_read(&live, path, MAX_FILE, &text, NULL);
	if (ret < 0)
		return error_errno(err, -ret, "reading a saved sample", path);
	ret = open_json(&json, err);
	if (ret < 0)
		return ret;
	ret = read_text(&json, text, rows, baseline);
	dlclose(json.library);
	if (ret == -EBADMSG)
		return error_set(err, EBADMSG,
				 "reading a saved sample: %s: not JSON that "
				 "bufstat wrote",
				 path);
	if (ret < 0)
		return error_errno(err, -ret, "reading a saved sample", path);
	return 0;
}
