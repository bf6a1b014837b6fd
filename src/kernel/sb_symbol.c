// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "sb_symbol.h"

/* REX.W (and .R), MOV r64, r/m64, and a ModRM byte that means disp32(%rip). */
#define LENGTH 7

static bool is_load(const unsigned char *text)
{
	return (text[0] == 0x48 || text[0] == 0x4c) && text[1] == 0x8b &&
	       (text[2] & 0xc7) == 0x05;
}

size_t sb_symbol_candidates(const unsigned char *text, size_t size,
			    uint64_t address, uint64_t *candidates, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i + LENGTH <= size && count < room; i++) {
		bool known = false;
		int32_t offset;
		uint64_t found;

		if (!is_load(text + i))
			continue;
		memcpy(&offset, text + i + 3, sizeof(offset));
		found = address + i + LENGTH + (uint64_t)(int64_t)offset;
		for (size_t j = 0; j < count; j++)
			known |= candidates[j] == found;
		if (!known)
			candidates[count++] = found;
	}
	return count;
}
