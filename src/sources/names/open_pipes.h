/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which pipes the processes have open, by the links in /proc/PID/fd. */
#ifndef BUFSTAT_OPEN_PIPES_H
#define BUFSTAT_OPEN_PIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sysroot;

struct open_pipes {
	uint64_t *numbers; /* sorted; one that several have is there again */
	size_t count, capacity;
};

/*
 * Reads the links of all processes of this PID namespace. Returns 0, -ETIMEDOUT
 * if patience_walk() ended it, or another negative errno, as -EACCES if one may
 * not be looked at. Then some are lacking. The caller deinits in any case.
 */
int open_pipes_init(struct open_pipes *open, const struct sysroot *root);
void open_pipes_deinit(struct open_pipes *open);

/* Whether any process has pipe:[@number]. */
bool open_pipes_has(const struct open_pipes *open, uint64_t number);

#endif
