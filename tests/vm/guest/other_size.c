// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * other_size STRUCT FILE: makes the first struct of that name in FILE, a copy
 * of the kernel's BTF, eight bytes larger.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of the header, counted from its magic number. */
enum { TYPES_SIZE = 3, STRINGS, STRINGS_SIZE, HEADER_WORDS };

#define STRUCT 4U

int main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[2], "r+b") : NULL;
	static uint32_t words[4 << 20];
	uint32_t name = 0;
	size_t size, i;
	char *strings;

	if (!file)
		err(1, "usage: other_size STRUCT FILE");
	size = fread(words, 1, sizeof(words), file);
	strings = (char *)&words[HEADER_WORDS] + words[STRINGS];
	if (size < sizeof(words) &&
	    strings + words[STRINGS_SIZE] <= (char *)words + size)
		for (i = 0; i < words[STRINGS_SIZE];
		     i += strlen(strings + i) + 1)
			if (strcmp(strings + i, argv[1]) == 0)
				name = (uint32_t)i;
	for (i = HEADER_WORDS; name && i < words[TYPES_SIZE] / 4; i++) {
		if (words[i] != name || words[i + 1] >> 24 != STRUCT)
			continue;
		words[i + 2] += 8;
		if (fseek(file, (long)(4 * (i + 2)), SEEK_SET) == 0 &&
		    fwrite(&words[i + 2], 4, 1, file) == 1 && fclose(file) == 0)
			return 0;
		err(1, "%s", argv[2]);
	}
	errx(1, "%s: not found", argv[1]);
}
