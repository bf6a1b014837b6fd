// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ask/oom_score.h"
#include "lib/cleanup.h"

#define OOM_SCORE "/proc/self/oom_score_adj"

static void set(const char *score)
{
	_cleanup_(closep) int fd = open(OOM_SCORE, O_WRONLY | O_CLOEXEC);

	/* To be spared needs CAP_SYS_RESOURCE; nothing depends on it. */
	if (fd >= 0)
		(void)!write(fd, score, strlen(score));
}

void oom_score_be_spared(void)
{
	set("-900");
}

/* One that was set above zero for this program stays. */
void oom_score_be_as_others(void)
{
	_cleanup_(closep) int fd = open(OOM_SCORE, O_RDONLY | O_CLOEXEC);
	char sign;

	if (fd >= 0 && read(fd, &sign, 1) == 1 && sign == '-')
		set("0");
}
