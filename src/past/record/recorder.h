/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flight recorder. Once it runs it allocates nothing, is locked in memory
 * and touches no disk: a child takes each reading (taker.h), the writer keeps
 * it (disk.h), another child answers whoever asks (answer.h).
 */
#ifndef BUFSTAT_RECORDER_H
#define BUFSTAT_RECORDER_H

#include <stdint.h>

#include "record/answer.h"

struct error;

struct recorder_options {
	const char *dir;
	uint64_t size; /* of the recording, bytes */
	int64_t interval_ms;
	/*
	 * Called in a child: answers @line from the recording that can be
	 * opened at @path.
	 */
	int (*answer)(const char *path, char *line);
	/* Prints what is to be told while it goes on. */
	void (*tell)(const char *text);
};

/*
 * Records until a signal ends it. Returns 0 then, or a negative errno.
 */
int recorder_run(const struct recorder_options *options, struct error *err);

#endif
