/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is being measured for the screen: a process for each tab that is shown,
 * and one for a question about a row. Nothing here waits for any of them.
 */
#ifndef BUFSTAT_WORK_H
#define BUFSTAT_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/table_options.h"
#include "top/feed.h"
#include "top/job.h"
#include "top/keys.h"
#include "top/model.h"

struct sysroot;

struct work_options {
	const struct sysroot *root;
	const char *source; /* --source, or NULL */
	const char *recording; /* the path of one to show, or NULL */
	/* Its moment to begin with, CLOCK_REALTIME. */
	bool has_at;
	int64_t at_ms;
};

/* Writes the time now, or of a captured host when it was captured. */
void work_write_time(const struct sysroot *root, char *text, size_t size);

/* What a process is about: one of these, or a tab from WORK_FEEDS on. */
enum { WORK_JOB, WORK_STEPS, WORK_FEEDS };

struct work {
	const struct work_options *options;
	struct model *model; /* that gets the figures */
	int epoll; /* events are numbered from first_event on */
	uint32_t first_event;
	struct feed feeds[QUESTION_TABS];
	bool asked_tree[QUESTION_TABS]; /* as what shape a feed was asked */
	int64_t next_ns[QUESTION_TABS]; /* when a tab is measured again */
	struct job job; /* what was asked about a row */
	char *recording; /* its absolute path, or NULL */
	bool is_patient; /* trends are whole, for tests */
	struct feed steps;
	size_t asked_step[QUESTION_TABS]; /* for which step a feed was asked */
	bool asked_alone[QUESTION_TABS]; /* without those before it */
	bool has_taken[QUESTION_TABS]; /* there was an answer, or an error */
	size_t taken_step[QUESTION_TABS]; /* for this one */
};

/*
 * All arguments must outlive @work. Events of @epoll that are not less than
 * @first_event are those for work_read().
 */
void work_init(struct work *work, const struct work_options *options,
	       struct model *model, int epoll, uint32_t first_event);

/* The processes are told to end, and nobody waits for one that cannot. */
void work_deinit(struct work *work);

/* Starts to measure what is due, and ends to trace what is not shown. */
void work_start_due(struct work *work);

/* Measures the tab that is shown now, whether it is due or not. */
void work_again(struct work *work);

/* The interval is another: all that is shown is due. */
void work_interval(struct work *work);

/* Asks about the selected row: ACTION_DETAILS, ACTION_VERDICT or ACTION_DROP. */
void work_ask(struct work *work, enum action action);

/* Reads what a process has written, which is about @id. */
void work_read(struct work *work, unsigned int id);

/*
 * Whether more figures come at any moment. Then all are drawn at once, and if
 * they do not come, with the next tick.
 */
bool work_is_expecting(const struct work *work);

/* Whether everything that was asked for has been answered. */
bool work_is_settled(const struct work *work);

#endif
