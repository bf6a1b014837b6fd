/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks a worker, and says what it does if it makes no progress. */
#ifndef BUFSTAT_SILENCE_H
#define BUFSTAT_SILENCE_H

struct ask;
struct error;

/* A healthy disk that flushes its cache may show no progress for this long. */
enum { DROP_SILENCE_MS = 1700 };

/*
 * Asks one question, and copies the answer to @answer. If there is none, @err
 * says why: if a worker was left behind with it, what that goes on with, by the
 * names of its @steps. Returns 0, -EBUSY, or what ask() does.
 */
int drop_ask(struct ask *question, const char *const *steps, void *answer,
	     struct error *err);

#endif
