// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/string_list.h"
#include "lib/tar.h"
#include "lib/text_stream.h"
#include "store/documents.h"
#include "store/past_names.h"

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

static void pack_device(FILE *out, FILE *mounts,
			const struct store_name *device)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/dm/name",
		 device->major, device->minor);
	if (device->name)
		tar_write_file(out, path, device->name, strlen(device->name));
	for (size_t i = 0; i < device->mountpoints.count; i++) {
		const char *mountpoint = device->mountpoints.strings[i];

		if (*mountpoint == '/')
			write_mount(mounts, device, mountpoint);
	}
}

int past_names_pack(FILE *out, const char *text)
{
	_cleanup_(freep) char *mounts = NULL;
	struct store_names names = { 0 };
	size_t size = 0;
	int ret = store_document_read(text, &store_names_fields, &names);
	FILE *file = text_stream_open(&mounts, &size);

	/* A damaged document has no names. */
	for (size_t i = 0; file && !ret && i < names.device_count; i++)
		pack_device(out, file, &names.devices[i]);
	fields_release(&store_names_fields, &names);
	if (!file || text_stream_close(file, &mounts) < 0 || ret == -ENOMEM)
		return -ENOMEM;
	tar_write_file(out, "/proc/self/mountinfo", mounts, size);
	tar_write_file(out, "/proc/swaps", "", 0);
	return 0;
}
