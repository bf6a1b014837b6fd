// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "worker/file_text.h"
#include "worker/patience.h"
#include "worker/worker.h"

/* Most files are smaller, and a worker clears all the room for an answer. */
#define USUAL_SIZE (32U << 10)

struct question {
	const struct file_text *file;
	size_t room; /* bytes of text */
};

struct answer {
	int error; /* 0 or a negative errno */
	size_t size; /* bytes */
	char text[];
};

static size_t read_in_worker(const void *data, size_t index, void *to)
{
	const struct question *question = data;
	const struct sysroot live = { .fd = -1 };
	_cleanup_(freep) char *text = NULL;
	struct answer *answer = to;

	(void)index;
	/* A worker is in no directory. */
	if (*question->file->path != '/' && fchdir(WORKER_KEPT) < 0)
		answer->error = -errno;
	else
		answer->error = sysroot_read(&live, question->file->path,
					     question->room, &text,
					     &answer->size);
	if (answer->error)
		answer->size = 0;
	else
		memcpy(answer->text, text, answer->size);
	return sizeof(*answer) + answer->size;
}

static int take(const struct answer *answer, char **text, size_t *size)
{
	if (answer->error)
		return answer->error;
	*text = malloc(answer->size + 1);
	if (!*text)
		return -ENOMEM;
	memcpy(*text, answer->text, answer->size);
	(*text)[answer->size] = '\0';
	if (size)
		*size = answer->size;
	return 0;
}

static int ask_once(const struct file_text *file, size_t room, int here,
		    char **text, size_t *size, char why[ASK_WHY])
{
	const struct question question = { file, room };
	struct ask ask_worker = {
		.answer = read_in_worker,
		.data = &question,
		.answer_size = sizeof(struct answer) + room,
		.kept = here,
		.what = file->path,
		.stuck_on = file->object ? file->object : "",
		.insists = file->insists,
		.is_common = file->is_common,
	};
	struct asked *asked;
	const struct answer *answer;
	int ret;

	answer = ask_one(&ask_worker, &asked, &ret, NULL);
	if (answer) {
		ret = take(answer, text, size);
	} else if (!ret) {
		asked_why(asked, 0, why);
		ret = asked_error(asked, 0);
	}
	asked_destroy(asked);
	return ret;
}

int file_text_ask(const struct sysroot *root, const struct file_text *file,
		  char **text, size_t *size, char why[ASK_WHY])
{
	size_t room = file->limit < USUAL_SIZE ? file->limit : USUAL_SIZE;
	_cleanup_(closep) int here = -1;
	int ret;

	*why = '\0';
	if (!sysroot_is_live(root))
		return sysroot_read(root, file->path, file->limit, text, size);
	if (*file->path != '/')
		here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	ret = ask_once(file, room, here, text, size, why);
	if (ret == -EFBIG && room < file->limit)
		ret = ask_once(file, file->limit, here, text, size, why);
	return ret;
}

const char *file_text_why(int error)
{
	return error == -ETIMEDOUT ? "did not answer" :
	       error == -ETIME	   ? PATIENCE_OVER :
	       error == -EBADMSG   ? "cut off in the middle of a line" :
				     strerror(-error);
}
