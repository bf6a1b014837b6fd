// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices/devices.h"
#include "lib/monotonic.h"
#include "lib/number.h"
#include "lib/sentence.h"
#include "lib/sysroot.h"
#include "measure/source.h"
#include "measure/source_name.h"
#include "source_list/source_answer.h"
#include "source_list/source_limits.h"
#include "source_list/source_rows.h"
#include "trace/trace.h"
#include "worker/patience.h"

/*
 * What another walk of all inodes may cost, if it only tells the cost: a
 * second, or this many inodes. kcore takes some 2,800 instructions for each,
 * which is sixty times what the module takes (docs/cost.md).
 */
#define WALK_MOST_NS 1000000000LL
#define WALK_MOST_INODES 200000

/* Later than this, no source is tried that is not needed. */
#define UNNEEDED_MOST_MS 1000

const char *const source_questions[SOURCE_QUESTIONS + 1] = {
	[SOURCE_QUESTION_DEVICES] = "devices",
	[SOURCE_QUESTION_FILESYSTEMS] = "filesystems",
	[SOURCE_QUESTION_FILES] = "files",
	[SOURCE_QUESTION_WHO] = "who",
	[SOURCE_QUESTION_BLOCKS] = "blocks",
	[SOURCE_QUESTION_PATH] = "path",
};

/* What the measurements in docs/cost.md show for each source. */
static const struct cost {
	const char *source;
	enum sourced_question question;
	const char *text;
} costs[] = {
	{ "module", SOURCE_QUESTION_DEVICES,
	  "holds the lock of the list of devices as long as /proc/meminfo "
	  "does" },
	{ "module", SOURCE_QUESTION_FILESYSTEMS,
	  "walks all inodes; holds the lock of each list for microseconds" },
	{ "module", SOURCE_QUESTION_FILES,
	  "walks all inodes; holds the lock of each list for microseconds; "
	  "reads what each process has open" },
	{ "kcore", SOURCE_QUESTION_DEVICES,
	  "reads memory for each device; takes no lock" },
	{ "kcore", SOURCE_QUESTION_FILESYSTEMS,
	  "reads memory for each inode; takes no lock" },
	{ "kcore", SOURCE_QUESTION_FILES,
	  "reads memory for each inode; takes no lock; reads what each "
	  "process has open" },
	{ "kcore", SOURCE_QUESTION_BLOCKS,
	  "reads memory for each page of the device; takes no lock" },
	{ "cachestat", SOURCE_QUESTION_DEVICES,
	  "opens every block device, which may wait for a sick disk" },
	{ "bpf", SOURCE_QUESTION_WHO,
	  "some 200 ns for each page or folio that comes in or goes out, and "
	  "1.5 MB in the kernel" },
	{ "ftrace", SOURCE_QUESTION_PATH,
	  "makes each call of a traced function slower; bufstat path says by "
	  "how much" },
};

static const char *find_cost(const char *source, enum sourced_question question)
{
	for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++) {
		if (costs[i].question == question &&
		    strcmp(costs[i].source, source) == 0)
			return costs[i].text;
	}
	return NULL;
}

/*
 * Returns the row that says why @row's walk of all inodes takes too long, or
 * NULL: another source has answered, and there are many inodes, or the same
 * source has walked them already and took long.
 */
static const struct source_row *find_slow(const struct source_rows *rows,
					  const struct source_row *row)
{
	bool is_needed = !source_rows_answer(rows, row->question);

	if (row->question != SOURCE_QUESTION_FILESYSTEMS &&
	    row->question != SOURCE_QUESTION_FILES)
		return NULL;
	for (size_t i = 0; i < rows->count; i++) {
		const struct source_row *other = &rows->rows[i];

		if (other->question != SOURCE_QUESTION_FILESYSTEMS)
			continue;
		if (!is_needed && other->inodes > WALK_MOST_INODES)
			return other;
		if (strcmp(other->name, row->name) == 0 &&
		    other->time_ns > WALK_MOST_NS)
			return other;
	}
	return NULL;
}

/* What the source of @row could say about devices. */
static const struct source_row *find_devices(const struct source_rows *rows,
					     const struct source_row *row)
{
	const struct source_row *at = rows->rows;

	while (at->question != SOURCE_QUESTION_DEVICES ||
	       strcmp(at->name, row->name) != 0)
		at++;
	return at;
}

/* Whether its sources answer it here; of the others it is seen if they could. */
static bool measures(enum sourced_question question)
{
	return question <= SOURCE_QUESTION_WHO;
}

static void set_left_out(struct source_row *row, enum lack lack, const char *of)
{
	row->usable = SOURCE_NOT_TRIED;
	error_remedy(&row->why, lack_error(&row->why, lack, of),
		     "bufstat %s --source %s", source_questions[row->question],
		     row->name);
}

/* It answers all the same if no better source does: it has just done so. */
static void leave_out_walk(struct source_row *row,
			   const struct source_row *slow, bool is_needed)
{
	char reason[128];

	snprintf(reason, sizeof(reason), "%s took %s", slow->name,
		 DURATION(slow->time_ns));
	/* Else it may have waited for those that did not answer. */
	if (slow->why.lack != LACK_WORKER)
		ADD_TEXT(reason, " to walk %s inodes",
			 slow->inodes ? COUNT((uint64_t)slow->inodes) : "the");
	row->answers = is_needed;
	set_left_out(row, LACK_SPEED, reason);
}

enum lack source_left_out(const struct source_rows *rows,
			  const struct source_row *row, size_t which,
			  const struct sysroot *root)
{
	const struct source_row *answer =
		source_rows_answer(rows, row->question);
	bool is_live = sysroot_is_live(root);

	/* Does not open every device only to see whether that works. */
	if (is_live && row->question == SOURCE_QUESTION_DEVICES && answer &&
	    answer->usable == SOURCE_USABLE && source_opens_devices(which))
		return LACK_NEED_OF_DEVICES;
	if (is_live && find_slow(rows, row))
		return LACK_SPEED;
	if (patience_is_over(root->patience))
		return LACK_TIME;
	return answer && patience_has_taken(root->patience, UNNEEDED_MOST_MS) ?
		       LACK_NEED :
		       LACKS_NOTHING;
}

/* Asks the source of @row. Returns 0 or -ENOMEM. */
static int ask(const struct source_rows *rows, struct source_row *row,
	       size_t which, const struct sysroot *root)
{
	switch (row->question) {
	case SOURCE_QUESTION_DEVICES:
		return source_answer_devices(row, which, root);
	case SOURCE_QUESTION_FILESYSTEMS:
		return source_answer_filesystems(row, root);
	case SOURCE_QUESTION_FILES:
		return source_answer_files(row, root);
	case SOURCE_QUESTION_WHO:
		return source_answer_who(row, root);
	case SOURCE_QUESTION_BLOCKS:
		return source_answer_blocks(row, find_devices(rows, row), root);
	default:
		return source_answer_path(row, root);
	}
}

/* @which is the source's rank among those that know of the question. */
static int try_source(struct source_rows *rows, struct source_row *row,
		      size_t which, const struct sysroot *root)
{
	const struct source_row *answer =
		source_rows_answer(rows, row->question);
	const struct devices empty = { .source = row->name };
	enum lack lack = source_left_out(rows, row, which, root);
	int64_t began = monotonic_ns();
	int ret;

	if (lack == LACK_SPEED)
		leave_out_walk(row, find_slow(rows, row), !answer);
	else if (lack == LACK_TIME)
		source_answer_late(row);
	else if (lack)
		set_left_out(row, lack, answer->name);
	if (lack)
		return lack == LACK_NEED_OF_DEVICES ?
			       device_limits(&empty, &row->limits) :
			       0;
	ret = ask(rows, row, which, root);
	if (sysroot_is_live(root) && measures(row->question) &&
	    row->usable != SOURCE_NOT_USABLE)
		row->time_ns = monotonic_ns() - began;
	row->answers = row->usable >= SOURCE_USABLE_IN_PART && !answer;
	return ret;
}

/* The earlier row of the same source that has the same reason, or NULL. */
static const struct source_row *find_same(const struct source_rows *rows,
					  const struct source_row *row)
{
	for (size_t i = 0; i < rows->count && *row->why.reason; i++) {
		const struct source_row *other = &rows->rows[i];

		if (strcmp(other->name, row->name) == 0 &&
		    strcmp(other->why.reason, row->why.reason) == 0 &&
		    strcmp(other->why.remedy, row->why.remedy) == 0)
			return other;
	}
	return NULL;
}

static int make_note(const struct source_rows *rows, struct source_row *row)
{
	const struct source_row *same = find_same(rows, row);
	const struct error *why = &row->why;
	bool has_remedy = *why->remedy && !same;
	bool cannot = row->limits && row->usable >= SOURCE_USABLE_IN_PART;

	if (!*why->reason && !cannot)
		return 0;
	if (asprintf(&row->note, "%s%s%s%s%s%s%s%s",
		     same ? "as for " : why->reason,
		     same ? source_questions[same->question] : "",
		     has_remedy ? " (" : "", has_remedy ? why->remedy : "",
		     has_remedy ? ")" : "", *why->reason && cannot ? "; " : "",
		     cannot ? "cannot tell: " : "",
		     cannot ? row->limits : "") < 0) {
		row->note = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* The name of the source of that rank, static. */
static const char *name_of(enum sourced_question question, size_t which)
{
	switch (question) {
	case SOURCE_QUESTION_DEVICES:
		return source_name(which);
	case SOURCE_QUESTION_FILESYSTEMS:
	case SOURCE_QUESTION_FILES:
		return source_of_files_name(which);
	case SOURCE_QUESTION_WHO:
		return TRACE_ENGINE;
	case SOURCE_QUESTION_BLOCKS:
		return "kcore";
	default:
		return "ftrace";
	}
}

static int add_row(struct source_rows *rows, enum sourced_question question,
		   size_t which, const struct sysroot *root)
{
	struct source_row *row = &rows->rows[rows->count];
	int ret;

	*row = (struct source_row){
		.question = question,
		.name = name_of(question, which),
		.count = -1,
		.pages = -1,
		.time_ns = -1,
	};
	row->cost = find_cost(row->name, question);
	ret = try_source(rows, row, which, root);
	/* A captured tree says the same again. */
	if (row->why.lack == LACK_REST && !sysroot_is_live(root))
		*row->why.remedy = '\0';
	if (!ret)
		ret = make_note(rows, row);
	rows->count++;
	return ret;
}

bool source_question_is_asked(enum sourced_question question,
			      const struct sysroot *root)
{
	return question < SOURCE_QUESTION_WHO || sysroot_is_live(root);
}

/* How many sources know of the question. */
static size_t count_of(enum sourced_question question,
		       const struct sysroot *root)
{
	if (!source_question_is_asked(question, root))
		return 0;
	switch (question) {
	case SOURCE_QUESTION_DEVICES:
		return source_count();
	case SOURCE_QUESTION_FILESYSTEMS:
	case SOURCE_QUESTION_FILES:
		return SOURCES_OF_FILES;
	default:
		return 1;
	}
}

int source_rows_init(struct source_rows *rows, const struct sysroot *root)
{
	size_t most = source_count() + (size_t)2 * SOURCES_OF_FILES +
		      (SOURCE_QUESTIONS - SOURCE_QUESTION_WHO);
	int ret = 0;

	*rows = (struct source_rows){ .rows = calloc(most,
						     sizeof(*rows->rows)) };
	if (!rows->rows)
		return -ENOMEM;
	for (unsigned int i = 0; i < SOURCE_QUESTIONS; i++) {
		size_t count = count_of(i, root);

		for (size_t j = 0; !ret && j < count; j++)
			ret = add_row(rows, i, j, root);
	}
	return ret;
}

void source_rows_deinit(struct source_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->rows[i].limits);
		free(rows->rows[i].note);
	}
	free(rows->rows);
	*rows = (struct source_rows){ 0 };
}

const struct source_row *source_rows_answer(const struct source_rows *rows,
					    enum sourced_question question)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (rows->rows[i].question == question && rows->rows[i].answers)
			return &rows->rows[i];
	}
	return NULL;
}
