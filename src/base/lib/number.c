// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
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

const char *value_of_line(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	while (at && at > text && at[-1] != '\n')
		at = strstr(at + 1, key);
	if (at)
		at += strlen(key);
	return at ? at + strspn(at, " \t") : NULL;
}

bool number_of_line(const char *text, const char *key, uint64_t max,
		    uint64_t *number)
{
	const char *at = value_of_line(text, key);

	return at && number_scan(&at, max, number);
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
	static const char powers[] = "KMGT";
	const char *power;
	uint64_t size = 0;
	bool good = number_scan(&text, UINT64_C(1) << 50, &size);

	power = *text ? strchr(powers, *text) : NULL;
	for (int i = 0; power && i <= power - powers; i++) {
		size <<= 10;
		if (size > UINT64_C(1) << 50)
			return false;
	}
	if (power)
		text++;
	if (power && strncmp(text, "iB", 2) == 0)
		text += 2;
	*bytes = size;
	return good && !*text && size;
}

static const char units[] = "BKMGTPE";

/* Writes a size that is @whole and @tenths of the unit with this index. */
static void put_short(char text[SIZE_TEXT_LENGTH], uint64_t whole,
		      unsigned int tenths, unsigned int unit, bool si)
{
	char letter[] = { units[unit], si && unit ? 'B' : '\0', '\0' };

	/* The prefix kilo is a small letter. */
	if (si && letter[0] == 'K')
		letter[0] = 'k';
	if (tenths)
		snprintf(text, SIZE_TEXT_LENGTH, "%u%s%u%s",
			 (unsigned int)whole, localeconv()->decimal_point,
			 tenths, letter);
	else
		snprintf(text, SIZE_TEXT_LENGTH, "%u%s", (unsigned int)whole,
			 letter);
}

/* In the largest unit that is not larger than @size. */
static void write_short(char text[SIZE_TEXT_LENGTH], uint64_t size, bool si)
{
	const uint64_t base = si ? 1000 : 1024;
	unsigned int unit = 0, tenths = 0;
	uint64_t one = 1, whole;

	while (unit < strlen(units) - 1 && size / one >= base) {
		one *= base;
		unit++;
	}
	whole = size / one;
	/* Exact: no remainder is above 2^60, so ten times it fits 64 bits. */
	if (unit)
		tenths = (unsigned int)((size % one * 10 + one / 2) / one);
	if (tenths == 10) {
		whole++;
		tenths = 0;
	}
	if (whole == base && unit < strlen(units) - 1) {
		whole = 1;
		unit++;
	}
	put_short(text, whole, tenths, unit, si);
}

static uint64_t power_of(unsigned int base, unsigned int exponent)
{
	uint64_t power = 1;

	while (exponent--)
		power *= base;
	return power;
}

static const char *write_size(int64_t bytes, struct size_unit unit,
			      const char *positive, char text[SIZE_TEXT_LENGTH])
{
	uint64_t size = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
	char *digits = stpcpy(text, bytes < 0 ? "-" : positive);
	char number[SIZE_TEXT_LENGTH];

	if (unit.power && !unit.human)
		snprintf(number, sizeof(number), "%" PRIu64,
			 size / power_of(unit.si ? 1000 : 1024,
					 unit.power - 1));
	else
		write_short(number, size, unit.si);
	strcpy(digits, number);
	return text;
}

const char *duration_text(int64_t ns, char text[SIZE_TEXT_LENGTH])
{
	/* Rounded, these are 100.0 us and 1000.0 ms. */
	const bool is_short = ns > 0 && ns < 99950, seconds = ns >= 999950000;
	const int64_t unit = seconds ? 1000000000 : is_short ? 1000 : 1000000;
	const int64_t tenths = (ns / (unit / 1000) + 50) / 100;

	snprintf(text, SIZE_TEXT_LENGTH, "%lld%s%lld%s",
		 (long long)(tenths / 10), localeconv()->decimal_point,
		 (long long)(tenths % 10),
		 seconds  ? "s" :
		 is_short ? "us" :
			    "ms");
	return text;
}

const char *count_text(uint64_t number, char text[SIZE_TEXT_LENGTH])
{
	char *at = text + SIZE_TEXT_LENGTH - 1;

	*at = '\0';
	for (unsigned int i = 0; i == 0 || number; i++, number /= 10) {
		if (i && i % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + number % 10);
	}
	return at;
}

const char *size_text_in(int64_t bytes, struct size_unit unit,
			 char text[SIZE_TEXT_LENGTH])
{
	return bytes ? write_size(bytes, unit, "", text) : strcpy(text, "0");
}

const char *size_change_text(int64_t bytes, struct size_unit unit,
			     char text[SIZE_TEXT_LENGTH])
{
	if (!bytes && (!unit.power || unit.human))
		return strcpy(text, "0");
	return write_size(bytes, unit, "+", text);
}

const char *size_text(int64_t bytes, char text[SIZE_TEXT_LENGTH])
{
	return size_text_in(bytes, (struct size_unit){ 0 }, text);
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
