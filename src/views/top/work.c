// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/absolute_path.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "store/recording.h"
#include "top/replay.h"
#include "top/work.h"

#define SECOND_NS INT64_C(1000000000)
/* What only the line about limits needs is measured no more often. */
#define IN_BACKGROUND_NS (10 * SECOND_NS)
/* A walk of all inodes takes at most a fifth of the time. */
#define WALK_PAUSES 4
/* Figures are drawn together if they are asked for within this time. */
#define SOON_NS (SECOND_NS / 4)
/* As many readings of a recording as a trend shows. */
#define TREND_STEPS 60

void work_write_time(const struct sysroot *root, char *text, size_t size)
{
	const struct provenance provenance = provenance_of(root, NULL);
	char clock[MOMENT_TEXT_SIZE];

	if (sysroot_is_live(root)) {
		snprintf(text, size, "%s", clock_text(clock));
		return;
	}
	if (*provenance.taken_at)
		snprintf(text, size, "captured %s", provenance.taken_at);
	else
		snprintf(text, size, "a captured host");
}

/* What is on the screen: the tab, memory at the top, and the next limit. */
static bool is_wanted(const struct work *work, enum question_id id)
{
	return id == work->model->tab || id == QUESTION_MEMORY ||
	       (id == QUESTION_CGROUPS && !work->model->is_replay);
}

static struct tab_asking question_of(const struct work *work,
				     enum question_id id)
{
	return (struct tab_asking){
		.root = work->options->root,
		.source = work->options->source,
		.tree = work->model->views[id].is_tree &&
			!work->model->views[id].sorted_by,
	};
}

static struct replay replay_of(const struct work *work, size_t most)
{
	const struct past_step *step = model_step(work->model);

	return (struct replay){
		.path = work->recording,
		.name = work->options->recording,
		.step = step ? *step : (struct past_step){ 0 },
		.most = most,
		.is_patient = work->is_patient,
	};
}

static void fail(struct work *work, enum question_id id, int ret)
{
	error_errno(&work->model->views[id].err, -ret, "measuring",
		    questions[id]->name);
}

/* It reports for as long as it is shown. Of a recording it has moments, too. */
static bool follows(const struct work *work, enum question_id id)
{
	return tab_more(questions[id])->follow && !work->model->is_replay;
}

/* Whether the moment is the one after that of the rows that are shown. */
static bool goes_on(const struct work *work, enum question_id id)
{
	return questions[id]->recorded && work->has_taken[id] &&
	       work->model->views[id].has_sheet &&
	       work->taken_step[id] + 1 == work->model->step;
}

static int measure(struct work *work, enum question_id id)
{
	const struct tab_asking question = question_of(work, id);
	struct feed *feed = &work->feeds[id];
	struct replay replay;

	if (follows(work, id))
		return feed_follow(feed, questions[id], &question,
				   work->model->seconds);
	if (!work->model->is_replay) {
		work->asked_tree[id] = question.tree;
		return feed_measure(feed, questions[id], &question);
	}
	work->asked_alone[id] = goes_on(work, id);
	work->asked_step[id] = work->model->step;
	replay = replay_of(work, work->asked_alone[id] ? 1 : TREND_STEPS);
	return feed_replay(feed, questions[id], &replay);
}

static void start(struct work *work, enum question_id id)
{
	struct feed *feed = &work->feeds[id];
	int ret;

	if (feed_is_busy(feed))
		return;
	work->model->asked_ns[id] = monotonic_ns();
	ret = measure(work, id);
	if (!ret)
		ret = feed_watch(feed, work->epoll,
				 work->first_event + WORK_FEEDS + id);
	work->model->busy[id] = feed_is_busy(feed);
	if (ret < 0)
		fail(work, id, ret);
}

static void unfollow(struct work *work, enum question_id id)
{
	if (!feed_is_busy(&work->feeds[id]))
		return;
	feed_stop(&work->feeds[id]);
	work->model->busy[id] = false;
}

static bool is_recorded(enum question_id id)
{
	return questions[id]->recorded || tab_more(questions[id])->follow;
}

/* A recording has only some of the tabs, and each step is measured once. */
static bool is_step_due(struct work *work, enum question_id id)
{
	struct view *view = &work->model->views[id];

	if (!is_recorded(id)) {
		if (!error_is_set(&view->err))
			replay_refuse(questions[id], &view->err);
		return false;
	}
	return model_step(work->model) &&
	       !(work->has_taken[id] &&
		 work->taken_step[id] == work->model->step);
}

/* A captured host does not change: each tab is measured once. */
static bool is_due(struct work *work, enum question_id id, int64_t now_ns)
{
	const struct view *view = &work->model->views[id];

	if (!is_wanted(work, id))
		return false;
	if (work->model->is_replay)
		return is_step_due(work, id);
	if (!view->has_sheet && !error_is_set(&view->err))
		return true;
	if (!work->model->is_live || work->model->paused)
		return false;
	return now_ns >= work->next_ns[id];
}

void work_start_due(struct work *work)
{
	int64_t now_ns = monotonic_ns();

	for (enum question_id id = 0; id < QUESTION_TABS; id++) {
		/* It traces as long as it is shown, and no longer. */
		if (follows(work, id) &&
		    (!is_wanted(work, id) || work->model->paused))
			unfollow(work, id);
		else if (is_due(work, id, now_ns) && !work->model->busy[id])
			start(work, id);
	}
}

void work_again(struct work *work)
{
	const enum question_id id = work->model->tab;

	if (!work->model->is_replay && !follows(work, id))
		start(work, id);
}

void work_interval(struct work *work)
{
	unfollow(work, QUESTION_WHO);
	memset(work->next_ns, 0, sizeof(work->next_ns));
}

/* Half a tick early is in time, or every second tick would be missed. */
static void set_next(struct work *work, enum question_id id)
{
	const struct model *model = work->model;
	int64_t interval_ns = (int64_t)(model->seconds * 1e9);
	int64_t asked_ns = model->asked_ns[id], now_ns = monotonic_ns();
	int64_t took_ns = now_ns - asked_ns;
	int64_t rested_ns = now_ns + took_ns;
	int64_t next_ns =
		asked_ns + interval_ns -
		(interval_ns < SECOND_NS ? interval_ns : SECOND_NS) / 2;

	if (id != model->tab && id == QUESTION_CGROUPS &&
	    next_ns < asked_ns + IN_BACKGROUND_NS)
		next_ns = asked_ns + IN_BACKGROUND_NS;
	if (questions[id]->walks == WALKS_INODES ||
	    tab_more(questions[id])->walks_processes)
		rested_ns = now_ns + WALK_PAUSES * took_ns;
	work->next_ns[id] = next_ns > rested_ns ? next_ns : rested_ns;
}

/* Another shape than the one that was asked for is wanted by now. */
static bool is_of_other_shape(const struct work *work, enum question_id id)
{
	return !work->model->is_replay &&
	       work->asked_tree[id] != question_of(work, id).tree;
}

/* The filesystems and memory are the same in many steps. */
static bool is_known(const struct work *work, enum question_id id,
		     const struct sheet *sheet)
{
	return work->model->is_replay && work->asked_alone[id] &&
	       sheet->recorded_ms == work->model->views[id].sheet.recorded_ms;
}

/* The data of take_sheet(). */
struct sheets_taken {
	struct work *work;
	enum question_id id;
	size_t count;
	bool is_whole;
	struct error err;
};

/* Shows a sheet. */
static int take_sheet(void *data, unsigned int kind, const char *text,
		      size_t size)
{
	struct sheets_taken *taken = data;
	struct view *view = &taken->work->model->views[taken->id];
	struct sheet sheet;
	char *copy;
	int ret;

	if (feed_is_error(kind, text, size, &taken->err))
		return -ENODATA;
	taken->is_whole = kind == FEED_END;
	if (taken->is_whole)
		return 0;
	copy = malloc(size + 1);
	if (!copy)
		return error_errno(&taken->err, ENOMEM, "measuring",
				   view->tab->name);
	memcpy(copy, text, size);
	ret = sheet_unpack(&sheet, view->tab, copy, size, &taken->err);
	if (!ret && !is_known(taken->work, taken->id, &sheet) &&
	    view_take(view, &sheet) < 0)
		ret = error_errno(&taken->err, ENOMEM, "showing",
				  view->tab->name);
	sheet_deinit(&sheet);
	taken->count++;
	return ret;
}

/* Shows what has come. Returns how many sheets that were. */
static size_t take_sheets(struct work *work, enum question_id id, bool is_all)
{
	struct view *view = &work->model->views[id];
	struct sheets_taken taken = { .work = work, .id = id };
	int ret = frames_take(&work->feeds[id].frames, take_sheet, &taken);

	if (!ret && is_all && !taken.is_whole)
		ret = sheet_is_cut(view->tab, &taken.err);
	if (ret < 0) {
		if (work->model->is_replay)
			view_forget(view);
		view->err = taken.err;
	}
	return taken.count;
}

static void read_follow(struct work *work, enum question_id id)
{
	int ret = feed_read(&work->feeds[id]);
	struct view *view = &work->model->views[id];

	if (take_sheets(work, id, false))
		work->model->asked_ns[id] = monotonic_ns();
	if (!ret)
		return;
	unfollow(work, id);
	/* A host that cannot be traced is not asked every second. */
	work->next_ns[id] = monotonic_ns() + IN_BACKGROUND_NS;
	if (!error_is_set(&view->err))
		sheet_is_cut(view->tab, &view->err);
}

static void take_all(struct work *work, enum question_id id)
{
	/* What is shown is of another moment. */
	if (work->model->is_replay && !work->asked_alone[id])
		view_forget(&work->model->views[id]);
	take_sheets(work, id, true);
}

static void read_tab(struct work *work, enum question_id id)
{
	struct feed *feed = &work->feeds[id];
	int ret = feed_read(feed);

	if (!ret)
		return;
	feed_end(feed);
	work->model->busy[id] = false;
	work->taken_step[id] = work->asked_step[id];
	work->has_taken[id] = true;
	set_next(work, id);
	if (ret < 0)
		fail(work, id, ret);
	else if (is_of_other_shape(work, id))
		start(work, id);
	else
		take_all(work, id);
	if (!feed_is_busy(feed))
		feed_stop(feed);
	/* By now another moment may be wanted. */
	if (work->model->is_replay)
		work_start_due(work);
}

void work_ask(struct work *work, enum action action)
{
	const struct model *model = work->model;
	const struct tab_asking question = question_of(work, model->tab);
	const struct replay replay = replay_of(work, 1);

	job_start(&work->job, work->model, action, &question,
		  model_step(model) ? &replay : NULL, work->epoll,
		  work->first_event + WORK_JOB);
}

static void read_steps(struct work *work)
{
	struct model *model = work->model;
	int ret = feed_read(&work->steps);

	if (!ret)
		return;
	feed_end(&work->steps);
	if (ret < 0)
		error_errno(&model->no_steps, -ret, "reading a recording",
			    work->options->recording);
	else
		feed_take_steps(&work->steps, &model->steps, &model->no_steps);
	feed_stop(&work->steps);
	if (!model->steps.count)
		return;
	if (work->options->has_at)
		model_seek(model, work->options->at_ms);
	else
		model->step = model->steps.count - 1;
	work_start_due(work);
}

void work_read(struct work *work, unsigned int id)
{
	if (id == WORK_JOB)
		job_read(&work->job, work->model);
	else if (id == WORK_STEPS)
		read_steps(work);
	else if (follows(work, id - WORK_FEEDS))
		read_follow(work, id - WORK_FEEDS);
	else
		read_tab(work, id - WORK_FEEDS);
}

bool work_is_expecting(const struct work *work)
{
	const int64_t now_ns = monotonic_ns();

	for (enum question_id id = 0; id < QUESTION_TABS; id++) {
		if (is_wanted(work, id) && work->model->busy[id] &&
		    now_ns - work->model->asked_ns[id] < SOON_NS)
			return true;
	}
	return false;
}

static bool is_answered(const struct work *work, enum question_id id)
{
	const struct view *view = &work->model->views[id];

	if (work->model->is_replay && is_recorded(id))
		return work->has_taken[id] && !work->model->busy[id] &&
		       work->taken_step[id] == work->model->step;
	if (!view->has_sheet && !error_is_set(&view->err))
		return false;
	return follows(work, id) || !work->model->busy[id];
}

bool work_is_settled(const struct work *work)
{
	const struct model *model = work->model;

	if (feed_is_busy(&work->job.feed) || feed_is_busy(&work->steps))
		return false;
	if (model->is_replay && !model->steps.count)
		return true;
	for (enum question_id id = 0; id < QUESTION_TABS; id++) {
		if (is_wanted(work, id) && !is_answered(work, id))
			return false;
	}
	return true;
}

static int start_steps(struct work *work)
{
	const struct replay replay = replay_of(work, 0);

	return feed_steps(&work->steps, &replay);
}

void work_init(struct work *work, const struct work_options *options,
	       struct model *model, int epoll, uint32_t first_event)
{
	char path[PATH_MAX];
	int ret;

	*work = (struct work){ .options = options,
			       .model = model,
			       .epoll = epoll,
			       .first_event = first_event };
	if (!options->recording)
		return;
	/* The processes that measure are in another directory. */
	ret = absolute_path(options->recording, path);
	if (!ret) {
		work->recording = strdup(path);
		ret = work->recording ? start_steps(work) : -ENOMEM;
	}
	if (!ret)
		ret = feed_watch(&work->steps, work->epoll,
				 first_event + WORK_STEPS);
	if (ret < 0)
		error_errno(&model->no_steps, -ret, "reading a recording",
			    options->recording);
}

void work_deinit(struct work *work)
{
	for (enum question_id id = 0; id < QUESTION_TABS; id++)
		feed_stop(&work->feeds[id]);
	feed_stop(&work->job.feed);
	feed_stop(&work->steps);
	free(work->recording);
	work->recording = NULL;
}
