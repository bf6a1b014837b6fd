/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tracing may cost, on the average of a minute. Once a minute's part is
 * used up, tracing pauses until the average is right again.
 */
#ifndef BUFSTAT_BUDGET_H
#define BUFSTAT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* A processor may be used for this part of the time, in 1/1000. */
#define BUDGET_PERMILLE 5
/*
 * What the programs take for an event, ns. docs/cost.md: 226 for one that comes
 * in, and 163 for one that goes out (6.18).
 */
#define BUDGET_EVENT_NS 200

/* All zero bytes: nothing was used. */
struct budget {
	int64_t began_ns; /* of the minute; 0: none yet */
	int64_t used_ns; /* since then */
};

/*
 * Notes that @cost_ns of processor time were used until @now_ns
 * (CLOCK_MONOTONIC). Returns 0, or until when to pause.
 */
int64_t budget_use(struct budget *budget, int64_t now_ns, int64_t cost_ns);

/*
 * When to trace while tracing all would cost too much: 50 ms of each second.
 * They begin at random in it, and what goes beyond its end is at its beginning,
 * so every moment has the same chance.
 */
#define SAMPLING_SECOND_NS INT64_C(1000000000)
#define SAMPLING_WINDOW_NS INT64_C(50000000)

/* One second. Times are CLOCK_MONOTONIC, ns. */
struct sampling {
	int64_t second_ns; /* when it began */
	int64_t start_ns; /* of the window, since then */
};

/* Begins a second at @second_ns, with a @random number. */
void sampling_begin(struct sampling *sampling, int64_t second_ns,
		    uint32_t random);
bool sampling_is_over(const struct sampling *sampling, int64_t now_ns);
bool sampling_is_on(const struct sampling *sampling, int64_t now_ns);

/* When the window begins or ends next, or the second ends. */
int64_t sampling_next(const struct sampling *sampling, int64_t now_ns);

#endif
