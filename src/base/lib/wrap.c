// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/terminal.h"
#include "lib/utf8.h"
#include "lib/wrap.h"

static unsigned int word_width(const char *word, size_t size)
{
	size_t width = 0;

	for (;;) {
		const char *space = memchr(word, WRAP_HARD_SPACE, size);
		size_t length = space ? (size_t)(space - word) : size;

		width += text_width(word, length);
		if (!space)
			return (unsigned int)width;
		width++;
		word += length + 1;
		size -= length + 1;
	}
}

static void put_word(FILE *out, const char *word, size_t size)
{
	for (size_t i = 0; i < size; i++)
		putc(word[i] == WRAP_HARD_SPACE ? ' ' : word[i], out);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n';
}

void wrap_print(FILE *out, const char *text, size_t size,
		const struct wrap *wrap)
{
	const char *word = text, *end = text + size;
	unsigned int column = wrap->indent;
	bool first = true;

	for (;;) {
		unsigned int columns;
		size_t length = 0;

		while (word < end && is_space(*word))
			word++;
		while (word + length < end && !is_space(word[length]))
			length++;
		if (!length)
			break;

		columns = word_width(word, length);
		if (first) {
			fprintf(out, "%*s", (int)wrap->indent, "");
		} else if (column + 1 + columns > wrap->width) {
			column = wrap->hanging;
			fprintf(out, "\n%*s", (int)wrap->hanging, "");
		} else {
			column++;
			putc(' ', out);
		}
		put_word(out, word, length);
		column += columns;
		word += length;
		first = false;
	}
	if (!first)
		putc('\n', out);
}

/*
 * Returns the length in bytes of the first line of @text, which does not begin
 * with a space.
 */
static size_t first_line(const char *text, size_t width)
{
	size_t fits = text_fit(text, width), end = fits;

	if (!text[fits])
		return fits;
	while (end && text[end] != ' ')
		end--;
	if (end)
		return end;
	/* Take a character that is wider than the line, too, to make progress. */
	if (!fits)
		fits = utf8_length((const unsigned char *)text);
	return fits ? fits : 1;
}

char *wrap_lines(const char *text, size_t width)
{
	/* There is at most one newline for each byte. */
	char *lines = malloc(2 * strlen(text) + 1), *to = lines;

	while (lines && *text) {
		size_t length = first_line(text, width);

		if (to > lines)
			*to++ = '\n';
		to = mempcpy(to, text, length);
		text += length + strspn(text + length, " ");
	}
	if (lines)
		*to = '\0';
	return lines;
}
