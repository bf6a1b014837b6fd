// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <ctype.h>
#include <string.h>

#include "lib/nearest.h"

#define LONGEST 32 /* a longer word is not a typing mistake */

static bool same(char left, char right)
{
	return tolower((unsigned char)left) == tolower((unsigned char)right);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Optimal string alignment. Rows are prefixes of @left, columns of @right. */
static unsigned int distance(const char *left, size_t rows, const char *right,
			     size_t columns)
{
	unsigned int cost[LONGEST + 1][LONGEST + 1];

	for (size_t i = 0; i <= rows; i++)
		cost[i][0] = (unsigned int)i;
	for (size_t j = 0; j <= columns; j++)
		cost[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= rows; i++) {
		for (size_t j = 1; j <= columns; j++) {
			bool differ = !same(left[i - 1], right[j - 1]);

			cost[i][j] = least(
				cost[i - 1][j - 1] + differ,
				least(cost[i - 1][j], cost[i][j - 1]) + 1);
			if (i > 1 && j > 1 && differ &&
			    same(left[i - 1], right[j - 2]) &&
			    same(left[i - 2], right[j - 1]))
				cost[i][j] = least(cost[i][j],
						   cost[i - 2][j - 2] + 1);
		}
	}
	return cost[rows][columns];
}

void nearest_init(struct nearest *nearest, const char *word, size_t length)
{
	*nearest = (struct nearest){
		.word = word,
		.length = length,
		.distance = (unsigned int)(length + 2) / 3 + 1,
	};
}

void nearest_try(struct nearest *nearest, const char *name)
{
	size_t length = strlen(name);
	unsigned int away;

	if (nearest->length > LONGEST || length > LONGEST)
		return;
	away = distance(nearest->word, nearest->length, name, length);
	if (away < nearest->distance) {
		nearest->name = name;
		nearest->distance = away;
	}
}
