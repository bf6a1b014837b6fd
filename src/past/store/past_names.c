// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/string_list.h"
#include "lib/tar.h"
#include "lib/text_stream.h"
#include "store/documents.h"
#include "store/past_names.h"

static int take_all(const struct store_name *names, size_t count,
		    past_name_fn *take, void *data)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++)
		ret = take(data, &names[i]);
	return ret;
}

int past_names_each(const char *text, past_name_fn *take_device,
		    past_name_fn *take_filesystem, void *data)
{
	struct store_names names = { 0 };
	int ret = store_document_read(text, &store_names_fields, &names);

	if (!ret)
		ret = take_all(names.devices, names.device_count, take_device,
			       data);
	if (!ret && take_filesystem)
		ret = take_all(names.filesystems, names.filesystem_count,
			       take_filesystem, data);
	fields_release(&store_names_fields, &names);
	return ret == -EBADMSG ? 0 : ret;
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

static void write_mount(FILE *out, const struct store_name *named,
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

static int pack(void *data, const struct store_name *named)
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
	ret = past_names_each(text, pack, NULL, &packing);
	if (text_stream_close(packing.mounts, &mounts) < 0)
		return -ENOMEM;
	tar_write_file(out, "/proc/self/mountinfo", mounts, size);
	tar_write_file(out, "/proc/swaps", "", 0);
	return ret;
}
