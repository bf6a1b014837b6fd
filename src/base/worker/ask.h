/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks many questions, any of which may never be answered. A filesystem whose
 * server is gone, or a device whose driver waits, blocks whoever touches it in
 * the kernel, where not even SIGKILL helps. So worker processes ask, and the
 * program itself waits only for them. Blocked threads would keep it from
 * exiting.
 *
 * A worker asks one question after the other. While it sleeps in one, other
 * workers go on with the questions after it. A worker that makes no progress
 * for ASK_SILENCE_MS is given up. Progress is an answer, time on a processor,
 * or waiting for a processor.
 */
#ifndef BUFSTAT_ASK_H
#define BUFSTAT_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "worker/stuck.h"

struct error;
struct patience;

enum {
	ASK_SILENCE_MS = 400,
	ASK_WHY = STUCK_WHY, /* bytes */
};

struct ask {
	/*
	 * Called in a worker: answers question @index into @answer, which is
	 * all zero and has room for @answer_size bytes. Returns the size of the
	 * answer in bytes. Until then it may report with ask_tell_step() how
	 * far it is.
	 */
	size_t (*answer)(const void *data, size_t index, void *answer);
	const void *data;
	size_t count;
	size_t answer_size; /* bytes */
	int kept; /* descriptor that workers get as WORKER_KEPT, or -1 */
	/* Names what the question is about, for the user. NULL: @what does. */
	void (*name)(const void *data, size_t index, char text[STUCK_OBJECT]);
	const char *what;
	/*
	 * Names what a worker may get stuck on forever, so that no other worker
	 * ever tries the same. "" if it cannot get stuck. NULL: @stuck_on does,
	 * which may be NULL, too: no question can get stuck.
	 */
	void (*object)(const void *data, size_t index, char text[STUCK_OBJECT]);
	const char *stuck_on;
	/*
	 * Whether there was other progress since the last call. NULL: none is
	 * known.
	 */
	bool (*moves)(void *data);
	void *moves_data;
	int silence_ms; /* 0: ASK_SILENCE_MS */
	/*
	 * There is only one question. A worker that is given up is not killed
	 * but goes on. It counts as stuck on its object from the beginning.
	 */
	bool outlives;
	/*
	 * The user named exactly this: ask even on a host that panics if a
	 * worker is stuck for long (kernel.hung_task_panic).
	 */
	bool insists;
	/*
	 * Other programs ask the same all the time, as whoever reads the
	 * mounts: ask on any host, and while other runs ask.
	 */
	bool is_common;
	/*
	 * Nothing that the answer does may wait: where no process can be
	 * started, this one answers itself, and the answer finds the number of
	 * @kept here. The caller sets it to WORKER_KEPT. NULL: it may wait.
	 */
	int *kept_at;
	struct patience *patience; /* or NULL */
};

struct asked;

/*
 * Returns 0 when each question is answered or given up, or a negative errno if
 * memory ran out; with outlives, also if no process can be started. In either
 * case the caller destroys *@asked, which may be NULL, and keeps what @ask
 * points to until then.
 */
int ask(const struct ask *ask, struct asked **asked, struct error *err);
void asked_destroy(struct asked *asked);

/*
 * The same for one question, whatever its count is. Sets *@ret to what ask()
 * returns. Returns the answer, owned by *@asked, or NULL if there is none.
 */
const void *ask_one(struct ask *question, struct asked **asked, int *ret,
		    struct error *err);

/* Returns the answer, owned by @asked, or NULL if there is none. */
const void *asked_answer(const struct asked *asked, size_t index);

/*
 * Says why there is no answer: "did not answer", "not answering since...", "not
 * known: its worker ended: ...", "not probed: ...", "not asked: ...". Returns
 * @why. Only for a question without an answer.
 */
const char *asked_why(const struct asked *asked, size_t index,
		      char why[ASK_WHY]);

/* The same as a negative errno, -ETIMEDOUT if it just did not answer. */
int asked_error(const struct asked *asked, size_t index);

/*
 * Returns the worker that was left behind with the question, or 0, and sets
 * *@step to its last step.
 */
pid_t asked_left(const struct asked *asked, size_t index, int *step);

/*
 * Called in a worker while it answers: reports how far it is. @step is not 0.
 */
void ask_tell_step(int step);

#endif
