// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/oom_score.h"

#define SCORE "/proc/self/oom_score_adj"

void oom_score_set(int score)
{
	_cleanup_(closep) int fd = open(SCORE, O_WRONLY | O_CLOEXEC);
	char text[sizeof("-2147483648")];

	if (fd >= 0)
		(void)!write(fd, text,
			     (size_t)snprintf(text, sizeof(text), "%d", score));
}

int oom_score_raise(void)
{
	_cleanup_(closep) int fd = open(SCORE, O_RDWR | O_CLOEXEC);
	char text[sizeof("-2147483648\n")] = "";

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 ||
	    pwrite(fd, "1000", 4, 0) < 0)
		return OOM_SCORE_FIRST;
	return atoi(text);
}
