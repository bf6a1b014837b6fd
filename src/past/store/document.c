// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/document.h"
#include "store/format.h"

enum { CODE_NULL, CODE_FALSE, CODE_TRUE, CODE_FIRST_NUMBER };

static const char *const names[] = {
	[CODE_NULL] = "null",
	[CODE_FALSE] = "false",
	[CODE_TRUE] = "true",
};

/* More digits are left in the words. */
#define MOST_DIGITS 17
/* A time in quotes: "2026-11-23T02:12:30Z". */
#define TIME_LENGTH 22
#define DAY 86400
/* 9999-12-31T23:59:59Z */
#define LAST_TIME INT64_C(253402300799)

static bool is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days from 1970-01-01 to the first of January of @year, from 1970 on. */
static int64_t days_before(int64_t year)
{
	int64_t past = year - 1;

	return year * 365 + past / 4 - past / 100 + past / 400 - 719527;
}

static int64_t days_of_month(int64_t year, int month)
{
	static const uint8_t days[] = { 31, 28, 31, 30, 31, 30,
					31, 31, 30, 31, 30, 31 };

	return days[month] + (month == 1 && is_leap(year));
}

/*
 * gmtime_r(3) reads the time zone and may allocate. Writes @seconds, 0 to
 * LAST_TIME, in quotes.
 */
static void write_time(int64_t seconds, char text[TIME_LENGTH + 1])
{
	int64_t days = seconds / DAY, year = 1970 + days / 366;
	unsigned int rest = (unsigned int)(seconds % DAY);
	int month = 0;

	while (days_before(year + 1) <= days)
		year++;
	days -= days_before(year);
	while (days >= days_of_month(year, month))
		days -= days_of_month(year, month++);
	/* The remainders only tell the compiler what fits. */
	snprintf(text, TIME_LENGTH + 1, "\"%04u-%02u-%02uT%02u:%02u:%02uZ\"",
		 (unsigned int)year % 10000, (unsigned int)(month + 1) % 100,
		 (unsigned int)(days + 1) % 100, rest / 3600 % 100,
		 rest / 60 % 60, rest % 60);
}

static bool read_digits(const char *text, size_t count, int64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < count; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*number = *number * 10 + (text[i] - '0');
	}
	return true;
}

/* Takes only what write_time() writes. */
static bool read_time(const char *text, int64_t *seconds)
{
	char again[TIME_LENGTH + 1];
	int64_t year, month, day, hour, minute, second, days;

	if (!read_digits(text + 1, 4, &year) ||
	    !read_digits(text + 6, 2, &month) ||
	    !read_digits(text + 9, 2, &day) ||
	    !read_digits(text + 12, 2, &hour) ||
	    !read_digits(text + 15, 2, &minute) ||
	    !read_digits(text + 18, 2, &second) || year < 1970 || month < 1 ||
	    month > 12)
		return false;
	days = days_before(year) + day - 1;
	for (int i = 0; i < month - 1; i++)
		days += days_of_month(year, i);
	*seconds = days * DAY + hour * 3600 + minute * 60 + second;
	if (*seconds < 0 || *seconds > LAST_TIME)
		return false;
	write_time(*seconds, again);
	return memcmp(text, again, TIME_LENGTH) == 0;
}

static int add_value(struct byte_sink *words, struct document_codes *codes,
		     uint8_t mark, uint64_t code)
{
	if (codes->count == codes->room)
		return -ENOSPC;
	codes->codes[codes->count++] = code;
	sink_byte(words, mark);
	return 0;
}

static bool is_of_scalar(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

/* Takes only integers as printf() writes them. */
static bool read_scalar(const char *text, size_t length, uint64_t *code)
{
	bool negative = *text == '-';
	size_t digits = length - negative;
	int64_t number;

	for (size_t i = 0; i < CODE_FIRST_NUMBER; i++) {
		if (strlen(names[i]) == length &&
		    memcmp(names[i], text, length) == 0) {
			*code = i;
			return true;
		}
	}
	text += negative;
	if (!digits || digits > MOST_DIGITS ||
	    (*text == '0' && (digits > 1 || negative)) ||
	    !read_digits(text, digits, &number))
		return false;
	*code = CODE_FIRST_NUMBER + zigzag(negative ? -number : number);
	return true;
}

static int cut_scalar(struct document_text *text, struct byte_sink *words,
		      struct document_codes *codes)
{
	const char *start = text->at;
	uint64_t code;

	while (text->at < text->end && is_of_scalar(*text->at))
		text->at++;
	if (read_scalar(start, (size_t)(text->at - start), &code))
		return add_value(words, codes, STORE_SCALAR, code);
	sink_bytes(words, start, (size_t)(text->at - start));
	return 0;
}

static int cut_string(struct document_text *text, struct byte_sink *words,
		      struct document_codes *codes)
{
	const char *start = text->at++;
	int64_t seconds;

	while (text->at < text->end && *text->at != '"') {
		if ((unsigned char)*text->at < ' ')
			return -EBADMSG;
		text->at += *text->at == '\\' && text->at + 1 < text->end ? 2 :
									    1;
	}
	if (text->at < text->end)
		text->at++;
	if (text->at - start == TIME_LENGTH && read_time(start, &seconds))
		return add_value(words, codes, STORE_TIME,
				 CODE_FIRST_NUMBER + zigzag(seconds));
	sink_bytes(words, start, (size_t)(text->at - start));
	return 0;
}

/* Takes a byte or a token. Returns as document_cut(). */
static int cut_token(struct document_text *text, struct byte_sink *words,
		     struct document_codes *codes)
{
	char c = *text->at;

	if (c == '"')
		return cut_string(text, words, codes);
	if (is_of_scalar(c))
		return cut_scalar(text, words, codes);
	if ((unsigned char)c < ' ')
		return -EBADMSG;
	sink_byte(words, (uint8_t)c);
	text->at++;
	return 0;
}

int document_cut(struct document_text *text, struct byte_sink *words,
		 struct document_codes *codes)
{
	const char *start = text->at;
	int ret = 0;

	while (!ret && text->at < text->end) {
		char c = *text->at;

		if (c == '{' && text->at != start)
			break;
		ret = cut_token(text, words, codes);
		if (c != '}')
			continue;
		if (!ret && text->at < text->end && *text->at == ',')
			ret = cut_token(text, words, codes);
		break;
	}
	return !ret && words->full ? -ENOSPC : ret;
}

size_t document_values(const uint8_t *words, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += words[i] == STORE_SCALAR || words[i] == STORE_TIME;
	return count;
}

/* Most of a recording is numbers: snprintf() took a fifth of the time. */
static void sink_number(struct byte_sink *text, int64_t value)
{
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char digits[20]; /* of -2^63 */
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (value < 0)
		digits[--at] = '-';
	sink_bytes(text, digits + at, sizeof(digits) - at);
}

static int join_value(uint8_t mark, uint64_t code, struct byte_sink *text)
{
	char time[TIME_LENGTH + 1];
	int64_t value;

	if (code >= DOCUMENT_CODE_END)
		return -EBADMSG;
	if (code < CODE_FIRST_NUMBER && mark == STORE_SCALAR) {
		sink_bytes(text, names[code], strlen(names[code]));
		return 0;
	}
	if (code < CODE_FIRST_NUMBER)
		return -EBADMSG;
	value = unzigzag(code - CODE_FIRST_NUMBER);
	if (mark == STORE_SCALAR) {
		sink_number(text, value);
		return 0;
	}
	if (value < 0 || value > LAST_TIME)
		return -EBADMSG;
	write_time(value, time);
	sink_bytes(text, time, strlen(time));
	return 0;
}

int document_join(const uint8_t *words, size_t size, const uint64_t *codes,
		  struct byte_sink *text)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < size; i++) {
		if (words[i] == STORE_SCALAR || words[i] == STORE_TIME)
			ret = join_value(words[i], *codes++, text);
		else
			sink_byte(text, words[i]);
	}
	return !ret && text->full ? -ENOSPC : ret;
}
