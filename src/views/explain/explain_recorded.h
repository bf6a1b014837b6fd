/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recording says of what the first sentence is about. */
#ifndef BUFSTAT_EXPLAIN_RECORDED_H
#define BUFSTAT_EXPLAIN_RECORDED_H

#include "recorded/growth_rows.h"

struct explain_facts;
struct recording_place;
struct sysroot;

/* All zero: none is known. */
struct explain_rise {
	char *name; /* as in history; owned, or NULL */
	struct growth_row row; /* of history, without its series */
};

/*
 * Reads the recording of the last day once, if it can change what the first
 * sentence says, and if its last reading is of a moment ago. Sets
 * facts->medians of what that would be about, and of what it is about instead
 * where that is usual; then who has it is looked for again. Sets facts->rise to
 * the largest rise, if it brought half of what it is about, and most of that
 * has been there since. Looks at @place, where --at found @root; else, if it is
 * NULL, at the recorder's usual directory, or at the recording in a captured
 * tree; not where explain has taken long already, because its disk may be what
 * does not answer. What cannot be read is no error. Returns 0 or -ENOMEM;
 * explain_facts_deinit() frees it.
 */
int explain_recorded_find(struct explain_facts *facts,
			  const struct sysroot *root,
			  const struct recording_place *place);

#endif
