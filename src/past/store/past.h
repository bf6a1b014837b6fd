/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recorded reading as a captured tree, so that every reader of one has it. */
#ifndef BUFSTAT_PAST_H
#define BUFSTAT_PAST_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "question/question.h"
#include "store/format.h"

struct error;
struct patience;
struct sysroot;

/* Documents of one reading are appended one right after the other. */
#define PAST_SAME_READING_MS 1000
/* The filesystems and memory are read once a minute, or less often. */
#define PAST_MOST_AGE_MS INT64_C(900000)

/* What a reading of the devices has besides, and the recorder reads less often.
 */
enum past_part { PAST_FILESYSTEMS, PAST_MEMORY, PAST_PARTS };

/* A recorded reading. */
struct past {
	int64_t real_ms; /* when it was taken, CLOCK_REALTIME */
	int64_t part_ms[PAST_PARTS]; /* the same, of an older part; else 0 */
	char *text; /* the document, as --save has it */
	size_t size; /* bytes */
	char *parts[PAST_PARTS]; /* such documents, or NULL */
	char *names; /* STORE_NAMES of that time, or NULL */
};

/* More than any clock is set back in an hour. */
enum { PASTS = 8 };

struct pasts {
	struct past pasts[PASTS]; /* oldest first */
	size_t count;
};

/* The records that have such a part of a reading. */
enum store_kind store_kind_of(enum recorded part);

/*
 * Finds the readings of @kind that were the newest at the moment @at_ms
 * (CLOCK_REALTIME) in the recording at @path: more than one if the clock was
 * set back. STORE_DEVICES also has the last parts of that boot, if they are
 * less than a quarter of an hour older. Adds to @pasts. Returns 0, -ENODATA if
 * nothing was recorded then, or another negative errno. The caller deinits in
 * any case.
 */
int pasts_find(struct pasts *pasts, const char *path, enum store_kind kind,
	       int64_t at_ms, struct patience *patience, struct error *err);
void pasts_deinit(struct pasts *pasts);

/*
 * How much later than a reading of the devices a moment may be that it is taken
 * for, in ms: some intervals of the recorder. It was @until_ms, and is changed
 * if @text, a document of STORE_STATE, tells the interval.
 */
int64_t past_until_ms(const char *text, int64_t until_ms);
#define PAST_USUAL_UNTIL_MS INT64_C(60000)

/*
 * What "now" is on @root, in seconds since 1970: of a captured tree, when it
 * was captured, so that --from 02:00 means there what it meant then. Of one
 * that does not say when that was, as of the running host, the present.
 */
time_t past_now(const struct sysroot *root);

/*
 * Makes a captured tree of @past, in memory. Returns 0 (the caller deinits
 * @root then) or a negative errno.
 */
int past_root(struct sysroot *root, const struct past *past, struct error *err);

#endif
