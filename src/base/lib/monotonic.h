/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_MONOTONIC_H
#define BUFSTAT_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC. */
static inline int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

#endif
