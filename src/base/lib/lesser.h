/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lesser or greater of two numbers, and what one leaves of another. */
#ifndef BUFSTAT_LESSER_H
#define BUFSTAT_LESSER_H

#include <stdint.h>

static inline int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t greater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The same for numbers that may be above INT64_MAX, as a limit that is none. */
static inline uint64_t lesser_unsigned(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What is left of @from without @what, which may be more: then 0. */
static inline uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

#endif
