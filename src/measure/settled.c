// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/settled.h"

/* A count may move by SETTLED_PAGES plus 1/SETTLED_PART of itself. */
#define SETTLED_PAGES 32
#define SETTLED_PART 1000

int64_t settled_allowance(uint64_t cached)
{
	return SETTLED_PAGES + (int64_t)(cached / SETTLED_PART);
}

bool settled_is_near(uint64_t pages, uint64_t others)
{
	int64_t apart = (int64_t)pages - (int64_t)others;
	int64_t allowed = settled_allowance(pages);

	return apart >= -allowed && apart <= allowed;
}
