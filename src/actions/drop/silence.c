// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "drop/silence.h"
#include "lib/error.h"
#include "worker/ask.h"

int drop_silence(const struct asked *asked, const char *object,
		 const char *(*step_text)(int step), struct error *err)
{
	char why[ASK_WHY];
	int step;
	pid_t left = asked_left(asked, 0, &step);

	if (left && step)
		return error_doing(
			err, EBUSY, "dropping", object,
			"%s: not done yet; process %d goes on with it",
			step_text(step), left);
	return error_doing(err, EBUSY, "dropping", object, "%s",
			   asked_why(asked, 0, why));
}
