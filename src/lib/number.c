// SPDX-License-Identifier: GPL-2.0-or-later
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "lib/number.h"

bool number_scan(const char **text, uint64_t max, uint64_t *number)
{
	const char *digit = *text;
	uint64_t value = 0;

	while (*digit >= '0' && *digit <= '9') {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *digit - '0', &value) ||
		    value > max)
			return false;
		digit++;
	}
	if (digit == *text)
		return false;
	*text = digit;
	*number = value;
	return true;
}

bool number_parse(const char *text, uint64_t max, uint64_t *number)
{
	uint64_t value;

	if (!number_scan(&text, max, &value) || *text)
		return false;
	*number = value;
	return true;
}

bool size_parse(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	const char *unit;
	uint64_t size = 0;
	bool good = number_scan(&text, UINT64_C(1) << 50, &size);

	unit = *text ? strchr(units, *text) : NULL;
	for (int i = 0; unit && i <= unit - units; i++) {
		size <<= 10;
		if (size > UINT64_C(1) << 50)
			return false;
	}
	if (unit)
		text++;
	if (unit && strncmp(text, "iB", 2) == 0)
		text += 2;
	*bytes = size;
	return good && !*text && size;
}

const char *size_text(int64_t bytes, char text[SIZE_TEXT_LENGTH])
{
	static const char units[] = "BKMGTPE";
	const char *sign = bytes < 0 ? "-" : "";
	uint64_t size = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
	unsigned int unit = 0, tenths = 0, whole;

	while (unit < strlen(units) - 1 && size >> 10 * (unit + 1))
		unit++;
	whole = (unsigned int)(size >> 10 * unit);
	if (unit) {
		uint64_t one = UINT64_C(1) << 10 * unit;

		/* Exact: below 2^60, ten times the remainder fits 64 bits. */
		tenths = (unsigned int)(((size & (one - 1)) * 10 + one / 2) /
					one);
	}
	if (tenths == 10) {
		whole++;
		tenths = 0;
	}
	if (whole == 1024 && unit < strlen(units) - 1) {
		whole = 1;
		unit++;
	}

	if (!size)
		strcpy(text, "0");
	else if (tenths)
		snprintf(text, SIZE_TEXT_LENGTH, "%s%u%s%u%c", sign, whole,
			 localeconv()->decimal_point, tenths, units[unit]);
	else
		snprintf(text, SIZE_TEXT_LENGTH, "%s%u%c", sign, whole,
			 units[unit]);
	return text;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Returns the byte that the escape at @text stands for, or 0. */
static char escaped(const char *text)
{
	if (text[0] != '\\' || !is_octal(text[1]) || text[1] > '3' ||
	    !is_octal(text[2]) || !is_octal(text[3]))
		return '\0';
	return (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 +
		      (text[3] - '0'));
}

bool octal_unescape(char *text)
{
	bool well_formed = true;
	char *to = text;

	for (const char *from = text; *from; to++) {
		char byte = escaped(from);

		if (byte) {
			*to = byte;
			from += 4;
			continue;
		}
		well_formed = well_formed && *from != '\\';
		*to = *from++;
	}
	*to = '\0';
	return well_formed;
}
