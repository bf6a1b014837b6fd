/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be reproduced: each scenario is a row of one table. */
#ifndef BUFSTAT_SCENARIO_H
#define BUFSTAT_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>

#include "judge.h"

struct error;
struct experiment;

#define SCENARIO_PHASES 3
#define SCENARIO_CLAIMS 4

/* Returns 0 or a negative errno. */
typedef int action_fn(struct experiment *experiment, struct error *err);

/* Something that is done; a reading follows. */
struct phase {
	const char *step; /* what it is, for progress */
	/* The same in the shell: words with single spaces between them, in
	 * which @device, @witness, @file, @mount and @mib are filled in. */
	const char *command;
	bool is_external; /* --external runs the command */
	bool needs_witness; /* left out where there is none */
	action_fn *act;
};

struct scenario {
	const char *name;
	const char *hypothesis;
	const char *used; /* "what was read": the amount that claims are of */
	const char *filesystem; /* mounted from the device, "tmpfs", or NULL */
	bool counts_inodes; /* the amount is not --size but --files */
	bool has_witness; /* a second device, that nothing happens to */
	bool has_device; /* or else only a mount point */
	bool last_closes; /* the device is to outlive its last close */
	bool takes_device; /* --device */
	bool writes; /* what it uses takes up space */
	/* Before the first reading, the file system mounted; or NULL. */
	action_fn *prepare;
	struct phase phases[SCENARIO_PHASES]; /* up to one without act */
	/* The first is the point; up to one without a reading. */
	struct claim claims[SCENARIO_CLAIMS];
};

size_t scenario_count(void);
const struct scenario *scenario_at(size_t index);

/* NULL with the error's text, which has the nearest name. */
const struct scenario *scenario_find(const char *name, struct error *err);

size_t scenario_phases(const struct scenario *scenario);
size_t scenario_claims(const struct scenario *scenario);

#endif
