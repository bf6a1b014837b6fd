// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "names.h"
#include "names_udev.h"
#include "sysroot.h"

#define MAX_RECORD (1U << 20)

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* udev writes what is unsafe in a name of /dev/disk/by-label as \xNN. */
static void decode(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		int high, low;

		if (from[0] == '\\' && from[1] == 'x' &&
		    (high = hex_digit(from[2])) >= 0 &&
		    (low = hex_digit(from[3])) >= 0 && (high || low)) {
			*to = (char)(high * 16 + low);
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* One "E:KEY=value" line. */
static int read_property(const char *line, struct device_names *device)
{
	const struct {
		const char *key;
		char **place;
	} properties[] = {
		{ "E:ID_FS_TYPE=", &device->fstype },
		{ "E:ID_FS_LABEL_ENC=", &device->label },
		{ "E:ID_FS_UUID_ENC=", &device->uuid },
	};

	for (size_t i = 0; i < sizeof(properties) / sizeof(*properties); i++) {
		size_t length = strlen(properties[i].key);
		char **place = properties[i].place;

		if (*place || strncmp(line, properties[i].key, length) != 0 ||
		    !line[length])
			continue;
		*place = strdup(line + length);
		if (!*place)
			return -ENOMEM;
		decode(*place);
	}
	return 0;
}

int names_udev_lookup(const struct sysroot *root, unsigned int major,
		      unsigned int minor, struct device_names *device)
{
	_cleanup_(freep) char *record = NULL;
	char path[64];
	char *rest, *line;
	int ret;

	snprintf(path, sizeof(path), "/run/udev/data/b%u:%u", major, minor);
	ret = sysroot_read(root, path, MAX_RECORD, &record, NULL);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;

	rest = record;
	while ((line = strsep(&rest, "\n"))) {
		ret = read_property(line, device);
		if (ret < 0)
			return ret;
	}
	return 0;
}
