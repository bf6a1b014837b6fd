// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libmount is not used. For a root called /dev/root, it reads this host's
 * kernel command line, even if the table is a captured tree's, and looks for
 * root=UUID=... in the superblock of every block device.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "names/mountinfo.h"
#include "worker/file_text.h"

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
	mount->options = line ?: "";
	return true;
}

static enum mountinfo_field field_of(const struct mountinfo_word *word)
{
	if (word->number >= 4 && word->number <= 6)
		return MOUNTINFO_ROOT + (word->number - 4);
	if (word->after == 3 || word->after == 4)
		return MOUNTINFO_SOURCE + (word->after - 3);
	return MOUNTINFO_OTHER;
}

bool mountinfo_next(struct mountinfo_word *word)
{
	if (word->end == '\n')
		word->number = word->after = 0;
	word->text = word->next;
	word->length = strcspn(word->text, " \n");
	word->end = word->text[word->length];
	word->next += word->length + (word->end != '\0');
	word->number++;
	if (word->after ||
	    (word->number > 6 && word->length == 1 && *word->text == '-'))
		word->after++;
	word->field = field_of(word);
	return word->next > word->text;
}

/* Each that is mounted has a directory there (btrfs: Linux 3.14). */
static bool has_filesystems(const struct sysroot *root, const char *directory)
{
	_cleanup_(closedirp) DIR *dir = sysroot_opendir(root, directory);
	const char *name;

	while (dir && sysroot_next_name(dir, &name) > 0) {
		if (strcmp(name, "features") != 0)
			return true;
	}
	return false;
}

/*
 * Whether a filesystem may be mounted that waits for its disk before it tells
 * its options: btrfs_show_options() looks up a name in the tree of roots, whose
 * blocks may be locked or evicted, and bch2_show_options() takes a lock that a
 * change of devices holds.
 */
static bool may_wait(const struct sysroot *root)
{
	return has_filesystems(root, "/sys/fs/btrfs") ||
	       has_filesystems(root, "/sys/fs/bcachefs") ||
	       !sysroot_exists(root, "/sys/fs");
}

/* All namespaces may have the mount that does not answer. */
static int read_text(struct mountinfo *info, const struct sysroot *root,
		     const char *path)
{
	const struct file_text file = {
		.path = path,
		.limit = MAX_FILE,
		.object = "mountinfo",
		.is_common = true,
	};
	char why[ASK_WHY];

	if (!sysroot_is_live(root) || !may_wait(root))
		return sysroot_read(root, path, MAX_FILE, &info->text, NULL);
	return file_text_ask(root, &file, &info->text, NULL, why);
}

bool mount_is_below_sys(const struct mount *mount)
{
	return strncmp(mount->target, "/sys/", strlen("/sys/")) == 0;
}

static int parse(struct mountinfo *info)
{
	char *rest = info->text, *line;

	info->mounts = calloc(lines_count(rest), sizeof(*info->mounts));
	if (!info->mounts)
		return -ENOMEM;
	/* Skip lines that cannot be parsed. */
	while ((line = strsep(&rest, "\n")))
		info->count += read_mount(line, &info->mounts[info->count]);
	return 0;
}

/* @at has room for the name of what is mounted. Returns what is after it. */
static char *add_recorded(struct mountinfo *info, char *at,
			  const struct recorded_name *device)
{
	for (size_t i = 0; i < device->mountpoints.count; i++) {
		const char *target = device->mountpoints.strings[i];

		if (*target == '/')
			info->mounts[info->count++] = (struct mount){
				.major = device->major,
				.minor = device->minor,
				.root = "/",
				.target = target,
				.type = device->fstype ?: "none",
				.source = at,
				.options = "",
			};
	}
	return at + sprintf(at, "/dev/%s", device->name ?: "unknown") + 1;
}

static int take_recorded(struct mountinfo *info, const struct sysroot *root)
{
	const struct recorded_names *names = &info->recorded;
	size_t count = 0, room = 1;
	char *at;

	info->error = recorded_names_read(&info->recorded, root);
	for (size_t i = 0; i < names->device_count; i++) {
		count += names->devices[i].mountpoints.count;
		room += sizeof("/dev/unknown") +
			strlen(names->devices[i].name ?: "");
	}
	info->mounts = calloc(count + 1, sizeof(*info->mounts));
	at = info->text = malloc(room);
	if (info->error == -ENOMEM || !info->mounts || !at)
		return -ENOMEM;
	for (size_t i = 0; i < names->device_count; i++)
		at = add_recorded(info, at, &names->devices[i]);
	return 0;
}

int mountinfo_init(struct mountinfo *info, const struct sysroot *root,
		   const char *path)
{
	int error;

	*info = (struct mountinfo){ 0 };
	if (root->is_recorded)
		return take_recorded(info, root);
	error = read_text(info, root, path);
	if (error < 0)
		info->text = strdup("");
	if (!info->text)
		return -ENOMEM;
	info->error = error;
	return parse(info);
}

int mountinfo_parse(struct mountinfo *info, char *text)
{
	*info = (struct mountinfo){ 0 };
	info->text = text;
	return parse(info);
}

void mountinfo_deinit(struct mountinfo *info)
{
	free(info->mounts);
	free(info->text);
	recorded_names_deinit(&info->recorded);
	*info = (struct mountinfo){ 0 };
}
