// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Not read with libmount: for a root called /dev/root it reads this host's
 * kernel command line, also if the table is that of a captured tree, and looks
 * for root=UUID=... in the superblocks of every block device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mountinfo.h"
#include "number.h"
#include "sysroot.h"

#define MAX_FILE (64U << 20)

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

char *mountinfo_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && from[1] <= '3' && is_octal(from[1]) &&
		    is_octal(from[2]) && is_octal(from[3])) {
			*to = (char)((from[1] - '0') * 64 +
				     (from[2] - '0') * 8 + (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
	return text;
}

static bool read_number(const char *text, struct mount *mount)
{
	uint64_t major, minor;

	if (!number_scan(&text, UINT32_MAX, &major) || *text++ != ':' ||
	    !number_parse(text, UINT32_MAX, &minor))
		return false;
	mount->major = (unsigned int)major;
	mount->minor = (unsigned int)minor;
	return true;
}

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
	if (!source || !read_number(fields[NUMBER], mount))
		return false;
	/* Only for telling whose a descriptor is: absent is no mount's. */
	if (!number_parse(fields[ID], INT64_MAX, &mount->id))
		mount->id = 0;
	mount->root = mountinfo_unescape(fields[ROOT]);
	mount->target = mountinfo_unescape(fields[TARGET]);
	mount->type = mountinfo_unescape(type);
	mount->source = mountinfo_unescape(source);
	return true;
}

static size_t count_lines(const char *text)
{
	size_t lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
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
	info->mounts = calloc(count_lines(rest), sizeof(*info->mounts));
	if (!info->mounts)
		return -ENOMEM;
	/* One line that cannot be read does not take the others with it. */
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
