/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of memory that cannot all be right. */
#ifndef BUFSTAT_CONTRADICTION_H
#define BUFSTAT_CONTRADICTION_H

#include <stdbool.h>

struct memory_heads;
struct memory_reading;

#define CONTRADICTION_TEXT 160

/*
 * Looks for one in @heads whose rest is known, and sets it there. A single head
 * that has more than all others leave counts no longer: the rest is then what
 * that head has at most.
 */
void contradiction_find(struct memory_heads *heads,
			const struct memory_reading *reading);

/* Says it, without a full stop. Returns false if there is none. */
bool contradiction_text(const struct memory_heads *heads,
			const struct memory_reading *reading,
			char text[CONTRADICTION_TEXT]);

/* The file that has the count which is wrong; of a sum /proc/meminfo. */
const char *contradiction_file(const struct memory_heads *heads,
			       const struct memory_reading *reading);

#endif
