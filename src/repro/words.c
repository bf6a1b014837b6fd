// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "string_list.h"
#include "text_stream.h"
#include "words.h"

static const struct word *name_at(const char *text, const struct word *words)
{
	for (; words->name; words++) {
		if (strncmp(text, words->name, strlen(words->name)) == 0)
			return words;
	}
	return NULL;
}

static int add_filled(const char *text, size_t length, const struct word *words,
		      struct string_list *list)
{
	_cleanup_(freep) char *filled = NULL;
	const char *end = text + length;
	size_t size;
	FILE *out = open_memstream(&filled, &size);

	if (!out)
		return -ENOMEM;
	while (text < end) {
		const struct word *word = name_at(text, words);

		if (word) {
			fputs(word->value, out);
			text += strlen(word->name);
		} else {
			putc(*text++, out);
		}
	}
	if (text_stream_close(out, &filled) < 0)
		return -ENOMEM;
	return string_list_add(list, filled);
}

int words_fill(const char *line, const struct word *words,
	       struct string_list *list)
{
	int ret = 0;

	while (!ret && *line) {
		size_t length = strcspn(line, " ");

		ret = add_filled(line, length, words, list);
		line += length;
		line += *line == ' ';
	}
	return ret;
}
