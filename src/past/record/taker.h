/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The taker: a child that takes one reading of a recording and ends. A process
 * of its own does it, because what it does allocates, and may wait for a sick
 * disk. One that does not come back is left alone, and there is never a second.
 */
#ifndef BUFSTAT_TAKER_H
#define BUFSTAT_TAKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "worker/frames.h"

enum { KEY_S = 60 }; /* key records are that far apart */

/*
 * A frame that is no document, each of which has its enum store_kind: how long
 * the filesystems took, an int64_t, ns.
 */
enum { TAKER_WALK_NS = 0 };

struct taker {
	pid_t pid; /* 0: there is none */
	int pipe; /* -1: all of it has been read */
	int64_t since_ns; /* when it was started, CLOCK_MONOTONIC */
	struct frames frames;
	bool is_key; /* its documents are key records */
	bool told_stuck;
	int64_t key_ns; /* when the last key records were asked for */
	int64_t walk_again_ns; /* when the filesystems may be walked again */
};

/* Starts one, where there is none. Returns 0 or a negative errno. */
int taker_start(struct taker *taker);

/*
 * Reads what it has sent. Returns whether that is all; its documents are in
 * @frames then.
 */
bool taker_hear(struct taker *taker);

/* Notes how long the filesystems took. */
void taker_walked(struct taker *taker, int64_t walk_ns);

/*
 * Kills one that takes too long. Returns whether that is to be told: once for
 * each that does not come back.
 */
bool taker_give_up(struct taker *taker);

/* Notes that it has ended, after all was heard. */
void taker_forget(struct taker *taker);

#endif
