// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/json_in.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/tar.h"
#include "lib/text_stream.h"
#include "store/past_names.h"

/* A device of the document; its strings are the document's. */
struct named {
	unsigned int major;
	unsigned int minor;
	const char *name; /* or NULL */
	const char *fstype; /* or NULL */
	struct string_list mountpoints;
};

typedef int named_fn(void *data, const struct named *named);

static int read_named(struct json_value from, struct named *named)
{
	const char *number;
	int ret = json_in_string(from, "maj:min", &number);

	if (ret <= 0 || !dev_number_parse(number, &named->major, &named->minor))
		return -EBADMSG;
	if (json_in_string(from, "name", &named->name) < 0)
		return -EBADMSG;
	/* Only devices have these. */
	if (!json_in_has(from, "fstype"))
		return 0;
	if (json_in_string(from, "fstype", &named->fstype) < 0)
		return -EBADMSG;
	return json_in_strings(from, "mountpoints", &named->mountpoints);
}

static int take_all(struct json_value document, const char *array,
		    named_fn *take, void *data)
{
	struct json_value item = { 0 };
	size_t count = 0;
	int ret = json_in_array(document, array, &item, &count);

	for (size_t i = 0; ret >= 0 && i < count; i++) {
		struct named named = { 0 };

		ret = read_named(item, &named);
		if (ret >= 0)
			ret = take(data, &named);
		string_list_deinit(&named.mountpoints);
		if (i + 1 < count)
			item = json_in_next(item);
	}
	return ret < 0 && ret != -EBADMSG ? ret : 0;
}

static int each(const char *text, const char *array, named_fn *take, void *data)
{
	struct json_in *document;
	char *copy = strdup(text);
	int ret = copy ? json_in_open(copy, &document) : -ENOMEM;

	if (ret < 0)
		return ret == -EBADMSG ? 0 : ret;
	ret = take_all(json_in_root(document), array, take, data);
	json_in_close(document);
	return ret;
}

/* The data of take_name(). */
struct taking {
	past_name_fn *take;
	void *data;
};

static int take_name(void *data, const struct named *named)
{
	const struct taking *taking = data;

	return taking->take(taking->data, named->major, named->minor,
			    named->name);
}

int past_names_each(const char *text, past_name_fn *take, void *data)
{
	struct taking taking = { take, data };

	return each(text, "names", take_name, &taking);
}

int past_filesystems_each(const char *text, past_name_fn *take, void *data)
{
	struct taking taking = { take, data };

	return each(text, "filesystems", take_name, &taking);
}

/* The data of pack(). */
struct packing {
	FILE *out; /* the tar file */
	FILE *mounts; /* the mount table */
};

/* As the kernel escapes what would end a field. */
static void write_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c <= ' ' || c == '\\' || c == '#')
			fprintf(out, "\\%03o", c);
		else
			fputc(c, out);
	}
}

static void write_mount(FILE *out, const struct named *named,
			const char *mountpoint)
{
	fprintf(out, "1 1 %u:%u / ", named->major, named->minor);
	write_escaped(out, mountpoint);
	fputs(" rw - ", out);
	write_escaped(out, named->fstype ? named->fstype : "none");
	fputs(" /dev/", out);
	write_escaped(out, named->name ? named->name : "unknown");
	fputs(" rw\n", out);
}

static int pack(void *data, const struct named *named)
{
	const struct packing *packing = data;
	const struct string_list *mountpoints = &named->mountpoints;
	char path[80];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/dm/name",
		 named->major, named->minor);
	if (named->name)
		tar_write_file(packing->out, path, named->name,
			       strlen(named->name));
	for (size_t i = 0; i < mountpoints->count; i++) {
		if (mountpoints->strings[i][0] == '/')
			write_mount(packing->mounts, named,
				    mountpoints->strings[i]);
	}
	return 0;
}

int past_names_pack(FILE *out, const char *text)
{
	_cleanup_(freep) char *mounts = NULL;
	size_t size = 0;
	struct packing packing = {
		.out = out,
		.mounts = text_stream_open(&mounts, &size),
	};
	int ret;

	if (!packing.mounts)
		return -ENOMEM;
	ret = each(text, "names", pack, &packing);
	if (text_stream_close(packing.mounts, &mounts) < 0)
		return -ENOMEM;
	tar_write_file(out, "/proc/self/mountinfo", mounts, size);
	tar_write_file(out, "/proc/swaps", "", 0);
	return ret;
}
