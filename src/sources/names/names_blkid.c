// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file has a line for each device:
 *	<device DEVNO="0x0801" LABEL="a \"b\"" TYPE="ext4">/dev/sda1</device>
 *
 * libblkid is not used. It drops every device without a node in this host's
 * /dev, so a captured tree would lose its own, and its functions that take a
 * device's name verify the answer by reading superblocks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "names/device_names.h"
#include "names/names_blkid.h"
#include "names/node_index.h"

#define CACHE_FILE "/run/blkid/blkid.tab"
#define MAX_FILE (16U << 20)

/* All point into the file's text. A tag that the line lacks is NULL. */
struct entry {
	const char *node;
	const char *fstype;
	const char *label;
	const char *uuid;
};

struct blkid_file {
	char *text;
	struct entry *entries;
	size_t count;
	struct node_index nodes;
};

/* Parses one KEY="value" after spaces and moves @place past it. */
static bool take_tag(char **place, char **key, char **value)
{
	static const char key_bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	char *from, *to;

	*key = *place + strspn(*place, " ");
	from = *key + strspn(*key, key_bytes);
	if (from == *key || strncmp(from, "=\"", 2) != 0)
		return false;
	*from = '\0';
	*value = to = from += 2;
	while (*from && *from != '"') {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from++;
	}
	if (!*from)
		return false;
	*place = from + 1;
	*to = '\0';
	return true;
}

static bool read_line(char *line, struct entry *entry)
{
	static const char start[] = "<device";
	char *key, *value, *end;

	*entry = (struct entry){ 0 };
	if (strncmp(line, start, sizeof(start) - 1) != 0)
		return false;
	line += sizeof(start) - 1;
	while (take_tag(&line, &key, &value)) {
		if (strcmp(key, "TYPE") == 0)
			entry->fstype = value;
		else if (strcmp(key, "LABEL") == 0)
			entry->label = value;
		else if (strcmp(key, "UUID") == 0)
			entry->uuid = value;
	}
	if (*line++ != '>')
		return false;
	end = strstr(line, "</device>");
	if (!end)
		return false;
	*end = '\0';
	entry->node = line;
	return true;
}

/* Skips lines that cannot be parsed. */
static int read_lines(struct blkid_file *file)
{
	char *rest = file->text;
	size_t lines = 1;
	char *line;

	for (const char *c = file->text; *c; c++)
		lines += *c == '\n';
	file->entries = calloc(lines, sizeof(*file->entries));
	if (!file->entries || node_index_init(&file->nodes, lines) < 0)
		return -ENOMEM;
	while ((line = strsep(&rest, "\n"))) {
		struct entry *entry = &file->entries[file->count];

		if (read_line(line, entry))
			node_index_add(&file->nodes, entry->node,
				       file->count++);
	}
	node_index_sort(&file->nodes);
	return 0;
}

struct blkid_file *names_blkid_open(const struct sysroot *root)
{
	struct blkid_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	if (sysroot_read(root, CACHE_FILE, MAX_FILE, &file->text, NULL) < 0 ||
	    read_lines(file) < 0) {
		names_blkid_close(file);
		return NULL;
	}
	return file;
}

void names_blkid_close(struct blkid_file *file)
{
	if (!file)
		return;
	node_index_deinit(&file->nodes);
	free(file->entries);
	free(file->text);
	free(file);
}

static int fill_in(char **place, const char *value)
{
	if (*place || !value)
		return 0;
	*place = strdup(value);
	return *place ? 0 : -ENOMEM;
}

struct lookup {
	const struct blkid_file *file;
	struct device_names *device;
};

static int take_entry(void *data, size_t line)
{
	const struct lookup *lookup = data;
	const struct entry *entry = &lookup->file->entries[line];
	struct device_names *device = lookup->device;
	int ret = fill_in(&device->fstype, entry->fstype);

	if (!ret)
		ret = fill_in(&device->label, entry->label);
	return ret ?: fill_in(&device->uuid, entry->uuid);
}

int names_blkid_lookup(const struct blkid_file *file,
		       struct device_names *device)
{
	struct lookup lookup = { file, device };

	return node_index_find(&file->nodes, device, take_entry, &lookup);
}
