// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * block_kinds DEVICE <RUNS: compares what bufstat blocks --runs -rnb says of a
 * device with what libext2fs's iterators over the whole filesystem say. Prints
 * how many blocks are right, wrong and so on, and some of the wrong ones. Reads
 * the device, so everything has to be measured before that. Exits with 1 if a
 * block is wrong.
 *
 * "in use" is right for a block that an inode has which is not cached: with
 * "whole" as a second argument it is not.
 */
#include <stdio.h>
#include <string.h>

#include "ext_kinds.h"

static unsigned long long right, wrong, unknown, unread, in_use;

/* Turns \x20 into the character. */
static void unescape(char *text)
{
	char *to = text;
	unsigned int code;

	for (; *text; text++) {
		if (sscanf(text, "\\x%2x", &code) == 1) {
			*to++ = (char)code;
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

static void judge(const struct ext_kinds *kinds, blk64_t block,
		  const char *kind, int whole)
{
	const char *expected = block < kinds->count ? kinds->names[block] :
						      "outside";

	if (strcmp(kind, "unknown") == 0 || strcmp(kind, "unattributed") == 0)
		unknown++;
	else if (strcmp(kind, "not read") == 0)
		unread++;
	else if (strcmp(kind, expected) == 0)
		right++;
	else if (!whole && strcmp(kind, "in use") == 0 &&
		 strcmp(expected, "free") != 0)
		in_use++;
	else if (wrong++ < 20)
		printf("block %llu: %s, expected %s\n",
		       (unsigned long long)block, kind, expected);
}

int main(int argc, char **argv)
{
	unsigned long long offset, bytes;
	struct ext_kinds kinds;
	char kind[128];
	int whole = argc == 3 && strcmp(argv[2], "whole") == 0;

	if (argc < 2) {
		fprintf(stderr, "usage: block_kinds DEVICE [whole] <RUNS\n");
		return 2;
	}
	ext_kinds_init(&kinds, argv[1]);
	while (scanf("%llu %llu %127s", &offset, &bytes, kind) == 3) {
		unsigned int size = kinds.fs->blocksize;

		unescape(kind);
		for (; bytes;
		     offset += size, bytes -= bytes < size ? bytes : size)
			judge(&kinds, offset / size, kind, whole);
	}
	printf("right %llu wrong %llu unknown %llu unread %llu in-use %llu of "
	       "%llu\n",
	       right, wrong, unknown, unread, in_use,
	       (unsigned long long)kinds.count);
	ext_kinds_deinit(&kinds);
	return wrong != 0;
}
