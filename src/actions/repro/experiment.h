/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An experiment as data: its plan, its resources and its outcome. The files
 * that run it include this header; it includes none of theirs.
 */
#ifndef BUFSTAT_EXPERIMENT_H
#define BUFSTAT_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"
#include "lib/string_list.h"
#include "repro/judge.h"
#include "repro/lab.h"

struct experiment;
struct progress;
struct stop;
struct sysroot;
struct trace;
struct way;

#define SCENARIO_PHASES 3
#define SCENARIO_CLAIMS 4

/* Returns 0 or a negative errno. */
typedef int action_fn(struct experiment *experiment, struct error *err);

/* One step of a scenario. An observation follows it. */
struct phase {
	const char *step; /* its name, for progress */
	/* The equivalent shell command: words separated by single spaces, with
	 * the placeholders @device, @witness, @file, @mount and @mib. */
	const char *command;
	bool is_external; /* --external runs the command */
	bool needs_witness; /* skipped if there is no witness */
	action_fn *act;
};

struct scenario {
	const char *name;
	const char *hypothesis;
	const char *used; /* "what was read": claims are of its amount */
	const char *filesystem; /* mounted from the device, "tmpfs", or NULL */
	bool counts_inodes; /* the amount is --files, not --size */
	bool has_witness; /* makes a second device, to compare with */
	bool traces; /* which process fills the devices */
	const struct way *ways; /* whose path is traced; or NULL */
	bool needs_no_device; /* only a mount point */
	bool last_closes; /* no autoclear: the device outlives its close */
	bool takes_device; /* accepts --device */
	bool writes; /* its data takes up disk space */
	/* Runs before the first observation, after mounting; or NULL. */
	action_fn *prepare;
	struct phase phases[SCENARIO_PHASES]; /* ends at one without act */
	/* The first claim is the point. Ends at one whose observation is 0. */
	struct claim claims[SCENARIO_CLAIMS];
};

struct repro_options {
	const char *source; /* NULL: the best one */
	const char *dir; /* where labs are made */
	const char *device; /* used instead of a lab's; or NULL */
	uint64_t size_bytes; /* to read or write: whole mebibytes; 0: default */
	uint64_t files; /* to make, if inodes are counted */
	bool external; /* run dd and find */
	bool keep;
	bool opposite; /* claim the opposite of the point */
};

enum outcome_state {
	OUTCOME_JUDGED,
	OUTCOME_NOT_RUN, /* the host lacks something */
	OUTCOME_FAILED,
};

/* The result of an experiment. All zero bytes is an empty one. */
struct outcome {
	const struct scenario *scenario;
	bool opposite;
	char *lab; /* its description */
	char *kept; /* directory left to the user, or NULL */
	char *because; /* the verdict in words, for a document; or NULL */
	char *astray; /* functions of ways, missing or too many; or NULL */
	char device_name[64]; /* "" if there is none */
	char witness_name[64];
	struct string_list commands; /* one for each phase that was run */
	struct observation observations[SCENARIO_PHASES + 1];
	size_t observation_count;
	double noise_pages_per_ns[QUANTITIES]; /* while nothing was run */
	const char *source; /* NULL: no source could measure the device */
	struct error why; /* why no source could */
	uint64_t page_size; /* bytes */
	uint64_t size_bytes;
	uint64_t files; /* 0: none were made */
	uint64_t amount_pages;
	struct finding findings[SCENARIO_CLAIMS];
	size_t finding_count;
	size_t deciding;
	unsigned int attempts;
	enum outcome_state state;
	enum verdict verdict;
	struct error error; /* why it was not run or failed */
};

enum experiment_event {
	EXPERIMENT_BEGINS,
	EXPERIMENT_LAB,
	EXPERIMENT_COMMAND,
	EXPERIMENT_OBSERVATION,
	EXPERIMENT_AGAIN,
	EXPERIMENT_ENDS,
};

/* Called for each event; @outcome has what is new. */
typedef void experiment_watch_fn(void *data, enum experiment_event event,
				 const struct outcome *outcome);

/* What all ways of a scenario added, in pages. */
struct ways_sum {
	bool is_known; /* else records were lost */
	int64_t through; /* the one with least, through the page cache */
	int64_t past; /* the one with most, past it */
	int64_t astray; /* functions */
};

struct experiment {
	const struct sysroot *root;
	const struct repro_options *options;
	const struct scenario *scenario;
	struct stop *stop;
	struct progress *progress;
	experiment_watch_fn *watch;
	void *watch_data;

	struct outcome *outcome;
	struct lab lab;
	char *node; /* path of the device */
	dev_t device;
	int user_device; /* descriptor of --device, or -1 */
	char *file; /* its path, or NULL */
	int file_fd; /* -1 */
	struct trace *trace; /* or NULL */
	struct ways_sum ways;
};

/* The descriptor that holds the device open. */
static inline int experiment_held(const struct experiment *experiment)
{
	return experiment->user_device >= 0 ? experiment->user_device :
					      experiment->lab.devices[0].held;
}

/* How many bytes are read or written. */
static inline uint64_t experiment_bytes(const struct experiment *experiment)
{
	return experiment->outcome->size_bytes;
}

#endif
