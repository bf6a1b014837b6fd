/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to say of a worker that makes no progress. */
#ifndef BUFSTAT_SILENCE_H
#define BUFSTAT_SILENCE_H

struct asked;
struct error;

/* A healthy disk that flushes its cache may show no progress for this long. */
enum { DROP_SILENCE_MS = 1700 };

/*
 * Fills in why the only question about @object has no answer. If a worker was
 * left behind with it, says what it goes on with; step_text() names the step.
 * Returns -EBUSY.
 */
int drop_silence(const struct asked *asked, const char *object,
		 const char *(*step_text)(int step), struct error *err);

#endif
