// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "lib/utf8.h"

size_t utf8_length(const unsigned char *text)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	length = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;

	if (text[0] == 0xe0)
		low = 0xa0;
	else if (text[0] == 0xed)
		high = 0x9f;
	else if (text[0] == 0xf0)
		low = 0x90;
	else if (text[0] == 0xf4)
		high = 0x8f;
	if (text[1] < low || text[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	return length;
}

bool utf8_is_control(uint32_t character)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} ranges[] = {
		{ 0x00, 0x1f },	      { 0x7f, 0x9f },
		{ 0x61c, 0x61c }, /* Arabic letter mark */
		{ 0x200e, 0x200f }, /* left-to-right and right-to-left marks */
		{ 0x2028, 0x202e }, /* separators, embeddings and overrides */
		{ 0x2066, 0x206f }, /* isolates and deprecated characters */
		{ 0xfff9, 0xfffb }, /* annotations */
		{ 0xe0000, 0xe007f }, /* tags */
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		if (character >= ranges[i].first && character <= ranges[i].last)
			return true;
	}
	return false;
}

uint32_t utf8_character(const unsigned char *text, size_t length)
{
	static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t character = text[0] & masks[length];

	for (size_t i = 1; i < length; i++)
		character = character << 6 | (text[i] & 0x3f);
	return character;
}

void safe_text_put_part(FILE *out, const char *text, size_t size)
{
	mbstate_t state = { 0 };

	while (size) {
		wchar_t wide;
		size_t length = mbrtowc(&wide, text, size, &state);

		bool whole = length && length <= size;

		if (whole && iswprint((wint_t)wide) &&
		    !utf8_is_control((uint32_t)wide)) {
			fwrite(text, 1, length, out);
		} else {
			state = (mbstate_t){ 0 };
			length = whole ? length : 1;
			for (size_t i = 0; i < length; i++)
				fprintf(out, "\\x%02x", (unsigned char)text[i]);
		}
		text += length;
		size -= length;
	}
}

void safe_name_put_part(FILE *out, const char *name, size_t size)
{
	static const char backslash[] = "\\x";
	const char *next;

	while ((next = memmem(name, size, backslash, strlen(backslash)))) {
		safe_text_put_part(out, name, (size_t)(next - name));
		fputs("\\x5c", out);
		size -= (size_t)(next + 1 - name);
		name = next + 1;
	}
	safe_text_put_part(out, name, size);
}

void safe_name_put(FILE *out, const char *name)
{
	safe_name_put_part(out, name, strlen(name));
}

void safe_text_put(FILE *out, const char *text)
{
	safe_text_put_part(out, text, strlen(text));
}

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

/* The byte that \xNN at @text stands for, or -1. */
static int escaped_byte(const char *text)
{
	int high, low;

	if (text[0] != '\\' || text[1] != 'x' ||
	    (high = hex_digit(text[2])) < 0 || (low = hex_digit(text[3])) < 0)
		return -1;
	return high * 16 + low;
}

bool text_is_shown_as(const char *text, const char *shown)
{
	if (strcmp(text, shown) == 0)
		return true;
	for (; *text; text++) {
		int byte = escaped_byte(shown);

		if ((unsigned char)*text !=
		    (byte > 0 ? byte : (unsigned char)*shown))
			return false;
		shown += byte > 0 ? 4 : 1;
	}
	return !*shown;
}

void text_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		int byte = escaped_byte(from);

		*to = (char)(byte > 0 ? byte : *from);
		from += byte > 0 ? 4 : 1;
	}
	*to = '\0';
}
