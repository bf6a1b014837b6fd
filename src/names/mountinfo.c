// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libmount is not used. For a root called /dev/root, it reads this host's
 * kernel command line, even if the table is a captured tree's, and looks for
 * root=UUID=... in the superblock of every block device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "names/mountinfo.h"

#define MAX_FILE (64U << 20)

/* ID parent MAJOR:MINOR ROOT TARGET options [tag...] - TYPE SOURCE options */
static bool read_mount(char *line, struct mount *mount)
{
	enum { ID = 0, NUMBER = 2, ROOT = 3, TARGET = 4, FIXED = 6 };
	char *fields[FIXED];
	char *type, *source;
	const char *tag;

	for (int i = 0; i < FIXED; i++) {
		fields[i] = strsep(&line, " ");
		if (!fields[i])
			return false;
	}
	while ((tag = strsep(&line, " ")) && strcmp(tag, "-") != 0)
		;
	type = strsep(&line, " ");
	source = strsep(&line, " ");
	if (!source ||
	    !dev_number_parse(fields[NUMBER], &mount->major, &mount->minor))
		return false;
	/* The id only says which mount a descriptor is on; 0 matches none. */
	if (!number_parse(fields[ID], INT64_MAX, &mount->id))
		mount->id = 0;
	/* Spaces, newlines and backslashes are escaped. */
	octal_unescape(fields[ROOT]);
	octal_unescape(fields[TARGET]);
	octal_unescape(type);
	octal_unescape(source);
	mount->root = fields[ROOT];
	mount->target = fields[TARGET];
	mount->type = type;
	mount->source = source;
	return true;
}

int mountinfo_init(struct mountinfo *info, const struct sysroot *root,
		   const char *path)
{
	char *rest, *line;

	*info = (struct mountinfo){ 0 };
	info->error = sysroot_read(root, path, MAX_FILE, &info->text, NULL);
	if (info->error < 0)
		info->text = strdup("");
	if (!info->text)
		return -ENOMEM;
	rest = info->text;
	info->mounts = calloc(lines_count(rest), sizeof(*info->mounts));
	if (!info->mounts)
		return -ENOMEM;
	/* Skip lines that cannot be parsed. */
	while ((line = strsep(&rest, "\n")))
		info->count += read_mount(line, &info->mounts[info->count]);
	return 0;
}

void mountinfo_deinit(struct mountinfo *info)
{
	free(info->mounts);
	free(info->text);
	*info = (struct mountinfo){ 0 };
}
