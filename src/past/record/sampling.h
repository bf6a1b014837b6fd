/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When to trace while tracing all would cost too much: 50 ms of each second.
 * They begin at random in it, and what goes beyond its end is at its beginning,
 * so every moment has the same chance.
 */
#ifndef BUFSTAT_SAMPLING_H
#define BUFSTAT_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

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
