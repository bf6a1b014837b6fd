// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ask.h"
#include "cleanup.h"
#include "error.h"

/* Silence after which another process goes on with the other questions. */
#define PATIENCE_NS 100000000
/* And how often the deadlines are looked at meanwhile. */
#define GLANCE_MS 20
#define NS_PER_S 1000000000

enum question_state { UNASKED, BEING_ASKED, ANSWERED, GIVEN_UP };

struct question {
	atomic_int state;
	pid_t asker;
	int64_t since_ns;
};

/* Shared with the processes that ask. */
struct shared {
	atomic_size_t next; /* the first question that nobody has taken */
	struct question questions[];
};

struct asked {
	struct shared *shared;
	size_t shared_size;
	size_t answers_at;
	char *answers; /* behind the questions */
	size_t answer_size;
	uint64_t ino; /* of the memfd */
	size_t count;
	int64_t patience_until_ns;
	int64_t deadline_ns; /* from when a question is asked */
	int news[2]; /* a pipe: a byte per answer */
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* A memfd, because it can be told from what others share. */
static int share(struct asked *asked)
{
	_cleanup_(closep) int fd = memfd_create("bufstat-answers", MFD_CLOEXEC);
	struct stat status;
	void *memory;

	if (fd < 0 || ftruncate(fd, (off_t)asked->shared_size) < 0 ||
	    fstat(fd, &status) < 0)
		return -errno;
	memory = mmap(NULL, asked->shared_size, PROT_READ | PROT_WRITE,
		      MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	asked->shared = memory;
	asked->answers = (char *)memory + asked->answers_at;
	asked->ino = status.st_ino;
	return 0;
}

void asked_destroy(struct asked *asked)
{
	if (!asked)
		return;
	if (asked->shared)
		munmap(asked->shared, asked->shared_size);
	for (int i = 0; i < 2; i++) {
		if (asked->news[i] >= 0)
			close(asked->news[i]);
	}
	free(asked);
}

static struct asked *asked_create(size_t count, size_t answer_size,
				  double seconds)
{
	struct asked *asked = calloc(1, sizeof(*asked));

	if (!asked)
		return NULL;
	*asked = (struct asked){
		.answers_at = (sizeof(struct shared) +
			       count * sizeof(struct question) + 63) /
			      64 * 64,
		.answer_size = answer_size,
		.count = count,
		.deadline_ns = (int64_t)(seconds * NS_PER_S),
		.news = { -1, -1 },
	};
	asked->shared_size = asked->answers_at + (count + 1) * answer_size;
	if (share(asked) == 0 &&
	    pipe2(asked->news, O_CLOEXEC | O_NONBLOCK) == 0)
		return asked;
	asked_destroy(asked);
	return NULL;
}

/*
 * Whoever reads what the program prints waits until nobody has the other end of
 * the pipe any more, and this process may be there for long.
 */
static void leave_behind(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int fd = 0; fd <= 2; fd++)
		close(fd);
	for (int fd = 0; fd <= 2; fd++)
		open("/dev/null", O_RDWR);
}

static void ask_one(struct asked *asked, size_t index, ask_fn *answer,
		    const void *data)
{
	struct question *question = &asked->shared->questions[index];
	int expected = BEING_ASKED;

	question->asker = getpid();
	question->since_ns = now_ns();
	atomic_store(&question->state, BEING_ASKED);
	answer(data, index, asked->answers + index * asked->answer_size);
	/* Too late is too late: the program may be looking at it already. */
	if (!atomic_compare_exchange_strong(&question->state, &expected,
					    ANSWERED))
		_exit(0);
	/* A full pipe is news enough. */
	if (write(asked->news[1], "", 1) < 0 && errno != EAGAIN)
		_exit(1);
}

static int start_process(struct asked *asked, ask_fn *answer, const void *data)
{
	pid_t pid = fork();
	size_t index;

	if (pid < 0)
		return -errno;
	asked->patience_until_ns = now_ns() + PATIENCE_NS;
	if (pid > 0)
		return 0;
	leave_behind();
	while ((index = atomic_fetch_add(&asked->shared->next, 1)) <
	       asked->count)
		ask_one(asked, index, answer, data);
	_exit(0);
}

static void wait_for_news(struct asked *asked)
{
	struct pollfd news = { .fd = asked->news[0], .events = POLLIN };
	char bytes[256];

	if (poll(&news, 1, GLANCE_MS) <= 0)
		return;
	asked->patience_until_ns = now_ns() + PATIENCE_NS;
	while (read(asked->news[0], bytes, sizeof(bytes)) > 0)
		;
}

/* A process that was killed leaves its question as it is. */
static void give_up(struct question *question)
{
	int expected = BEING_ASKED;

	if (atomic_compare_exchange_strong(&question->state, &expected,
					   GIVEN_UP))
		kill(question->asker, SIGKILL);
}

/* Counts those that may still be answered. */
static size_t look_around(struct asked *asked)
{
	int64_t now = now_ns();
	size_t open = 0;

	for (size_t i = 0; i < asked->count; i++) {
		struct question *question = &asked->shared->questions[i];
		int state = atomic_load(&question->state);

		if (state == BEING_ASKED &&
		    now - question->since_ns > asked->deadline_ns)
			give_up(question);
		else
			open += state == UNASKED || state == BEING_ASKED;
	}
	return open;
}

/* A question taken by a process that died before it could say so. */
static void forget_the_dead(struct asked *asked, size_t taken)
{
	for (size_t i = 0; i < taken && i < asked->count; i++) {
		struct question *question = &asked->shared->questions[i];
		int expected = UNASKED;

		atomic_compare_exchange_strong(&question->state, &expected,
					       GIVEN_UP);
		give_up(question);
	}
}

static int ask_all(struct asked *asked, ask_fn *answer, const void *data)
{
	int ret = start_process(asked, answer, data);

	while (!ret && look_around(asked)) {
		size_t taken = atomic_load(&asked->shared->next);
		pid_t ended;

		wait_for_news(asked);
		do
			ended = waitpid(-1, NULL, WNOHANG);
		while (ended > 0);
		if (ended < 0 && errno == ECHILD)
			forget_the_dead(asked, taken);
		if (taken < asked->count &&
		    (ended < 0 || now_ns() > asked->patience_until_ns))
			ret = start_process(asked, answer, data);
	}
	return ret;
}

int ask(ask_fn *answer, const void *data, size_t count, size_t answer_size,
	double seconds, struct asked **asked, struct error *err)
{
	int ret;

	*asked = asked_create(count, answer_size, seconds);
	if (!*asked)
		return error_errno(err, ENOMEM, "asking", "the filesystems");
	ret = ask_all(*asked, answer, data);
	return ret < 0 ? error_errno(err, -ret, "asking", "the filesystems") :
			 0;
}

const void *asked_answer(const struct asked *asked, size_t index)
{
	const struct question *question = &asked->shared->questions[index];

	if (atomic_load(&question->state) != ANSWERED)
		return NULL;
	return asked->answers + index * asked->answer_size;
}

uint64_t asked_ino(const struct asked *asked)
{
	return asked->ino;
}
