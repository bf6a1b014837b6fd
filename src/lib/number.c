// SPDX-License-Identifier: GPL-2.0-or-later
#include "number.h"

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
