// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/debug.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/number.h"
#include "worker/ask.h"
#include "worker/frames.h"
#include "worker/patience.h"
#include "worker/worker.h"

enum {
	GLANCE_MS = 20, /* between two looks at the workers */
	BUSY_MS = 250, /* on one question: then a second worker goes on */
	MOST_BUSY = 2, /* workers that may use a processor at once */
	KILL_MS = 50, /* how long killed workers may take to end */
	LOCK_MS = 2000, /* many runs at once are slow */
	FRESH_MS = 1000,
	PAUSE_MS = 10,
	MOST_WAITING = 4, /* workers that wait for what may never answer */
};

#define NS_PER_MS 1000000

/*
 * A frame of this kind says how far a worker is: an int. Another is an answer,
 * and its kind is the number of the question.
 */
#define ASK_STEP UINT32_MAX

enum state {
	OPEN,
	ANSWERED,
	SILENT,
	DIED,
	TIMED_OUT,
	STUCK_BEFORE,
	TOO_DANGEROUS,
	ASKED_ELSEWHERE,
	NOT_STARTED,
	TOO_MANY_SILENT,
};

struct question {
	enum state state;
	void *answer;
	int step;
	pid_t left; /* the worker that did not end, or 0 */
	time_t since; /* if STUCK_BEFORE */
	int status; /* if DIED: as wait(2) says it of the worker */
	int error; /* if NOT_STARTED: negative errno */
};

/* Asks the questions from @at up to but not including @end. */
struct worker {
	pid_t pid;
	int pipe; /* -1 after its end of file */
	size_t at;
	size_t end;
	size_t whole_end; /* the end before questions were passed on */
	int64_t began_ns; /* when it began this question */
	int64_t lived_ns; /* when it last made progress */
	uint64_t cpu; /* clock ticks used at the last look */
	bool asleep;
	struct frames frames; /* with room for one of any size */
};

struct asked {
	const struct ask *ask;
	struct question *questions;
	struct worker *workers;
	size_t worker_count;
	size_t worker_capacity;
	char about[STUCK_OBJECT]; /* what the user would be told */
};

void asked_destroy(struct asked *asked)
{
	if (!asked)
		return;
	for (size_t i = 0; asked->questions && i < asked->ask->count; i++)
		free(asked->questions[i].answer);
	for (size_t i = 0; i < asked->worker_count; i++) {
		closep(&asked->workers[i].pipe);
		free(asked->workers[i].frames.bytes);
	}
	free(asked->workers);
	free(asked->questions);
	free(asked);
}

static struct asked *asked_create(const struct ask *ask)
{
	struct asked *asked = calloc(1, sizeof(*asked));

	if (!asked)
		return NULL;
	asked->ask = ask;
	asked->questions = calloc(ask->count + 1, sizeof(*asked->questions));
	if (asked->questions)
		return asked;
	asked_destroy(asked);
	return NULL;
}

static void name_question(const struct ask *ask, size_t index,
			  char text[STUCK_OBJECT])
{
	if (ask->name)
		ask->name(ask->data, index, text);
	else
		snprintf(text, STUCK_OBJECT, "%s", ask->what);
}

static bool has_objects(const struct ask *ask)
{
	return ask->object || ask->stuck_on;
}

/* "" if the question cannot get stuck. */
static void name_object(const struct ask *ask, size_t index,
			char text[STUCK_OBJECT])
{
	*text = '\0';
	if (ask->object)
		ask->object(ask->data, index, text);
	else if (ask->stuck_on)
		snprintf(text, STUCK_OBJECT, "%s", ask->stuck_on);
}

static size_t buffer_size(const struct asked *asked)
{
	const size_t size = asked->ask->answer_size;

	return sizeof(struct frame) + (size > sizeof(int) ? size : sizeof(int));
}

/* If sending fails, the program has ended and nobody reads what it is. */
void ask_tell_step(int step)
{
	(void)frame_send(WORKER_PIPE, ASK_STEP, &step, sizeof(step));
}

static int keep_answer(const struct asked *asked, struct question *question,
		       const void *answer, size_t size)
{
	question->answer = calloc(1, asked->ask->answer_size + 1);
	if (!question->answer)
		return -ENOMEM;
	memcpy(question->answer, answer, size);
	question->state = ANSWERED;
	return 0;
}

static void work(const struct asked *asked, size_t at, size_t end)
{
	const struct ask *ask = asked->ask;
	char *answer = malloc(buffer_size(asked));

	signal(SIGPIPE, ask->outlives ? SIG_IGN : SIG_DFL);
	for (; answer && at < end; at++) {
		size_t size;

		if (asked->questions[at].state != OPEN)
			continue;
		memset(answer, 0, ask->answer_size);
		size = ask->answer(ask->data, at, answer);
		(void)frame_send(WORKER_PIPE, (unsigned int)at, answer, size);
	}
	_exit(answer ? 0 : ENOMEM);
}

static struct worker *add_worker(struct asked *asked)
{
	if (array_make_room(&asked->workers, asked->worker_count,
			    &asked->worker_capacity) < 0)
		return NULL;
	return &asked->workers[asked->worker_count];
}

/* Goes on to the worker's next open question. */
static void move_on(struct asked *asked, struct worker *worker)
{
	while (worker->at < worker->end &&
	       asked->questions[worker->at].state != OPEN)
		worker->at++;
	worker->began_ns = monotonic_ns();
	worker->lived_ns = worker->began_ns;
}

static void set_state(struct asked *asked, size_t at, size_t end,
		      enum state state, int error)
{
	for (; at < end; at++) {
		if (asked->questions[at].state != OPEN)
			continue;
		asked->questions[at].state = state;
		asked->questions[at].error = error;
	}
}

/* No process can be made, and the answers wait for nothing. */
static int work_here(struct asked *asked, size_t at, size_t end, char *answer)
{
	const struct ask *ask = asked->ask;
	int ret = 0;

	*ask->kept_at = ask->kept;
	for (; !ret && at < end; at++) {
		struct question *question = &asked->questions[at];

		if (question->state != OPEN)
			continue;
		memset(answer, 0, ask->answer_size);
		ret = keep_answer(asked, question, answer,
				  ask->answer(ask->data, at, answer));
	}
	return ret;
}

/* If no process can be made, the questions are not open any more. */
static int start_worker(struct asked *asked, size_t at, size_t end)
{
	const struct ask *ask = asked->ask;
	struct worker *worker = add_worker(asked);
	char *buffer = malloc(buffer_size(asked));
	int pipe, ret = 0;
	pid_t pid;

	if (!worker || !buffer) {
		free(buffer);
		return -ENOMEM;
	}
	pid = worker_start(ask->kept, ask->outlives, &pipe);
	if (pid == 0)
		work(asked, at, end);
	if (pid < 0) {
		if (ask->outlives)
			ret = pid;
		else if (ask->kept_at)
			ret = work_here(asked, at, end, buffer);
		else
			set_state(asked, at, end, NOT_STARTED, pid);
		free(buffer);
		return ret;
	}
	*worker = (struct worker){
		.pid = pid,
		.pipe = pipe,
		.at = at,
		.end = end,
		.whole_end = end,
		.frames = { .bytes = buffer, .room = buffer_size(asked) },
	};
	asked->worker_count++;
	move_on(asked, worker);
	return 0;
}

static void say(const struct asked *asked, const struct worker *worker,
		const char *what)
{
	char name[STUCK_OBJECT], took[SIZE_TEXT_LENGTH];

	name_question(asked->ask, worker->at, name);
	debug(DEBUG_WORKER, "%s: %s after %s", name, what,
	      duration_text(monotonic_ns() - worker->began_ns, took));
}

struct heard {
	struct asked *asked;
	struct worker *worker;
};

static int take_frame(void *data, unsigned int kind, const char *text,
		      size_t size)
{
	const struct heard *heard = data;
	struct asked *asked = heard->asked;
	struct worker *worker = heard->worker;
	struct question *question;

	if (kind == ASK_STEP && size == sizeof(question->step)) {
		memcpy(&asked->questions[worker->at].step, text, size);
		worker->lived_ns = monotonic_ns();
		return 0;
	}
	if (kind >= asked->ask->count || size > asked->ask->answer_size)
		return 0;
	question = &asked->questions[kind];
	say(asked, worker, "answered");
	if (question->state == OPEN) {
		int ret = keep_answer(asked, question, text, size);

		if (ret < 0)
			return ret;
	}
	move_on(asked, worker);
	/* It does not know that its other questions were passed on: end it. */
	if (worker->at >= worker->end && worker->end < worker->whole_end)
		kill(worker->pid, SIGKILL);
	return 0;
}

/* Reads what the worker has written. At the end of file, closes the pipe. */
static int hear(struct asked *asked, struct worker *worker)
{
	struct heard heard = { asked, worker };
	struct frames *frames = &worker->frames;
	int read, ret;

	do {
		read = frames_read(frames, worker->pipe);
		ret = frames_take(frames, take_frame, &heard);
	} while (!ret && read == -ENOBUFS && frames->used < frames->room);
	if (!ret && read == -EAGAIN)
		return 0;
	close(worker->pipe);
	worker->pipe = -1;
	return ret;
}

static int listen_to_all(struct asked *asked)
{
	_cleanup_(freep) struct pollfd *pipes =
		calloc(asked->worker_count, sizeof(*pipes));
	int ret = 0;

	if (!pipes)
		return -ENOMEM;
	for (size_t i = 0; i < asked->worker_count; i++)
		pipes[i] = (struct pollfd){ .fd = asked->workers[i].pipe,
					    .events = POLLIN };
	poll(pipes, asked->worker_count, GLANCE_MS);
	for (size_t i = 0; !ret && i < asked->worker_count; i++) {
		if (pipes[i].fd >= 0 && pipes[i].revents)
			ret = hear(asked, &asked->workers[i]);
	}
	return ret;
}

static bool is_at_work(const struct worker *worker)
{
	return worker->pipe >= 0 && worker->at < worker->end;
}

/*
 * Notes whether the worker is asleep. Using a processor or waiting for one
 * counts as progress, and so does what ask->moves() sees.
 */
static void look_at(const struct asked *asked, struct worker *worker)
{
	const struct ask *ask = asked->ask;
	struct worker_life life;
	bool moves = ask->moves && ask->moves(ask->moves_data);

	if (!worker_look(worker->pid, &life))
		return;
	worker->asleep = life.state != 'R' && life.cpu == worker->cpu;
	if (!worker->asleep || moves)
		worker->lived_ns = monotonic_ns();
	worker->cpu = life.cpu;
}

/* This process may have paused after it listened. */
static bool is_heard(const struct worker *worker)
{
	struct pollfd pipe = { .fd = worker->pipe, .events = POLLIN };

	return poll(&pipe, 1, 0) <= 0;
}

static int64_t silence_ns(const struct ask *ask)
{
	int ms = ask->silence_ms ? ask->silence_ms : ASK_SILENCE_MS;

	return patience_left_ms(ask->patience, ms) * (int64_t)NS_PER_MS;
}

/* Once four are, the others are not asked anyway. */
static void note_silence(const struct ask *ask, size_t index)
{
	struct patience *patience = ask->patience;
	char *object;

	if (!has_objects(ask) || !patience ||
	    patience->silent_count == MOST_WAITING)
		return;
	object = patience->silent[patience->silent_count++];
	name_object(ask, index, object);
}

static bool was_silent(const struct ask *ask, const char *object)
{
	const struct patience *patience = ask->patience;

	for (size_t i = 0; patience && i < patience->silent_count; i++) {
		if (strcmp(patience->silent[i], object) == 0)
			return true;
	}
	return false;
}

static void give_up(struct asked *asked, struct worker *worker,
		    enum state state)
{
	struct question *question = &asked->questions[worker->at];

	say(asked, worker, "given up");
	if (state == SILENT && question->state == OPEN)
		note_silence(asked->ask, worker->at);

	question->state = state;
	question->left = worker->pid;
	worker->end = worker->at + 1;
	if (!asked->ask->outlives)
		kill(worker->pid, SIGKILL);
}

/*
 * The worker keeps its current question. The questions after it are shared
 * among @count new workers.
 */
static int pass_on(struct asked *asked, size_t from, size_t count)
{
	size_t at = asked->workers[from].at + 1;
	size_t end = asked->workers[from].end;
	int ret = 0;

	asked->workers[from].end = at;
	for (size_t left = count; !ret && left && at < end; left--) {
		size_t share = (end - at + left - 1) / left;

		ret = start_worker(asked, at, at + share);
		at += share;
	}
	return ret;
}

static bool is_overdue(const struct asked *asked, const struct worker *worker)
{
	return monotonic_ns() - worker->lived_ns > silence_ns(asked->ask);
}

/*
 * How many more workers may start. Each that does not come back stays, and
 * counts as load, so there are never many of what may not answer. Counts those
 * that earlier runs left, and of those at work only the overdue ones if
 * @overdue.
 */
static size_t room_for_workers(const struct asked *asked, bool overdue)
{
	size_t count = 0;

	if (!has_objects(asked->ask))
		return SIZE_MAX;
	for (size_t i = 0; i < asked->ask->count; i++) {
		enum state state = asked->questions[i].state;

		count += state == SILENT || state == STUCK_BEFORE;
	}
	for (size_t i = 0; i < asked->worker_count; i++) {
		const struct worker *worker = &asked->workers[i];

		count += is_at_work(worker) &&
			 asked->questions[worker->at].state == OPEN &&
			 (!overdue || is_overdue(asked, worker));
	}
	return count < MOST_WAITING ? MOST_WAITING - count : 0;
}

/*
 * Gives up the worker's question. A new worker has those after it, as soon as
 * there is room for one. If all wait for what does not answer, nobody has.
 */
static int give_up_one(struct asked *asked, size_t from)
{
	struct worker *worker = &asked->workers[from];
	int ret = 0;

	if (!room_for_workers(asked, true))
		set_state(asked, worker->at + 1, worker->end, TOO_MANY_SILENT,
			  0);
	else if (worker->at + 1 < worker->end && worker->pipe >= 0 &&
		 !room_for_workers(asked, false))
		return 0;
	else
		ret = pass_on(asked, from, 1);
	give_up(asked, &asked->workers[from], SILENT);
	return ret;
}

/*
 * Its pipe is closed, so it has ended, or is held up where it ends. One that
 * was given up was killed for that.
 */
static int take_death(struct asked *asked, size_t from)
{
	struct question *question = &asked->questions[asked->workers[from].at];
	const pid_t pid = asked->workers[from].pid;
	int ret = 0;

	if (question->state == OPEN) {
		ret = give_up_one(asked, from);
		worker_reap_status(
			pid, monotonic_ns() + KILL_MS * (int64_t)NS_PER_MS,
			&question->status);
		if (question->status)
			question->state = DIED;
	}
	asked->workers[from].at++;
	return ret;
}

/*
 * The questions of a sleeping worker are passed on at once, to one new worker
 * more than there are sleeping ones. Those of a worker that is busy for long
 * are passed on to one.
 */
static int relieve(struct asked *asked)
{
	size_t sleeping = 0, busy = 0, count = asked->worker_count, room;
	int64_t now = monotonic_ns();
	int ret = 0;

	for (size_t i = 0; i < count; i++) {
		sleeping += is_at_work(&asked->workers[i]) &&
			    asked->workers[i].asleep;
		busy += is_at_work(&asked->workers[i]) &&
			!asked->workers[i].asleep;
	}
	for (size_t i = 0; !ret && i < count; i++) {
		const struct worker *worker = &asked->workers[i];
		int64_t over_ms = (now - worker->began_ns) / NS_PER_MS;

		if (!is_at_work(worker) || worker->at + 1 == worker->end)
			continue;
		room = room_for_workers(asked, false);
		if (!room)
			break;
		if (worker->asleep && over_ms >= GLANCE_MS)
			ret = pass_on(asked, i,
				      room <= sleeping ? room : sleeping + 1);
		else if (over_ms >= BUSY_MS && busy++ < MOST_BUSY)
			ret = pass_on(asked, i, 1);
	}
	return ret;
}

/* The user is told about the question that was begun first. */
static void set_about(struct asked *asked)
{
	const struct ask *ask = asked->ask;

	for (size_t i = 0; ask->patience && i < asked->worker_count; i++) {
		if (!is_at_work(&asked->workers[i]))
			continue;
		name_question(ask, asked->workers[i].at, asked->about);
		patience_set_about(ask->patience, asked->about);
		return;
	}
}

/*
 * Gives up workers that are silent or out of time. A worker that died has no
 * pipe and leaves its question open. Another goes on after it, and after one
 * that was silent for the first time that this process looked.
 */
static int look_around(struct asked *asked)
{
	const struct patience *patience = asked->ask->patience;
	bool is_over = patience_is_over(patience);
	int ret = 0;

	for (size_t i = 0; !ret && i < asked->worker_count; i++) {
		struct worker *worker = &asked->workers[i];
		int64_t now = monotonic_ns();

		if (worker->at >= worker->end)
			continue;
		if (worker->pipe < 0) {
			ret = take_death(asked, i);
			continue;
		}
		if (now - worker->began_ns < GLANCE_MS * (int64_t)NS_PER_MS)
			continue;
		look_at(asked, worker);
		if (is_over)
			give_up(asked, worker, TIMED_OUT);
		else if (is_overdue(asked, worker) && is_heard(worker))
			ret = give_up_one(asked, i);
	}
	return ret || is_over ? ret : relieve(asked);
}

static bool has_open(const struct asked *asked)
{
	for (size_t i = 0; i < asked->ask->count; i++) {
		if (asked->questions[i].state == OPEN)
			return true;
	}
	return false;
}

static int ask_all(struct asked *asked, int *lock)
{
	const struct ask *ask = asked->ask;
	struct patience *patience = ask->patience;
	const char *about = patience_set_about(patience, NULL);
	char object[STUCK_OBJECT];
	int ret = 0;

	if (room_for_workers(asked, false))
		ret = start_worker(asked, 0, ask->count);
	else
		set_state(asked, 0, ask->count, TOO_MANY_SILENT, 0);
	if (!ret && ask->outlives) {
		name_object(ask, 0, object);
		stuck_record(object, asked->workers[0].pid);
		/* The worker may take long, so let other runs begin. */
		stuck_unlock(lock);
	}
	while (!ret && has_open(asked)) {
		set_about(asked);
		ret = listen_to_all(asked);
		if (patience_has_taken(patience, PATIENCE_EARLY_MS))
			patience_show_early(patience);
		if (!ret)
			ret = look_around(asked);
		if (patience_is_over(patience))
			set_state(asked, 0, ask->count, TIMED_OUT, 0);
	}
	patience_set_about(patience, about);
	return ret;
}

/* Whether to ask at all about something that may leave a process behind. */
static enum state state_at_first(const struct ask *ask, int lock)
{
	if (ask->insists || ask->is_common)
		return OPEN;
	if (lock == -EBUSY)
		return ASKED_ELSEWHERE;
	return stuck_is_fatal() ? TOO_DANGEROUS : OPEN;
}

/*
 * If the user insists, waits a moment for a fresh record to go away: another
 * run may be about to finish.
 */
static bool is_stuck(const struct ask *ask, const char *object,
		     struct stuck *stuck)
{
	int left_ms = ask->insists ? FRESH_MS : 0;
	bool found;

	while ((found = stuck_find(object, stuck)) &&
	       time(NULL) - stuck->since < 2 && left_ms > 0) {
		poll(NULL, 0, PAUSE_MS);
		left_ms -= PAUSE_MS;
	}
	return found;
}

static void look_up_stuck(struct asked *asked, enum state all)
{
	for (size_t i = 0; i < asked->ask->count; i++) {
		struct question *question = &asked->questions[i];
		char object[STUCK_OBJECT];
		struct stuck stuck;

		name_object(asked->ask, i, object);
		if (!*object)
			continue;
		question->state = all;
		if (is_stuck(asked->ask, object, &stuck)) {
			question->state = STUCK_BEFORE;
			question->left = stuck.pid;
			question->since = stuck.since;
		} else if (was_silent(asked->ask, object)) {
			question->state = SILENT;
		}
	}
}

/* Ends all workers except those that cannot end or are meant to go on. */
static void dismiss(struct asked *asked)
{
	const struct ask *ask = asked->ask;
	int64_t until_ns;

	for (size_t i = 0; i < asked->worker_count; i++) {
		if (!ask->outlives && asked->workers[i].pipe >= 0)
			kill(asked->workers[i].pid, SIGKILL);
	}
	until_ns = monotonic_ns() + KILL_MS * (int64_t)NS_PER_MS;
	for (size_t i = 0; i < asked->worker_count; i++) {
		const struct worker *worker = &asked->workers[i];
		size_t last = worker->end ? worker->end - 1 : 0;
		struct question *question = &asked->questions[last];
		bool is_left = question->left == worker->pid;
		char object[STUCK_OBJECT];

		name_object(ask, last, object);
		if (worker_reap(worker->pid, until_ns)) {
			if (is_left)
				question->left = 0;
			if (ask->outlives)
				stuck_forget(object);
		} else if (is_left && *object) {
			stuck_record(object, worker->pid);
		}
	}
}

/* A common question takes no lock unless somebody was stuck on it before. */
static bool takes_lock(const struct ask *ask)
{
	for (size_t i = 0; has_objects(ask) && i < ask->count; i++) {
		char object[STUCK_OBJECT];

		name_object(ask, i, object);
		if (!ask->is_common || (*object && stuck_is_recorded(object)))
			return true;
	}
	return false;
}

static int ask_carefully(struct asked *asked)
{
	_cleanup_(stuck_unlock) int lock = -1;
	int ret;

	if (takes_lock(asked->ask)) {
		lock = stuck_lock(
			patience_left_ms(asked->ask->patience, LOCK_MS));
		look_up_stuck(asked, state_at_first(asked->ask, lock));
	}
	ret = has_open(asked) ? ask_all(asked, &lock) : 0;
	dismiss(asked);
	return ret;
}

int ask(const struct ask *ask, struct asked **asked, struct error *err)
{
	int ret;

	*asked = asked_create(ask);
	ret = *asked ? ask_carefully(*asked) : -ENOMEM;
	return ret < 0 ? error_errno(err, -ret, "starting", "a worker") : 0;
}

const void *ask_one(struct ask *question, struct asked **asked, int *ret,
		    struct error *err)
{
	question->count = 1;
	*ret = ask(question, asked, err);
	return *ret ? NULL : asked_answer(*asked, 0);
}

const void *asked_answer(const struct asked *asked, size_t index)
{
	return asked->questions[index].answer;
}

const char *asked_why(const struct asked *asked, size_t index,
		      char why[ASK_WHY])
{
	const struct question *question = &asked->questions[index];

	switch (question->state) {
	case STUCK_BEFORE:
		stuck_explain(&(struct stuck){ question->left,
					       question->since },
			      why);
		break;
	case TOO_DANGEROUS:
		snprintf(why, ASK_WHY,
			 "not probed: it may not answer, and with "
			 "kernel.hung_task_panic set a waiting process panics "
			 "the host");
		break;
	case ASKED_ELSEWHERE:
		snprintf(why, ASK_WHY,
			 "not probed: another bufstat waits for an answer");
		break;
	case TIMED_OUT:
		snprintf(why, ASK_WHY, PATIENCE_OVER);
		break;
	case NOT_STARTED:
		snprintf(why, ASK_WHY,
			 "not asked: no process can be started: %s",
			 strerror(-question->error));
		break;
	case TOO_MANY_SILENT:
		snprintf(why, ASK_WHY,
			 "not asked: %d others already do not answer",
			 MOST_WAITING);
		break;
	case DIED:
		snprintf(why, ASK_WHY, "not known: its worker ended: %s",
			 WIFSIGNALED(question->status) ?
				 strsignal(WTERMSIG(question->status)) :
				 strerror(WEXITSTATUS(question->status)));
		break;
	default:
		snprintf(why, ASK_WHY, "did not answer");
	}
	return why;
}

int asked_error(const struct asked *asked, size_t index)
{
	const int status = asked->questions[index].status;

	if (asked->questions[index].state == NOT_STARTED)
		return asked->questions[index].error;
	return WIFSIGNALED(status) ? -ECANCELED :
				     -(WEXITSTATUS(status) ?: ETIMEDOUT);
}

pid_t asked_left(const struct asked *asked, size_t index, int *step)
{
	*step = asked->questions[index].step;
	return asked->questions[index].left;
}
