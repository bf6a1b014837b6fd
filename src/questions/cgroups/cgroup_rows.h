/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cgroups as rows of a table, a tree or a list, and as JSON. */
#ifndef BUFSTAT_CGROUP_ROWS_H
#define BUFSTAT_CGROUP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cgroups/cgroup_limits.h"
#include "cgroups/cgroups.h"
#include "lib/error.h"
#include "measure/zoneinfo.h"
#include "question/question.h"
#include "table/column.h"

struct command_line;
struct fields;

/* One measurement: the cgroups, the host's zones, and what follows from them. */
struct cgroup_sample {
	struct cgroups cgroups;
	struct zoneinfo zones; /* none if they could not be read */
	struct limits limits;
	uint64_t page_size; /* bytes; 0: not known, so nothing of the host is */
	struct error no_host; /* why not, or nothing went wrong */
	/* Why cgroups could not be read, unless there are none. */
	struct error no_cgroups;
};

struct cgroup_row {
	const struct cgroup_sample *sample;
	const struct cgroup *cgroup;
	const struct cgroup_limit *limit; /* of the cgroup */
	const char *shown; /* its name or its path */
	bool has_change;
	int64_t change_bytes; /* of CGROUP_CURRENT, since the last sample */
};

/* The rows are struct cgroup_row. */
extern const struct column_set cgroup_columns;

/*
 * Measures. Returns as cgroups_read(), and then @sample has the host's zones
 * and limit alone; zones that cannot be read are no error. The caller deinits
 * @sample in either case.
 */
int cgroup_sample_take(struct cgroup_sample *sample, const struct sysroot *root,
		       struct error *err);
/* Whether nothing is missing. */
bool cgroup_sample_is_whole(const struct cgroup_sample *sample);
void cgroup_sample_deinit(struct cgroup_sample *sample);

/*
 * Tells which cgroups are missing, and what contradicts itself, also of the
 * host's memory.
 */
void cgroup_sample_missing(const struct cgroup_sample *sample,
			   error_tell_fn *tell, void *data);

/* The answer of this question; its rows are a tree of names, or paths. */
struct cgroup_answer {
	struct answer head;
	struct cgroup_sample sample;
};

extern const struct question cgroup_question;
extern const struct command_line command_cgroups;

/* The member next_limit, of struct cgroup_sample. */
extern const struct fields cgroup_next_fields;

/* Of a document whose answer is one, and its rows a list. */
extern const struct fields cgroup_document;

#endif
