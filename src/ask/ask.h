/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks many questions of which any may never be answered: a filesystem whose
 * server is gone, or a device whose driver waits, leaves whoever touches it
 * waiting in the kernel, where not even SIGKILL reaches. So workers ask, and
 * the program itself waits for nothing but them; threads would keep it from
 * ending.
 *
 * A worker asks one question after the other. While it sleeps over one, others
 * go on with those after it. One that makes no progress for ASK_SILENCE_MS is
 * given up: progress is an answer, time on a processor, or waiting for one.
 */
#ifndef BUFSTAT_ASK_H
#define BUFSTAT_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "ask/stuck.h"

struct error;
struct patience;

enum {
	ASK_SILENCE_MS = 400,
	ASK_WHY = 160, /* bytes */
};

struct ask {
	/*
	 * In a worker: answers question @index into @answer, which is all zero
	 * and has room for @answer_size bytes. Returns how many of them there
	 * are, and may have told before with ask_tell_step() how far it is.
	 */
	size_t (*answer)(const void *data, size_t index, void *answer);
	const void *data;
	size_t count;
	size_t answer_size; /* bytes */
	int kept; /* the worker has it as WORKER_KEPT; -1: none */
	/* What the question is about, for the user. */
	void (*name)(const void *data, size_t index, char text[STUCK_OBJECT]);
	/*
	 * What a worker may be stuck with for ever, so that no other is ever
	 * asked about the same; "" if it cannot. NULL: that goes for all.
	 */
	void (*object)(const void *data, size_t index, char text[STUCK_OBJECT]);
	/* Is there other progress since the last call? NULL: none is known. */
	bool (*moves)(void *data);
	void *moves_data;
	int silence_ms; /* 0: ASK_SILENCE_MS */
	/* There is one question, and what was given up is not ended but goes
	 * on: from the beginning it counts as stuck with its object. */
	bool outlives;
	/* The user named just this: also where a worker that is stuck for long
	 * ends the whole host (kernel.hung_task_panic). */
	bool insists;
	struct patience *patience; /* or NULL */
};

struct asked;

/*
 * Returns when each question is answered or given up, 0, or a negative errno:
 * there could be no process. The caller destroys *@asked, which may be NULL, in
 * either case, and keeps what @ask points to until then.
 */
int ask(const struct ask *ask, struct asked **asked, struct error *err);
void asked_destroy(struct asked *asked);

/* The answer, owned by @asked, or NULL: there was none. */
const void *asked_answer(const struct asked *asked, size_t index);

/*
 * Why there was none: "did not answer", "not answering since...", "not
 * probed: ...". Returns @why. Only for a question without an answer.
 */
const char *asked_why(const struct asked *asked, size_t index,
		      char why[ASK_WHY]);

/* Is @why such a reason, and not one that an answer gave? */
bool ask_is_silence(const char *why);

/* The worker that was left with the question, or 0; and its last step. */
pid_t asked_left(const struct asked *asked, size_t index, int *step);

/* In a worker, while it answers: how far it is, not 0. */
void ask_tell_step(int step);

#endif
