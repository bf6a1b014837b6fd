// SPDX-License-Identifier: GPL-2.0-or-later
#include <langinfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "lib/number.h"
#include "lib/terminal.h"

#define WIDEST 10000 /* a larger width is a mistake */
#define ESCAPED 4 /* \xNN */

/* Returns 0 if it is not known. The environment's @variable comes first. */
static size_t extent(FILE *out, const char *variable, bool across)
{
	const char *set = getenv(variable);
	struct winsize size;
	uint64_t wanted;
	size_t found;

	if (!isatty(fileno(out)))
		return 0;
	if (set && number_parse(set, WIDEST, &wanted) && wanted)
		return (size_t)wanted;
	if (ioctl(fileno(out), TIOCGWINSZ, &size) < 0)
		return 0;
	found = across ? size.ws_col : size.ws_row;
	return found > WIDEST ? 0 : found;
}

size_t terminal_width(FILE *out)
{
	return extent(out, "COLUMNS", true);
}

size_t terminal_height(FILE *out)
{
	return extent(out, "LINES", false);
}

bool terminal_has_emphasis(FILE *out)
{
	const char *terminal = getenv("TERM");
	const char *no_color = getenv("NO_COLOR");

	return isatty(fileno(out)) && !(no_color && *no_color) && terminal &&
	       *terminal && strcmp(terminal, "dumb") != 0;
}

bool terminal_is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/*
 * Returns the length in bytes of the first character of @text, and sets
 * *@columns to the columns that it takes.
 */
static size_t step(const char *text, size_t length, size_t *columns)
{
	mbstate_t state = { 0 };
	wchar_t character;
	size_t bytes;
	int width;

	/* Most text is ASCII, and mbrtowc() takes a hundred times as long. */
	if (*text >= ' ' && *text <= '~') {
		*columns = 1;
		return 1;
	}
	bytes = mbrtowc(&character, text, length, &state);
	width = bytes && bytes <= length ? wcwidth(character) : -1;
	*columns = width < 0 ? ESCAPED : (size_t)width;
	return width < 0 ? 1 : bytes;
}

size_t text_width(const char *text, size_t length)
{
	size_t width = 0, columns;

	while (length) {
		size_t bytes = step(text, length, &columns);

		width += columns;
		text += bytes;
		length -= bytes;
	}
	return width;
}

size_t text_fit(const char *text, size_t width)
{
	size_t length = strlen(text), fits = 0, columns;

	while (fits < length) {
		size_t bytes = step(text + fits, length - fits, &columns);

		if (columns > width)
			break;
		width -= columns;
		fits += bytes;
	}
	return fits;
}
