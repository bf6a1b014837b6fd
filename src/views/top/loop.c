// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "cli/table_options.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/sysroot.h"
#include "lib/terminal.h"
#include "top/curses.h"
#include "top/loop.h"
#include "top/model.h"
#include "top/request.h"
#include "top/screen.h"
#include "top/script.h"
#include "top/sequence.h"

/* What an event is about: one of these, or of what is measured. */
enum { KEYS, SIGNALS, TIME, WORK };

struct loop {
	const struct loop_options *options;
	struct model model;
	struct curses curses;
	struct sequence sequence;
	struct work work;
	struct script script;
	/* What the next line of the script waits for: */
	bool hurries; /* no answers */
	uint64_t waits_for; /* measurements */
	int64_t sleeps_ns; /* until then, CLOCK_MONOTONIC */
	int epoll, signals, timer;
	sigset_t before; /* the signals that were blocked */
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
	ret = watch(loop, loop->timer, TIME) ?: set_timer(loop);
	/* The keys of a script come from nowhere else. */
	if (!ret && !loop->script.text)
		ret = watch(loop, STDIN_FILENO, KEYS);
	return ret;
}

static void find_size(struct loop *loop)
{
	loop->model.width = terminal_width(stdout) ?: 80;
	loop->model.height = terminal_height(stdout) ?: 24;
}

/* What is shown may be of another time than now. */
static void set_clock(struct loop *loop)
{
	struct model *model = &loop->model;
	const struct past_step *step = model_step(model);
	char text[MOMENT_TEXT_SIZE];

	if (step)
		snprintf(model->clock, sizeof(model->clock), "%s",
			 moment_text(step->real_ms, text));
	else if (model->is_live)
		work_write_time(loop->options->work.root, model->clock,
				sizeof(model->clock));
}

static void draw(struct loop *loop)
{
	struct model *model = &loop->model;
	struct layout layout;
	struct cells cells;

	if (!model->has_fixed_clock)
		set_clock(loop);
	model->now_ns = monotonic_ns();
	screen_layout(model, &layout);
	view_scroll(model_view(model), layout.areas[AREA_ROWS].lines);
	/* Out of memory: the old screen stays. */
	if (cells_init(&cells, model->width, model->height) == 0 &&
	    screen_draw(model, &cells) == 0)
		curses_draw(&loop->curses, &cells);
	cells_deinit(&cells);
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
		work_again(&loop->work);
		break;
	case ACTION_MEASURE:
	case ACTION_STEP:
		work_start_due(&loop->work);
		break;
	case ACTION_TREE:
		work_again(&loop->work);
		break;
	case ACTION_INTERVAL:
		work_interval(&loop->work);
		set_timer(loop);
		break;
	case ACTION_DETAILS:
	case ACTION_VERDICT:
	case ACTION_DROP:
		work_ask(&loop->work, action);
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
	int sent = 0, key;

	if (has_gone(events)) {
		loop->quits = true;
		return;
	}
	while (!loop->quits && sent != KEY_NONE) {
		sent = curses_key(&loop->curses);
		key = sequence_take(&loop->sequence, sent, monotonic_ns());
		/* A text from elsewhere is for a prompt, and is no command. */
		if (key != KEY_NONE && (!loop->sequence.is_paste ||
					loop->model.mode >= MODE_SEARCH))
			do_action(loop, model_key(&loop->model, key));
	}
	if (!loop->quits)
		draw(loop);
}

static void resize(struct loop *loop)
{
	curses_resize(&loop->curses, loop->model.width, loop->model.height);
	draw(loop);
}

/* Ctrl-Z: gives the terminal back, stops, and takes it again. */
static void stop(struct loop *loop)
{
	curses_suspend(&loop->curses);
	raise(SIGSTOP);
	find_size(loop);
	resize(loop);
}

static void read_signals(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (read(loop->signals, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGWINCH:
			find_size(loop);
			resize(loop);
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
	work_start_due(&loop->work);
	if (!work_is_expecting(&loop->work))
		draw(loop);
}

static void read_work(struct loop *loop, unsigned int id)
{
	work_read(&loop->work, id);
	/* Without a recording there is nothing to show. */
	loop->quits |= error_is_set(&loop->model.no_steps);
	if (!work_is_expecting(&loop->work))
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
	default:
		read_work(loop, event->data.u32 - WORK);
		break;
	}
}

static int save(struct loop *loop, const char *path)
{
	FILE *out = fopen(path, "ae");

	if (!out)
		return -errno;
	draw(loop);
	curses_save(&loop->curses, out);
	return fclose(out) ? -errno : 0;
}

/* Does the next step of a script. Returns 0 or a negative errno. */
static int do_step(struct loop *loop, const struct script_step *step)
{
	struct model *model = &loop->model;

	switch (step->kind) {
	case SCRIPT_END:
		loop->quits = true;
		break;
	case SCRIPT_KEY:
		do_action(loop, model_key(model, step->key));
		draw(loop);
		break;
	case SCRIPT_SIZE:
		model->width = step->width;
		model->height = step->height;
		resize(loop);
		break;
	case SCRIPT_SAVE:
		return save(loop, step->text);
	case SCRIPT_CLOCK:
		model->has_fixed_clock = true;
		snprintf(model->clock, sizeof(model->clock), "%s", step->text);
		break;
	case SCRIPT_WAIT:
		loop->waits_for = step->count;
		break;
	case SCRIPT_HURRY:
		loop->hurries = true;
		break;
	case SCRIPT_SLEEP:
		loop->sleeps_ns =
			monotonic_ns() + (int64_t)step->count * 1000000000;
		break;
	case SCRIPT_WRONG:
		return -EINVAL;
	}
	return 0;
}

/* Whether the next line of the script has to wait. A tick is the next try. */
static bool script_waits(const struct loop *loop)
{
	const struct view *view = &loop->model.views[loop->model.tab];

	return monotonic_ns() < loop->sleeps_ns ||
	       (!loop->hurries && (!work_is_settled(&loop->work) ||
				   view->trends.samples < loop->waits_for));
}

/* Does what the script has to do before anything else happens. */
static int run_script(struct loop *loop)
{
	struct script_step step;
	int ret = 0;

	while (loop->script.text && !ret && !loop->quits &&
	       !script_waits(loop)) {
		loop->waits_for = 0;
		script_next(&loop->script, &step);
		ret = do_step(loop, &step);
	}
	return ret;
}

static int run(struct loop *loop)
{
	struct epoll_event event;
	int ret;

	work_start_due(&loop->work);
	loop->quits |= error_is_set(&loop->model.no_steps);
	draw(loop);
	while (!(ret = run_script(loop)) && !loop->quits) {
		int count = epoll_wait(loop->epoll, &event, 1, -1);

		if (count < 0 && errno != EINTR)
			return -errno;
		if (count == 1)
			handle(loop, &event);
	}
	return ret;
}

/* The fonts of the Linux console have none of the blocks of a trend. */
static bool is_console(void)
{
	const char *type = getenv("TERM");

	return type && strcmp(type, "linux") == 0;
}

static void init_model(struct model *model, const struct loop_options *options)
{
	const struct sysroot *root = options->work.root;

	model_init(model);
	model->tab = options->tab;
	model->seconds = options->seconds;
	model->utf8 = terminal_is_utf8() && !is_console();
	model->is_replay = options->work.recording;
	model->is_live = sysroot_is_live(root) && !model->is_replay;
	if (model->is_replay)
		snprintf(model->host, sizeof(model->host), "%s",
			 options->work.recording);
	else if (!model->is_live)
		snprintf(model->host, sizeof(model->host), "%s", root->prefix);
	else if (gethostname(model->host, sizeof(model->host) - 1) < 0)
		*model->host = '\0';
	if (model->is_live || model->is_replay)
		return;
	work_write_time(root, model->clock, sizeof(model->clock));
	for (enum question_id id = 0; id < QUESTION_TABS; id++)
		model->views[id].is_single = true;
}

static void deinit(struct loop *loop)
{
	work_deinit(&loop->work);
	model_deinit(&loop->model);
	script_close(&loop->script);
	closep(&loop->epoll);
	closep(&loop->signals);
	closep(&loop->timer);
}

static int open_and_run(struct loop *loop, struct error *err)
{
	int ret = curses_open(&loop->curses, loop->script.text, err);

	if (ret < 0)
		return ret;
	find_size(loop);
	ret = open_events(loop);
	if (!ret) {
		work_init(&loop->work, &loop->options->work, &loop->model,
			  loop->epoll, WORK);
		loop->work.is_patient = loop->script.text;
		ret = run(loop);
	}
	if (error_is_set(&loop->model.no_steps)) {
		*err = loop->model.no_steps;
		return -ENODATA;
	}
	return ret < 0 ? error_errno(err, -ret, "showing", "the screen") : 0;
}

int loop_run(const struct loop_options *options, bool *shown, struct error *err)
{
	struct loop loop = {
		.options = options, .epoll = -1, .signals = -1, .timer = -1
	};
	int ret = script_open(&loop.script, err);

	init_model(&loop.model, options);
	if (!ret)
		ret = open_and_run(&loop, err);
	*shown = loop.model.views[QUESTION_MEMORY].has_sheet ||
		 loop.model.steps.count;
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
