// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <unistd.h>

#include "lib/monotonic.h"
#include "record/take.h"
#include "record/taker.h"
#include "worker/worker.h"

#define NS_PER_S INT64_C(1000000000)
/* Longer than any reading that makes progress (take.c). */
#define READING_NS (8 * NS_PER_S)
/* A walk over all inodes may take this part of the time. */
#define WALK_PART 300

int taker_start(struct taker *taker)
{
	int64_t now_ns = monotonic_ns();
	unsigned int also = 0;
	pid_t pid;

	taker->is_key = !taker->key_ns ||
			now_ns - taker->key_ns >= KEY_S * NS_PER_S;
	if (taker->is_key) {
		taker->key_ns = now_ns;
		also = TAKE_MEMORY | TAKE_NAMES;
		if (now_ns >= taker->walk_again_ns)
			also |= TAKE_FILESYSTEMS;
	}
	taker->frames.used = 0;
	taker->since_ns = now_ns;
	pid = worker_start(-1, false, &taker->pipe);
	if (!pid) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		take_reading(WORKER_PIPE, also);
		_exit(0);
	}
	if (pid < 0)
		return pid;
	taker->pid = pid;
	return 0;
}

bool taker_hear(struct taker *taker)
{
	if (frames_read(&taker->frames, taker->pipe) < 0)
		return false;
	close(taker->pipe);
	taker->pipe = -1;
	return true;
}

void taker_walked(struct taker *taker, int64_t walk_ns)
{
	taker->walk_again_ns = monotonic_ns() + walk_ns * WALK_PART;
}

bool taker_give_up(struct taker *taker)
{
	bool told = taker->told_stuck;

	if (monotonic_ns() - taker->since_ns < READING_NS)
		return false;
	kill(taker->pid, SIGKILL);
	taker->told_stuck = true;
	return !told;
}

void taker_forget(struct taker *taker)
{
	taker->pid = 0;
	taker->told_stuck = false;
}
