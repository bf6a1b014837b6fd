// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "drop/silence.h"
#include "lib/error.h"
#include "worker/ask.h"

int drop_ask(struct ask *question, const char *const *steps, void *answer,
	     struct error *err)
{
	char why[ASK_WHY];
	struct asked *asked;
	int step, ret;
	const void *got = ask_one(question, &asked, &ret, err);
	pid_t left = got || ret < 0 ? 0 : asked_left(asked, 0, &step);

	if (got)
		memcpy(answer, got, question->answer_size);
	else if (left && step)
		ret = error_doing(
			err, EBUSY, "dropping", question->what,
			"%s: not done yet; process %d goes on with it",
			steps[step], left);
	else if (!ret)
		ret = error_doing(err, EBUSY, "dropping", question->what, "%s",
				  asked_why(asked, 0, why));
	asked_destroy(asked);
	return ret;
}
