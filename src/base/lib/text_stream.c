// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text_stream.h"

struct sink {
	char **text;
	size_t *size;
	size_t capacity;
};

/* Returns 0 if memory runs out; the stream is then in error for good. */
static ssize_t put(void *cookie, const char *data, size_t size)
{
	struct sink *sink = cookie;
	size_t needed = *sink->size + size + 1;

	if (needed > sink->capacity) {
		size_t capacity = needed * 2;
		char *moved = realloc(*sink->text, capacity);

		if (!moved)
			return 0;
		*sink->text = moved;
		sink->capacity = capacity;
	}
	memcpy(*sink->text + *sink->size, data, size);
	*sink->size += size;
	(*sink->text)[*sink->size] = '\0';
	return (ssize_t)size;
}

static int destroy(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *text_stream_open(char **text, size_t *size)
{
	const cookie_io_functions_t functions = { .write = put,
						  .close = destroy };
	struct sink *sink = calloc(1, sizeof(*sink));
	FILE *out = NULL;

	*text = calloc(1, 1);
	*size = 0;
	if (sink && *text) {
		*sink = (struct sink){ text, size, 1 };
		out = fopencookie(sink, "w", functions);
	}
	if (!out) {
		free(sink);
		free(*text);
		*text = NULL;
	}
	return out;
}

int text_stream_close(FILE *out, char **text)
{
	/* fclose() may succeed after a failed write, and may leave no text. */
	bool failed = fflush(out) != 0 || ferror(out);

	if (fclose(out) == 0 && !failed && *text)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}
