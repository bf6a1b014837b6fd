// SPDX-License-Identifier: GPL-2.0-or-later
/* Any text as mountinfo: every string lies in the text and ends there. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "names/mountinfo.h"

static void require_inside(const struct mountinfo *info, size_t size,
			   const char *string)
{
	fuzz_require(string >= info->text && string <= info->text + size);
	fuzz_require(string + strlen(string) <= info->text + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct mountinfo info;
	size_t lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	fuzz_require(text);
	memcpy(text, data, size);
	text[size] = '\0';
	fuzz_require(mountinfo_parse(&info, text) == 0);
	fuzz_require(info.error == 0 && info.count <= lines);
	for (size_t i = 0; i < info.count; i++) {
		require_inside(&info, size, info.mounts[i].root);
		require_inside(&info, size, info.mounts[i].target);
		require_inside(&info, size, info.mounts[i].type);
		require_inside(&info, size, info.mounts[i].source);
	}
	mountinfo_deinit(&info);
	return 0;
}
