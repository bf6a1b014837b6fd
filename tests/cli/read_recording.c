// SPDX-License-Identifier: GPL-2.0-or-later
/* read_recording FILE: prints the documents of a recording as write_recording
 * reads them. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/error.h"
#include "store/recording.h"

int main(int count, char **words)
{
	struct recording recording;
	struct recording_cursor cursor;
	struct error error;
	int ret;

	if (count != 2)
		errx(1, "usage: read_recording FILE");
	if (recording_open(&recording, words[1], NULL, &error) < 0 ||
	    recording_load(&recording, INT64_MIN, INT64_MAX, NULL, &error) < 0)
		errx(1, "%s: it cannot be read", words[1]);
	recording_cursor_init(&cursor, &recording);
	while ((ret = recording_next(&cursor)) > 0) {
		char *text;
		size_t size;

		if (!cursor.record.readable)
			continue;
		if (recording_text(&cursor, &text, &size) < 0)
			errx(1, "%s: a document cannot be read", words[1]);
		printf("%" PRId64 " %d %s\n", cursor.record.time.real_ms / 1000,
		       cursor.record.kind, text);
		free(text);
	}
	if (ret < 0)
		errx(1, "%s: not all of it can be read", words[1]);
	recording_cursor_deinit(&cursor);
	recording_close(&recording);
	return 0;
}
