/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers from text, and sizes as text. */
#ifndef BUFSTAT_NUMBER_H
#define BUFSTAT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads decimal digits, at least one, from *@text and moves it after them.
 * False, with nothing moved, if there are none or the number is above @max.
 * No sign, no space, no locale: strtoull() would take all three.
 */
bool number_scan(const char **text, uint64_t max, uint64_t *number);

/* The same for a string that must hold nothing else. */
bool number_parse(const char *text, uint64_t max, uint64_t *number);

#define SIZE_TEXT_LENGTH 32

/*
 * Writes @bytes as lsblk does: in the largest 1024-based unit below it, one
 * letter, rounded to one decimal that is left out where it is zero. Unlike
 * there "0" stands without a unit, and what rounds to 1024 of one is 1 of the
 * next. Returns @text.
 */
const char *size_text(int64_t bytes, char text[SIZE_TEXT_LENGTH]);

/* Text in which a backslash and three octal digits stand for a byte. */

/*
 * Replaces each escape in @text by its byte. False if there is a backslash
 * before something else, which stays as it is, as does "\000".
 */
bool octal_unescape(char *text);

/* The number of a device or filesystem, as text and in order. */

/* Reads "MAJOR:MINOR". False if @text is something else. */
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

/* By major and then by minor, as qsort() wants it. */
static inline int dev_number_compare(unsigned int a_major, unsigned int a_minor,
				     unsigned int b_major, unsigned int b_minor)
{
	if (a_major != b_major)
		return a_major < b_major ? -1 : 1;
	return (a_minor > b_minor) - (a_minor < b_minor);
}

#endif
