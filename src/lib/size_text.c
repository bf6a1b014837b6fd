// SPDX-License-Identifier: GPL-2.0-or-later
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "size_text.h"

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

		/* Exactly: below 2^60, ten times the rest fits 64 bits. */
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
