// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/sentence.h"
#include "lib/tar.h"
#include "store/documents.h"
#include "store/past_names.h"

/* As the kernel escapes what would end a field. */
static void say_escaped(struct sentence *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		say(out, c <= ' ' || c == '\\' || c == '#' ? "\\%03o" : "%c",
		    c);
	}
}

static void say_mount(struct sentence *out, const struct store_name *named,
		      const char *mountpoint)
{
	say(out, "1 1 %u:%u / ", named->major, named->minor);
	say_escaped(out, mountpoint);
	say(out, " rw - ");
	say_escaped(out, named->fstype ?: "none");
	say(out, " /dev/");
	say_escaped(out, named->name ?: "unknown");
	say(out, " rw\n");
}

static void pack_device(FILE *out, struct sentence *mounts,
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
			say_mount(mounts, device, mountpoint);
	}
}

int past_names_pack(FILE *out, const char *text)
{
	_cleanup_(freep) char *mounts = NULL;
	struct store_names names = { 0 };
	struct sentence file;
	int ret = store_document_read(text, &store_names_fields, &names);

	sentence_begin(&file);
	/* A damaged document has no names. */
	for (size_t i = 0; !ret && i < names.device_count; i++)
		pack_device(out, &file, &names.devices[i]);
	fields_release(&store_names_fields, &names);
	if (sentence_end(&file, &mounts) < 0 || ret == -ENOMEM)
		return -ENOMEM;
	tar_write_file(out, "/proc/self/mountinfo", mounts, file.size);
	tar_write_file(out, "/proc/swaps", "", 0);
	return 0;
}
