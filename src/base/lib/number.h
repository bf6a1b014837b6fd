/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers from text, and sizes as text. */
#ifndef BUFSTAT_NUMBER_H
#define BUFSTAT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads at least one decimal digit from *@text and moves it past the digits.
 * Returns false, with nothing moved, if there are none or the number is above
 * @max. Allows no sign, space or locale: strtoull() would allow all three.
 */
bool number_scan(const char **text, uint64_t max, uint64_t *number);

/*
 * Reads the number after @key, such as "ino:", and blanks, of a text like
 * /proc/PID/status. The key must begin a line. Returns false, with @number
 * unchanged, if there is no such line or number_scan() refuses it.
 */
bool number_of_line(const char *text, const char *key, uint64_t max,
		    uint64_t *number);

/* The value of such a line, which ends with it, or NULL. */
const char *value_of_line(const char *text, const char *key);

/* number_scan() for a string that must hold nothing else. */
bool number_parse(const char *text, uint64_t max, uint64_t *number);

/*
 * Parses a size as users give it: a number of bytes, or of 1024-based units
 * named by K, M, G or T, with "iB" after it or not. Returns false if it is
 * anything else, 0, or above 1 PiB.
 */
bool size_parse(const char *text, uint64_t *bytes);

#define SIZE_TEXT_LENGTH 32

/*
 * Writes @bytes as lsblk does: in the largest 1024-based unit that is not
 * larger, named by one letter, with one decimal unless that is zero. Unlike
 * lsblk, writes "0" without a unit, and what rounds to 1024 of a unit as 1 of
 * the next. Returns @text.
 */
const char *size_text(int64_t bytes, char text[SIZE_TEXT_LENGTH]);

/* The same, valid to the end of the enclosing block. */
#define SIZE(bytes) size_text(bytes, (char[SIZE_TEXT_LENGTH]){ "" })

/*
 * Writes a time of @ns nanoseconds as "12.0us", "0.3ms" or "1.2s". Returns
 * @text.
 */
const char *duration_text(int64_t ns, char text[SIZE_TEXT_LENGTH]);
#define DURATION(ns) duration_text(ns, (char[SIZE_TEXT_LENGTH]){ "" })

/*
 * Writes a number with a comma before each three digits. Returns where in @text
 * it begins.
 */
const char *count_text(uint64_t number, char text[SIZE_TEXT_LENGTH]);
#define COUNT(number) count_text(number, (char[SIZE_TEXT_LENGTH]){ "" })

/* The unit to write sizes in. All zero: as size_text() does. */
struct size_unit {
	/* 1: bytes, 2: kibibytes, 3: mebibytes and so on; 0: none was chosen */
	unsigned int power;
	bool si; /* powers of 1000 in place of 1024 */
	/* Each in the unit that keeps it short, whatever @power is. */
	bool human;
};

/*
 * Writes @bytes in @unit. In a chosen unit it is a whole number without a
 * letter, rounded towards zero as free does; what is left of a negative size is
 * at least its sign. Otherwise as size_text() does, but with "kB", "MB" and so
 * on for powers of 1000. Returns @text.
 */
const char *size_text_in(int64_t bytes, struct size_unit unit,
			 char text[SIZE_TEXT_LENGTH]);
#define SIZE_IN(bytes, unit)                                                   \
	size_text_in(bytes, unit, (char[SIZE_TEXT_LENGTH]){ "" })

/* The same for a change: with a plus sign if it is not negative. */
const char *size_change_text(int64_t bytes, struct size_unit unit,
			     char text[SIZE_TEXT_LENGTH]);

/* Text in which a backslash and three octal digits stand for a byte. */

/*
 * Replaces each escape in @text by its byte. Returns false if a backslash is
 * followed by anything else, which stays as it is, as does "\000".
 */
bool octal_unescape(char *text);

/* Device numbers of devices and filesystems. */

/* Parses "MAJOR:MINOR". Returns false if @text is anything else. */
static inline bool dev_number_parse(const char *text, unsigned int *major,
				    unsigned int *minor)
{
	uint64_t numbers[2];

	if (!number_scan(&text, UINT32_MAX, &numbers[0]) || *text++ != ':' ||
	    !number_scan(&text, UINT32_MAX, &numbers[1]) || *text)
		return false;
	*major = (unsigned int)numbers[0];
	*minor = (unsigned int)numbers[1];
	return true;
}

/* Compares major, then minor, as qsort() wants it. */
static inline int dev_number_compare(unsigned int a_major, unsigned int a_minor,
				     unsigned int b_major, unsigned int b_minor)
{
	if (a_major != b_major)
		return a_major < b_major ? -1 : 1;
	return (a_minor > b_minor) - (a_minor < b_minor);
}

#endif
