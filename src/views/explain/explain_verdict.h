/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What cannot be reclaimed, whose it is, and which limit is next. Reads nothing.
 */
#ifndef BUFSTAT_EXPLAIN_VERDICT_H
#define BUFSTAT_EXPLAIN_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "cgroups/cgroup_files.h"
#include "memory/memory_heads.h"

struct cgroup;
struct explain_facts;
struct explain_writer;
struct fields;
struct memory_owner;

struct explain_verdict {
	/* All heads are counted, and about the memory of MemTotal. */
	bool knows_kept;
	int64_t kept_bytes; /* what cannot be reclaimed, at least */
	/* The head with most of that, of a dump with most; or MEMORY_HEADS. */
	enum memory_head_id largest;
	int64_t largest_bytes; /* of it, what cannot be reclaimed */
	/* Instead of a head: pages that are locked or pinned, of several. */
	bool largest_is_unevictable;
	/* The cgroup with most of that head; NULL: none has a tenth. */
	const struct cgroup *owner;
	int64_t owner_bytes;
	/* The process with most of it, under the same condition; or NULL. */
	const struct memory_owner *process;
	/* Set if it is more than counts that lag can explain. */
	int64_t unaccounted_bytes;
};

/* Whether a cgroup's figure is a part of the head, and which one. */
bool explain_figure_of(enum memory_head_id head, enum cgroup_figure *figure);

void explain_verdict_init(struct explain_verdict *verdict,
			  const struct explain_facts *facts);

/* Writes it as two sentences, each on a line. */
void explain_write_verdict(const struct explain_writer *writer);

/* As JSON, with what the first sentence says: of struct explain_facts. */
extern const struct fields explain_verdict_fields;

#endif
