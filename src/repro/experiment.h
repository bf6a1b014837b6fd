/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a scenario in a lab of its own and judges what was measured. */
#ifndef BUFSTAT_EXPERIMENT_H
#define BUFSTAT_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"
#include "lab.h"
#include "scenario.h"
#include "string_list.h"

struct progress;
struct stop;
struct sysroot;

struct repro_options {
	const char *source; /* NULL: the best */
	const char *dir; /* where labs are made */
	const char *device; /* in place of a lab's; NULL */
	uint64_t size_bytes; /* to read or write: whole mebibytes */
	uint64_t files; /* to make where inodes are counted */
	bool external; /* run dd and find */
	bool keep;
	bool opposite; /* claim the opposite of the point */
};

enum outcome_state {
	OUTCOME_JUDGED,
	OUTCOME_NOT_RUN, /* the host lacks something */
	OUTCOME_FAILED,
};

/* What became of it. All zero bytes is an empty one. */
struct outcome {
	const struct scenario *scenario;
	bool opposite;
	char *lab; /* in words */
	char *kept; /* the directory that is left to the user, or NULL */
	char device_name[64]; /* "" if there is none */
	char witness_name[64];
	struct string_list commands; /* one for each phase that was run */
	struct reading readings[SCENARIO_PHASES + 1];
	size_t reading_count;
	double noise_pages_per_ns[QUANTITIES]; /* while nothing was run */
	const char *source; /* NULL: no source could measure the device */
	struct error why; /* why not, or "" */
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
	EXPERIMENT_READING,
	EXPERIMENT_AGAIN,
	EXPERIMENT_ENDS,
};

/* Is told what is new in the outcome. */
typedef void experiment_watch_fn(void *data, enum experiment_event event,
				 const struct outcome *outcome);

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
	char *node; /* of the device */
	dev_t device;
	int user_device; /* the one that was named, held open; -1 */
	char *file; /* its path, or NULL */
	int file_fd; /* -1 */
};

/*
 * Fills @experiment's outcome, which the caller deinits, and leaves nothing
 * behind. A verdict that others may have brought about is tried for again,
 * at most twice. Needs lab_isolate() before. Returns 0, also if it could not be
 * run or failed, or -EINTR if it was stopped.
 */
int experiment_run(struct experiment *experiment);
void outcome_deinit(struct outcome *outcome);

/* Names a device as its node is called. */
void outcome_name_device(char name[64], const char *node);

/* Is there anything that this host lacks? Returns 0 or -EOPNOTSUPP. */
int experiment_check(const struct sysroot *root,
		     const struct scenario *scenario, struct error *err);

/* For actions: the descriptor that holds the device. */
int experiment_held(const struct experiment *experiment);
/* How much is read or written. */
static inline uint64_t experiment_bytes(const struct experiment *experiment)
{
	return experiment->outcome->size_bytes;
}

#endif
