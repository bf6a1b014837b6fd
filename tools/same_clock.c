// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tools/same preloads this into both programs: the time of day stands still, so
 * that two runs print the same. Other clocks go on, since timeouts need them.
 */
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* 2026-11-22 12:00:00 UTC: some hours after the night of
 * tests/fixtures/incident. */
#define NOW 1795348800

time_t time(time_t *place)
{
	if (place)
		*place = NOW;
	return NOW;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	(void)zone;
	*now = (struct timeval){ .tv_sec = NOW };
	return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
		return (int)syscall(SYS_clock_gettime, clock, now);
	*now = (struct timespec){ .tv_sec = NOW };
	return 0;
}
