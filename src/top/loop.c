// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "frame/table_options.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/sysroot.h"
#include "lib/terminal.h"
#include "top/curses.h"
#include "top/feed.h"
#include "top/follow.h"
#include "top/loop.h"
#include "top/model.h"
#include "top/request.h"
#include "top/screen.h"

#define SECOND_NS INT64_C(1000000000)
/* What only the line about limits needs is measured no more often. */
#define IN_BACKGROUND_NS (10 * SECOND_NS)
/* A walk of all inodes takes at most a fifth of the time. */
#define WALK_PAUSES 4

/* Figures are drawn together if they are asked for within this time. */
#define SOON_NS (SECOND_NS / 4)

/* What an event is about: one of these, or a tab's feed from FEEDS on. */
enum { KEYS, SIGNALS, TIME, JOB, FEEDS };

enum job { JOB_TEXT, JOB_DROP };

struct loop {
	const struct loop_options *options;
	struct model model;
	struct curses curses;
	int epoll, signals, timer;
	sigset_t before; /* the signals that were blocked */
	struct feed feeds[TABS];
	char since[CLOCK_TEXT_SIZE]; /* when tracing began */
	bool asked_tree[TABS]; /* as what shape a feed was asked */
	int64_t next_ns[TABS]; /* when a tab is measured again */
	struct feed job; /* what was asked about a row */
	enum job job_kind;
	bool quits;
	int signal; /* that ends the program, or 0 */
};

static int watch(const struct loop *loop, int fd, uint32_t id)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = id };

	return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno :
								       0;
}

/*
 * Closing is not enough: processes that were forked meanwhile may have the pipe
 * open for a moment, and events would go on.
 */
static void unwatch(const struct loop *loop, int fd)
{
	epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
}

/*
 * All signals that can be waited for. Those of faults go to whoever has them,
 * and those of job control on input and output to the kernel's own care.
 */
static void fill_signals(sigset_t *set)
{
	static const int others[] = { SIGSEGV, SIGBUS,	SIGFPE,	 SIGILL,
				      SIGABRT, SIGSYS,	SIGTRAP, SIGTTIN,
				      SIGTTOU, SIGCHLD, SIGURG };

	sigfillset(set);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		sigdelset(set, others[i]);
}

static int open_signals(struct loop *loop)
{
	sigset_t set;

	fill_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &loop->before);
	loop->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return loop->signals < 0 ? -errno : watch(loop, loop->signals, SIGNALS);
}

/* The clock moves every second, and measuring may be more often. */
static int set_timer(struct loop *loop)
{
	double seconds = loop->model.seconds < 1 ? loop->model.seconds : 1;
	struct timespec step = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
	};
	const struct itimerspec timer = { step, step };

	return timerfd_settime(loop->timer, 0, &timer, NULL) < 0 ? -errno : 0;
}

static int open_events(struct loop *loop)
{
	int ret;

	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll < 0)
		return -errno;
	ret = open_signals(loop);
	if (ret < 0)
		return ret;
	loop->timer =
		timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (loop->timer < 0)
		return -errno;
	return watch(loop, loop->timer, TIME)	       ?:
		       watch(loop, STDIN_FILENO, KEYS) ?:
							 set_timer(loop);
}

static void find_size(struct loop *loop)
{
	loop->model.width = terminal_width(stdout) ?: 80;
	loop->model.height = terminal_height(stdout) ?: 24;
}

static void draw(struct loop *loop)
{
	struct model *model = &loop->model;
	struct layout layout;
	struct cells cells;

	clock_text(model->clock);
	model->now_ns = monotonic_ns();
	screen_layout(model, &layout);
	view_scroll(model_view(model), layout.areas[AREA_ROWS].lines);
	/* Out of memory: the old screen stays. */
	if (cells_init(&cells, model->width, model->height) == 0 &&
	    screen_draw(model, &cells) == 0)
		curses_draw(&loop->curses, &cells);
	cells_deinit(&cells);
}

/* What is on the screen: the tab, memory at the top, and the next limit. */
static bool is_wanted(const struct loop *loop, enum tab_id id)
{
	return id == loop->model.tab || id == TAB_MEMORY || id == TAB_CGROUPS;
}

static struct tab_question question_of(const struct loop *loop, enum tab_id id)
{
	return (struct tab_question){
		.root = loop->options->root,
		.source = loop->options->source,
		.tree = loop->model.views[id].is_tree &&
			!loop->model.views[id].sorted_by,
	};
}

static void fail(struct loop *loop, enum tab_id id, int ret)
{
	error_errno(&loop->model.views[id].err, -ret, "measuring",
		    tab_at(id)->name);
}

static void ask(struct loop *loop, enum tab_id id)
{
	const struct tab_question question = question_of(loop, id);
	int ret;

	if (feed_is_busy(&loop->feeds[id]))
		return;
	loop->model.asked_ns[id] = monotonic_ns();
	loop->asked_tree[id] = question.tree;
	ret = feed_measure(&loop->feeds[id], tab_at(id), &question);
	if (!ret)
		ret = watch(loop, loop->feeds[id].pipe, FEEDS + id);
	loop->model.busy[id] = feed_is_busy(&loop->feeds[id]);
	if (ret < 0)
		fail(loop, id, ret);
}

/* Traces as long as the tab is shown, and no longer. */
static void follow(struct loop *loop, enum tab_id id)
{
	const char *words[FOLLOW_WORDS];
	char text[FOLLOW_SECONDS_SIZE];
	int ret;

	if (!loop->model.is_live) {
		error_set(&loop->model.views[id].err, ERROR_UNUSABLE,
			  "a captured host has no processes to trace");
		return;
	}
	follow_words(words, loop->model.seconds, text);
	clock_text(loop->since);
	ret = feed_follow(&loop->feeds[id], words);
	if (!ret)
		ret = watch(loop, loop->feeds[id].pipe, FEEDS + id);
	loop->model.asked_ns[id] = monotonic_ns();
	loop->model.busy[id] = feed_is_busy(&loop->feeds[id]);
	if (ret < 0)
		fail(loop, id, ret);
}

static void unfollow(struct loop *loop, enum tab_id id)
{
	if (!feed_is_busy(&loop->feeds[id]))
		return;
	unwatch(loop, loop->feeds[id].pipe);
	feed_stop(&loop->feeds[id]);
	loop->model.busy[id] = false;
}

/* Shows the newest of the reports that have come. */
static void read_reports(struct loop *loop, enum tab_id id)
{
	struct view *view = &loop->model.views[id];
	char *line;

	while ((line = feed_line(&loop->feeds[id]))) {
		struct error err = { 0 };
		struct sheet sheet;
		int ret = follow_take(&sheet, line, loop->since, &err);

		if (!ret)
			ret = view_take(view, &sheet);
		else
			view->err = err;
		sheet_deinit(&sheet);
		loop->model.asked_ns[id] = monotonic_ns();
	}
}

static void read_follow(struct loop *loop, enum tab_id id)
{
	struct view *view = &loop->model.views[id];
	int ret = feed_read(&loop->feeds[id]);

	read_reports(loop, id);
	if (ret) {
		unfollow(loop, id);
		/* A command that cannot trace is not asked every second. */
		loop->next_ns[id] = monotonic_ns() + IN_BACKGROUND_NS;
		if (!error_is_set(&view->err))
			error_set(&view->err, EBADMSG, "bufstat who ended");
	}
	draw(loop);
}

/* A captured host does not change: each tab is measured once. */
static bool is_due(const struct loop *loop, enum tab_id id, int64_t now_ns)
{
	const struct view *view = &loop->model.views[id];

	if (!is_wanted(loop, id))
		return false;
	if (!view->has_sheet && !error_is_set(&view->err))
		return true;
	if (!loop->model.is_live || loop->model.paused)
		return false;
	return now_ns >= loop->next_ns[id];
}

static void ask_due(struct loop *loop)
{
	int64_t now_ns = monotonic_ns();

	for (enum tab_id id = 0; id < TABS; id++) {
		bool follows = !tab_at(id)->take;

		if (follows && (!is_wanted(loop, id) || loop->model.paused))
			unfollow(loop, id);
		else if (is_due(loop, id, now_ns) && !loop->model.busy[id])
			follows ? follow(loop, id) : ask(loop, id);
	}
}

/* Half a tick early is in time, or every second tick would be missed. */
static void set_next(struct loop *loop, enum tab_id id)
{
	const struct model *model = &loop->model;
	int64_t interval_ns = (int64_t)(model->seconds * 1e9);
	int64_t asked_ns = model->asked_ns[id], now_ns = monotonic_ns();
	int64_t took_ns = now_ns - asked_ns;
	int64_t rested_ns = now_ns + took_ns;
	int64_t next_ns =
		asked_ns + interval_ns -
		(interval_ns < SECOND_NS ? interval_ns : SECOND_NS) / 2;

	if (id != model->tab && id == TAB_CGROUPS &&
	    next_ns < asked_ns + IN_BACKGROUND_NS)
		next_ns = asked_ns + IN_BACKGROUND_NS;
	if (tab_at(id)->walks)
		rested_ns = now_ns + WALK_PAUSES * took_ns;
	loop->next_ns[id] = next_ns > rested_ns ? next_ns : rested_ns;
}

static void take(struct loop *loop, enum tab_id id)
{
	struct view *view = &loop->model.views[id];
	struct feed *feed = &loop->feeds[id];
	struct sheet sheet;
	struct error err = { 0 };
	int ret = sheet_unpack(&sheet, view->tab, feed->data, feed->size, &err);

	feed->data = NULL;
	if (!ret && loop->asked_tree[id] == question_of(loop, id).tree)
		ret = view_take(view, &sheet);
	else if (!ret)
		ask(loop, id); /* it is to have another shape by now */
	sheet_deinit(&sheet);
	if (error_is_set(&err))
		view->err = err;
	else if (ret < 0)
		fail(loop, id, ret);
}

/*
 * Whether more figures come at any moment. Then all are drawn at once, and if
 * they do not come, with the next tick.
 */
static bool is_expecting(const struct loop *loop)
{
	const int64_t now_ns = monotonic_ns();

	for (enum tab_id id = 0; id < TABS; id++) {
		if (is_wanted(loop, id) && loop->model.busy[id] &&
		    now_ns - loop->model.asked_ns[id] < SOON_NS)
			return true;
	}
	return false;
}

static void read_feed(struct loop *loop, enum tab_id id)
{
	struct feed *feed = &loop->feeds[id];
	int ret;

	if (!tab_at(id)->take) {
		read_follow(loop, id);
		return;
	}
	ret = feed_read(feed);
	if (!ret)
		return;
	unwatch(loop, feed->pipe);
	feed_end(feed);
	loop->model.busy[id] = false;
	set_next(loop, id);
	if (ret < 0)
		fail(loop, id, ret);
	else
		take(loop, id);
	if (!is_expecting(loop))
		draw(loop);
}

static void say(struct loop *loop, const char *text)
{
	snprintf(loop->model.message, sizeof(loop->model.message), "%.*s",
		 (int)strcspn(text, "\n"), text);
}

/* What a drop did is said, even to a user who does not wait for it. */
static void finish_job(struct loop *loop, const char *text)
{
	struct model *model = &loop->model;

	model->text_waits = false;
	if (model->mode == MODE_TEXT || model->mode == MODE_DROP)
		model_add_text(model, text);
	else if (loop->job_kind == JOB_DROP)
		say(loop, text);
}

static void read_job(struct loop *loop)
{
	int ret = feed_read(&loop->job);

	if (!ret)
		return;
	unwatch(loop, loop->job.pipe);
	feed_end(&loop->job);
	finish_job(loop, ret == 1 ? loop->job.data : strerror(-ret));
	feed_stop(&loop->job);
	draw(loop);
}

/* A question about a row ends the one before, but a drop is never ended. */
static bool may_start_job(struct loop *loop)
{
	if (feed_is_busy(&loop->job) && loop->job_kind == JOB_DROP) {
		loop->model.mode = MODE_TABLE;
		say(loop, "a drop is still at work");
		return false;
	}
	if (feed_is_busy(&loop->job))
		unwatch(loop, loop->job.pipe);
	feed_stop(&loop->job);
	return true;
}

static void start_job(struct loop *loop, enum action action)
{
	struct model *model = &loop->model;
	const struct view *view = model_view(model);
	const struct view_row *row = view_selected(view);
	const struct tab_question question = question_of(loop, model->tab);
	int ret;

	if (!may_start_job(loop))
		return;
	loop->job_kind = action == ACTION_DROP ? JOB_DROP : JOB_TEXT;
	if (action == ACTION_DETAILS)
		ret = feed_details(&loop->job, view->tab,
				   row->row ? row->row->key : row->trend->key,
				   view_row_name(view, row), &question);
	else
		ret = feed_drop(&loop->job, &model->drop_words,
				action == ACTION_VERDICT);
	if (!ret)
		ret = watch(loop, loop->job.pipe, JOB);
	model->text_waits = !ret;
	if (ret < 0)
		say(loop, strerror(-ret));
}

static void do_action(struct loop *loop, enum action action)
{
	switch (action) {
	case ACTION_NONE:
		break;
	case ACTION_QUIT:
		loop->quits = true;
		break;
	case ACTION_REDRAW:
		curses_forget(&loop->curses);
		if (tab_at(loop->model.tab)->take)
			ask(loop, loop->model.tab);
		break;
	case ACTION_MEASURE:
		ask_due(loop);
		break;
	case ACTION_TREE:
		ask(loop, loop->model.tab);
		break;
	case ACTION_INTERVAL:
		unfollow(loop, TAB_WHO);
		set_timer(loop);
		memset(loop->next_ns, 0, sizeof(loop->next_ns));
		break;
	case ACTION_DETAILS:
	case ACTION_VERDICT:
	case ACTION_DROP:
		start_job(loop, action);
		break;
	}
}

/*
 * Readable and without a byte is a terminal that has gone. Whoever asks it
 * again for keys does so for ever.
 */
static bool has_gone(uint32_t events)
{
	int waiting = 0;

	if (events & (EPOLLHUP | EPOLLERR))
		return true;
	return ioctl(STDIN_FILENO, FIONREAD, &waiting) < 0 || !waiting;
}

static void read_keys(struct loop *loop, uint32_t events)
{
	int key;

	if (has_gone(events)) {
		loop->quits = true;
		return;
	}
	while (!loop->quits && (key = curses_key(&loop->curses)) != KEY_NONE)
		do_action(loop, model_key(&loop->model, key));
	if (!loop->quits)
		draw(loop);
}

/* Ctrl-Z: gives the terminal back, stops, and takes it again. */
static void stop(struct loop *loop)
{
	curses_suspend(&loop->curses);
	raise(SIGSTOP);
	find_size(loop);
	curses_resize(&loop->curses, loop->model.width, loop->model.height);
	draw(loop);
}

static void read_signals(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (read(loop->signals, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGWINCH:
			find_size(loop);
			curses_resize(&loop->curses, loop->model.width,
				      loop->model.height);
			draw(loop);
			break;
		case SIGTSTP:
			stop(loop);
			break;
		case SIGCONT:
			break;
		case SIGINT:
			loop->quits = true;
			break;
		default:
			loop->quits = true;
			loop->signal = (int)info.ssi_signo;
			break;
		}
	}
}

static void read_timer(struct loop *loop)
{
	uint64_t ticks;

	if (read(loop->timer, &ticks, sizeof(ticks)) != sizeof(ticks))
		return;
	ask_due(loop);
	if (!is_expecting(loop))
		draw(loop);
}

static void handle(struct loop *loop, const struct epoll_event *event)
{
	switch (event->data.u32) {
	case KEYS:
		read_keys(loop, event->events);
		break;
	case SIGNALS:
		read_signals(loop);
		break;
	case TIME:
		read_timer(loop);
		break;
	case JOB:
		read_job(loop);
		break;
	default:
		read_feed(loop, event->data.u32 - FEEDS);
		break;
	}
}

static int run(struct loop *loop)
{
	struct epoll_event event;

	ask_due(loop);
	draw(loop);
	while (!loop->quits) {
		int count = epoll_wait(loop->epoll, &event, 1, -1);

		if (count < 0 && errno != EINTR)
			return -errno;
		if (count == 1)
			handle(loop, &event);
	}
	return 0;
}

static void init(struct loop *loop, const struct loop_options *options)
{
	struct model *model = &loop->model;

	*loop = (struct loop){
		.options = options, .epoll = -1, .signals = -1, .timer = -1
	};
	model_init(model);
	model->tab = options->tab;
	model->seconds = options->seconds;
	model->utf8 = terminal_is_utf8();
	model->is_live = sysroot_is_live(options->root);
	if (!model->is_live)
		snprintf(model->host, sizeof(model->host), "%s",
			 options->root->prefix);
	else if (gethostname(model->host, sizeof(model->host) - 1) < 0)
		*model->host = '\0';
}

/* The processes are told to end, and nobody waits for one that cannot. */
static void deinit(struct loop *loop)
{
	for (enum tab_id id = 0; id < TABS; id++)
		feed_stop(&loop->feeds[id]);
	feed_stop(&loop->job);
	model_deinit(&loop->model);
	closep(&loop->epoll);
	closep(&loop->signals);
	closep(&loop->timer);
}

int loop_run(const struct loop_options *options, bool *shown, struct error *err)
{
	struct loop loop;
	int ret;

	init(&loop, options);
	ret = curses_open(&loop.curses, err);
	if (!ret) {
		find_size(&loop);
		ret = open_events(&loop);
		if (!ret)
			ret = run(&loop);
		if (ret < 0)
			error_errno(err, -ret, "showing", "the screen");
	}
	*shown = loop.model.views[TAB_MEMORY].has_sheet;
	curses_close(&loop.curses);
	deinit(&loop);
	if (loop.signals >= 0)
		sigprocmask(SIG_SETMASK, &loop.before, NULL);
	if (loop.signal) {
		signal(loop.signal, SIG_DFL);
		raise(loop.signal);
	}
	return ret;
}
