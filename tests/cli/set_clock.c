// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A clock that somebody sets: preloaded into a program, the time of day is as
 * many seconds ahead as the file that SET_CLOCK names says, each time that it
 * is asked for. Other clocks go on.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static time_t ahead(void)
{
	char text[32] = "";
	const char *name = getenv("SET_CLOCK");
	int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		abort();
	close(fd);
	return strtoll(text, NULL, 10);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int ret = (int)syscall(SYS_clock_gettime, clock, now);

	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		now->tv_sec += ahead();
	return ret;
}

time_t time(time_t *place)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (place)
		*place = now.tv_sec;
	return now.tv_sec;
}
