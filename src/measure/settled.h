/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether figures that were read one after the other belong together. All are
 * in pages.
 */
#ifndef BUFSTAT_SETTLED_H
#define BUFSTAT_SETTLED_H

#include <stdbool.h>
#include <stdint.h>

/* How far Cached or Buffers may move while its parts are measured. */
int64_t settled_allowance(uint64_t cached);

/* Whether two figures differ by no more than that. */
bool settled_is_near(uint64_t pages, uint64_t others);

#endif
