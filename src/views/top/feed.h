/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures in a process of its own, for a screen that must never wait. A
 * process that hangs is left alone, and no second one is started beside it; it
 * ends with the program.
 */
#ifndef BUFSTAT_FEED_H
#define BUFSTAT_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "worker/frames.h"

struct error;
struct past_steps;
struct replay;
struct string_list;
struct question;
struct tab_asking;

/* A process and what it has written so far. All zero: there is none. */
struct feed {
	pid_t pid; /* 0: none */
	int pipe;
	struct frames frames; /* or bytes of text */
	bool is_watched;
	int epoll; /* that watches the pipe */
};

static inline bool feed_is_busy(const struct feed *feed)
{
	return feed->pid > 0;
}

/* What a process sends that does not print: frames of these kinds. */
enum {
	FEED_ANSWER, /* a sheet (sheet.h), or the moments of a recording */
	FEED_ERROR, /* a struct error; it is the last */
	FEED_END, /* there is no more: else the process has died */
};

/* Whether that is what a frame is. Then @err is it. */
bool feed_is_error(unsigned int kind, const char *text, size_t size,
		   struct error *err);

/*
 * Each starts a process, unless one is at work, and returns 0 or a negative
 * errno.
 */

/* Measures a tab. */
int feed_measure(struct feed *feed, const struct question *tab,
		 const struct tab_asking *question);

/* Measures a tab that follows, and reports every @seconds. */
int feed_follow(struct feed *feed, const struct question *tab,
		const struct tab_asking *question, double seconds);

/* Measures a tab of a recording, at one moment after the other. */
int feed_replay(struct feed *feed, const struct question *tab,
		const struct replay *replay);

/* Reads which moments the recording has, for feed_take_steps(). */
int feed_steps(struct feed *feed, const struct replay *replay);

/*
 * Writes text about a row of a tab (details.h), of the moment of @replay if it
 * is not NULL.
 */
int feed_details(struct feed *feed, const struct question *tab, const char *key,
		 const struct tab_asking *question,
		 const struct replay *replay);

/* Runs bufstat drop with @words, for all that it prints. */
int feed_drop(struct feed *feed, const struct string_list *words, bool dry_run);

/*
 * Lets @epoll watch for what the process writes, as event @id, for as long as
 * it is at work. Returns 0 or a negative errno.
 */
int feed_watch(struct feed *feed, int epoll, uint32_t id);

/*
 * Takes the first whole line that was read, without its newline. The caller
 * frees it; NULL if there is none, or no memory for it.
 */
char *feed_line(struct feed *feed);

/*
 * Reads what is there. Returns 1 at the end, with the data complete, 0 if there
 * is more to come, or -ENOMEM. After anything but 0 the caller calls
 * feed_end().
 */
int feed_read(struct feed *feed);

/*
 * Adds the moments that were read, complete, to @steps. Returns 0 or a negative
 * errno with @err set.
 */
int feed_take_steps(struct feed *feed, struct past_steps *steps,
		    struct error *err);

/* Closes the pipe and lets the process go, which has ended. Keeps the data. */
void feed_end(struct feed *feed);

/* Ends the process, without waiting for one that cannot, and frees the data. */
void feed_stop(struct feed *feed);

#endif
