// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "capture/capture_filter.h"
#include "names/mountinfo.h"

/* Copies text to *@to, which may overlap it, and advances *@to. */
static void put(char **to, const char *text, size_t length)
{
	memmove(*to, text, length);
	*to += length;
}

static bool is_access(const char *option, size_t length)
{
	return length == 2 &&
	       (memcmp(option, "rw", 2) == 0 || memcmp(option, "ro", 2) == 0);
}

/* Keeps the "ro" of "ro,user=me". Every list begins with ro or rw. */
static void put_access(char **to, const char *options, size_t length)
{
	size_t first = strcspn(options, ", \n");

	if (first > length)
		first = length;
	if (is_access(options, first))
		put(to, options, first);
	else
		put(to, "-", 1);
}

/* Whether a source is neither a device nor a mere word like tmpfs. */
static bool may_name_host(const char *source, size_t length)
{
	if (length > 5 && memcmp(source, "/dev/", 5) == 0)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (strchr("/:@\\ \t\n", source[i]))
			return true;
	}
	return false;
}

void capture_filter_source(char *source)
{
	if (may_name_host(source, strlen(source)))
		strcpy(source, "-");
}

static void put_source(char **to, const char *source, size_t length)
{
	if (may_name_host(source, length))
		put(to, "-", 1);
	else
		put(to, source, length);
}

void capture_filter_mountinfo(char *text)
{
	struct mountinfo_word word = { .next = text };
	char *to = text;

	while (mountinfo_next(&word)) {
		if (word.field == MOUNTINFO_OPTIONS ||
		    word.field == MOUNTINFO_OWN_OPTIONS)
			put_access(&to, word.text, word.length);
		else if (word.field == MOUNTINFO_SOURCE)
			put_source(&to, word.text, word.length);
		else
			put(&to, word.text, word.length);
		if (word.end)
			*to++ = word.end;
	}
	*to = '\0';
}

void capture_filter_udev(char *text)
{
	static const char *const kept[] = {
		"E:DM_NAME=",
		"E:ID_FS_TYPE=",
		"E:ID_FS_LABEL",
		"E:ID_FS_UUID",
		"E:ID_PART_ENTRY_NAME=",
		"E:ID_PART_ENTRY_UUID=",
	};
	const char *from = text;
	char *to = text;

	while (*from) {
		size_t length = strcspn(from, "\n");

		length += from[length] == '\n';
		for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
			if (strncmp(from, kept[i], strlen(kept[i])) != 0)
				continue;
			put(&to, from, length);
			break;
		}
		from += length;
	}
	*to = '\0';
}
