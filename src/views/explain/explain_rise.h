/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Since when what the first sentence is about has grown, by the recording. */
#ifndef BUFSTAT_EXPLAIN_RISE_H
#define BUFSTAT_EXPLAIN_RISE_H

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
 * Sets facts->rise to the largest rise of the last day, if it brought half of
 * what the first sentence is about, and most of that has been there since,
 * until a moment ago. Looks at @place, where --at found @root; else, if it is
 * NULL, at the recorder's usual directory, or at the recording in a captured
 * tree; not where explain has taken long already, because its disk may be what
 * does not answer. What cannot be read is no error. Returns 0 or -ENOMEM;
 * explain_facts_deinit() frees it.
 */
int explain_rise_find(struct explain_facts *facts, const struct sysroot *root,
		      const struct recording_place *place);

#endif
