// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "question/question.h"

void *question_begin(const struct question *question)
{
	struct answer *answer = calloc(1, question->size);

	if (answer)
		answer->question = question;
	return answer;
}

int question_ask(const struct question *question, void **answer,
		 const struct asking *asking, struct error *err)
{
	int ret;

	*answer = question_begin(question);
	if (!*answer)
		return error_errno(err, ENOMEM, "measuring", question->things);
	ret = question->take(*answer, asking, err);
	if (ret < 0) {
		question_release(question, *answer);
		*answer = NULL;
	}
	return ret;
}

void question_release(const struct question *question, void *answer)
{
	if (!answer)
		return;
	if (question->release)
		question->release(answer);
	rows_deinit(answer);
	free(answer);
}
