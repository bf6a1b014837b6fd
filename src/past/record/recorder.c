// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bufstat/version.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/number.h"
#include "lib/oom_score.h"
#include "record/cost.h"
#include "record/disk.h"
#include "record/recorder.h"
#include "record/ring.h"
#include "record/taker.h"
#include "record/tracer.h"
#include "record/tracing.h"
#include "store/documents.h"
#include "store/past.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

enum {
	/* Documents of one reading. */
	MOST_TAKEN = 1 << 20, /* bytes */
	/* Those of the tracer that are on their way at the same time. */
	MOST_TRACED = 2 * TRACING_TEXT, /* bytes */
	/* A state. */
	MOST_STATE = 1024, /* bytes */
	/* Words that were lost cost what needs them until they are repeated. */
	WORDS_EVERY_KEYS = 30,
	/* So that one that dies each time does not take much of a processor. */
	WRITER_AGAIN_S = 5,
	/* For the last report of the tracer. */
	LAST_REPORT_MS = 300,
};

struct recorder {
	const struct recorder_options *options;
	struct record_ring ring;
	struct disk disk;
	struct answers answers;
	struct taker taker;
	struct tracer tracer;
	int64_t traced_key_ns; /* when its last key records were asked for */
	bool traced_key; /* what it sends are key records */
	char *totals; /* its last; TRACING_TEXT bytes */
	size_t totals_size;
	char refusal[MOST_STATE]; /* the tracer's last state */
	size_t refusal_size;
	struct document_writer writer; /* of states */
	struct cost cost;
	int timer;
	int signals;
	unsigned int keys;
	unsigned int skipped; /* intervals without a reading */
	struct store_time ticked; /* when the last reading was asked for */
	int told_failed; /* the disk's error that was told, or 0 */
	bool told_writer; /* that there is none, since the last one */
	uint64_t begun_again; /* how often it was told (ring.h) */
	bool ended;
};

/* These messages are about what goes on: they do not end the recorder. */
static void tell_error(const struct recorder *recorder, const struct error *err)
{
	char text[ERROR_TEXT_SIZE];

	recorder->options->tell(error_text(err, text));
}

static void tell(const struct recorder *recorder, int what, const char *object,
		 const char *reason)
{
	struct error err;

	error_doing(&err, what, "recording", object, "%s", reason);
	tell_error(recorder, &err);
}

static void append_state(struct recorder *recorder,
			 const struct store_state *state, bool key)
{
	const struct store_time now = store_time_now();
	size_t size;
	const char *text = document_write(&recorder->writer,
					  &store_state_fields, state, &size);

	if (text)
		record_ring_append(&recorder->ring, STORE_STATE, &now, text,
				   size, key);
}

static void append_start(struct recorder *recorder)
{
	const struct store_state state = {
		.what = STORE_STARTED,
		.bufstat = (char *)BUFSTAT_VERSION,
		.pid = (unsigned int)getpid(),
		.interval_ms = recorder->options->interval_ms,
	};

	append_state(recorder, &state, true);
}

static void append_cost(struct recorder *recorder)
{
	const struct store_state state =
		cost_note(&recorder->cost, recorder->ring.shared,
			  recorder->options->interval_ms);

	append_state(recorder, &state, true);
}

static void append_reason(struct recorder *recorder, enum store_what what,
			  const char *reason)
{
	const struct store_state state = {
		.what = what,
		.reason = (char *)reason,
	};

	append_state(recorder, &state, what == STORE_BEGUN_AGAIN);
}

static void tell_about_disk(struct recorder *recorder)
{
	int failed = atomic_load(&recorder->ring.shared->failed);
	struct error err;

	if (failed && failed != recorder->told_failed) {
		error_errno(&err, failed, "recording", recorder->options->dir);
		error_remedy(&err, 0, "what is newer is in memory only");
		tell_error(recorder, &err);
	}
	recorder->told_failed = failed;
}

/* Somebody has removed it: what was in memory is in the new one. */
static void tell_about_file(struct recorder *recorder)
{
	uint64_t begun_again = atomic_load(&recorder->ring.shared->begun_again);

	if (begun_again == recorder->begun_again)
		return;
	recorder->begun_again = begun_again;
	tell(recorder, ENOENT, recorder->options->dir,
	     "the recording was removed: it begins again");
	append_reason(recorder, STORE_BEGUN_AGAIN, "the recording was removed");
}

static void append_too_large(struct recorder *recorder)
{
	append_reason(recorder, STORE_FAILED,
		      "a reading was too large for the recording");
}

static void append(struct recorder *recorder, unsigned int kind,
		   const char *text, size_t size, bool key)
{
	const struct store_time now = store_time_now();

	if (kind <= STORE_WORDS || kind >= STORE_KINDS)
		return;
	if (record_ring_append(&recorder->ring, kind, &now, text, size, key) <
	    0)
		append_too_large(recorder);
}

/* A reader begins anywhere, and the tracer is not started again. */
static void append_refusal(struct recorder *recorder)
{
	if (recorder->tracer.refused && recorder->refusal_size)
		append(recorder, STORE_STATE, recorder->refusal,
		       recorder->refusal_size, true);
}

static int take_document(void *data, unsigned int kind, const char *text,
			 size_t size)
{
	struct recorder *recorder = data;
	int64_t walk_ns;

	if (kind == TAKER_WALK_NS && size == sizeof(walk_ns)) {
		memcpy(&walk_ns, text, sizeof(walk_ns));
		taker_walked(&recorder->taker, walk_ns);
	} else {
		append(recorder, kind, text, size, recorder->taker.is_key);
	}
	return 0;
}

/* A frame that was cut short is not there. */
static void take_documents(struct recorder *recorder)
{
	if (recorder->taker.frames.used == MOST_TAKEN)
		append_too_large(recorder);
	frames_take(&recorder->taker.frames, take_document, recorder);
	if (recorder->taker.is_key) {
		const struct store_time now = store_time_now();

		append_cost(recorder);
		append_refusal(recorder);
		if (++recorder->keys % WORDS_EVERY_KEYS == 0)
			record_ring_repeat_words(&recorder->ring, &now);
		record_ring_sync(&recorder->ring);
		tell_about_disk(recorder);
	}
	disk_wake(&recorder->disk);
}

static void hear(struct recorder *recorder)
{
	if (taker_hear(&recorder->taker))
		take_documents(recorder);
}

static int take_traced(void *data, unsigned int kind, const char *text,
		       size_t size)
{
	struct recorder *recorder = data;

	if (kind == TRACING_TOTALS && size <= TRACING_TEXT) {
		memcpy(recorder->totals, text, size);
		recorder->totals_size = size;
		return 0;
	}
	if (kind == STORE_STATE && size <= sizeof(recorder->refusal)) {
		memcpy(recorder->refusal, text, size);
		recorder->refusal_size = size;
	}
	append(recorder, kind, text, size, recorder->traced_key);
	return 0;
}

static void hear_tracer(struct recorder *recorder)
{
	tracer_hear(&recorder->tracer, take_traced, recorder);
	disk_wake(&recorder->disk);
}

/* Where the last one has died, there is a new one a minute later. */
static void ask_tracer(struct recorder *recorder)
{
	int64_t now_ns = monotonic_ns();

	recorder->traced_key = now_ns - recorder->traced_key_ns >=
			       KEY_S * NS_PER_S;
	if (recorder->traced_key) {
		recorder->traced_key_ns = now_ns;
		if (!recorder->tracer.pid && !recorder->tracer.refused)
			tracer_start(&recorder->tracer);
	}
	tracer_ask(&recorder->tracer, false);
}

/* After the clock was set, the answer to what was at its time has all parts. */
static void look_at_clock(struct recorder *recorder)
{
	const struct store_time now = store_time_now();

	if (store_time_is_set(&recorder->ticked, &now, PAST_SAME_READING_MS))
		recorder->taker.key_ns = 0;
	recorder->ticked = now;
}

static void start_taking(struct recorder *recorder)
{
	look_at_clock(recorder);
	if (taker_start(&recorder->taker) == 0)
		return;
	append_reason(recorder, STORE_FAILED, "no process could be started");
	disk_wake(&recorder->disk);
}

static void give_up_taking(struct recorder *recorder)
{
	if (!taker_give_up(&recorder->taker))
		return;
	append_reason(recorder, STORE_FAILED, "a reading did not come back");
	disk_wake(&recorder->disk);
}

static void replace_writer(struct recorder *recorder)
{
	struct disk *disk = &recorder->disk;
	struct error told;

	if (!disk->pid &&
	    monotonic_ns() - disk->since_ns >= WRITER_AGAIN_S * NS_PER_S)
		disk_replace(disk, &recorder->ring, &told);
}

/* Why one could not open the file is in the ring: tell_about_disk(). */
static void hear_writer(struct recorder *recorder)
{
	struct error told;

	if (disk_hear(&recorder->disk, &told) < 0)
		return;
	recorder->told_writer = false;
	disk_wake(&recorder->disk);
}

static void forget_writer(struct recorder *recorder)
{
	struct disk *disk = &recorder->disk;
	struct store_state state = { .what = STORE_WRITER_DIED,
				     .has_dead = true };

	if (disk->opening)
		hear_writer(recorder);
	disk_forget(disk);
	if (recorder->told_writer)
		return;
	recorder->told_writer = true;
	tell(recorder, EIO, recorder->options->dir,
	     "the writer has died: another one takes its place");
	state.dead_writers = ++recorder->cost.dead_writers;
	append_state(recorder, &state, true);
}

static void tick(struct recorder *recorder)
{
	uint64_t times;

	if (read(recorder->timer, &times, sizeof(times)) < 0)
		return;
	if (++recorder->skipped < recorder->cost.slowed)
		return;
	recorder->skipped = 0;
	replace_writer(recorder);
	tell_about_file(recorder);
	ask_tracer(recorder);
	if (recorder->taker.pid)
		give_up_taking(recorder);
	else
		start_taking(recorder);
}

static void forget_tracer(struct recorder *recorder, int status)
{
	/* What it sent before it ended is still in the pipe. */
	if (recorder->tracer.pipe >= 0)
		hear_tracer(recorder);
	tracer_forget(&recorder->tracer, status);
	recorder->totals_size = 0;
	if (!recorder->tracer.refused)
		append_reason(recorder, STORE_UNTRACED, "the tracer died");
}

static void reap(struct recorder *recorder)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		answers_forget(&recorder->answers, pid);
		if (pid == recorder->disk.pid)
			forget_writer(recorder);
		if (pid == recorder->tracer.pid)
			forget_tracer(recorder, status);
		if (pid != recorder->taker.pid)
			continue;
		/* What it wrote before it ended is still in the pipe. */
		if (recorder->taker.pipe >= 0)
			hear(recorder);
		taker_forget(&recorder->taker);
	}
}

static void take_signal(struct recorder *recorder)
{
	struct signalfd_siginfo info;

	while (read(recorder->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			reap(recorder);
		else
			recorder->ended = true;
	}
}

static int answer(const void *data, char *line)
{
	const struct recorder *recorder = data;
	char path[64];

	if (strcmp(line, RECORD_TOTALS) == 0) {
		fwrite(recorder->totals, 1, recorder->totals_size, stdout);
		return 0;
	}
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getppid(),
		 recorder->ring.fd);
	return recorder->options->answer(path, line);
}

static void look(struct recorder *recorder)
{
	struct pollfd events[] = {
		{ .fd = recorder->signals, .events = POLLIN },
		{ .fd = recorder->timer, .events = POLLIN },
		{ .fd = recorder->taker.pipe, .events = POLLIN },
		{ .fd = recorder->tracer.pipe, .events = POLLIN },
		{ .fd = recorder->answers.listener, .events = POLLIN },
		{ .fd = recorder->disk.opening ? recorder->disk.wake : -1,
		  .events = POLLIN },
	};

	if (poll(events, sizeof(events) / sizeof(*events), -1) < 0)
		return;
	if (events[0].revents)
		take_signal(recorder);
	if (events[1].revents)
		tick(recorder);
	if (recorder->taker.pipe >= 0 && events[2].revents)
		hear(recorder);
	if (recorder->tracer.pipe >= 0 && events[3].revents)
		hear_tracer(recorder);
	if (events[4].revents)
		answers_accept(&recorder->answers, answer, recorder,
			       recorder->disk.wake);
	/* Unless it has died, and that was heard with the signals. */
	if (recorder->disk.opening && events[5].revents)
		hear_writer(recorder);
}

/*
 * Before the first child is made: what ends the recorder is heard when there is
 * something to end. @child is SIGCHLD, or 0 as long as children are waited for
 * one by one. Returns @fd, or a new signalfd if that is -1, or -1.
 */
static int block_signals(int fd, int child)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (child)
		sigaddset(&set, child);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	return signalfd(fd, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int start_timer(int64_t interval_ms)
{
	const struct timespec interval = {
		.tv_sec = interval_ms / 1000,
		.tv_nsec = interval_ms % 1000 * NS_PER_MS,
	};
	const struct itimerspec times = {
		.it_interval = interval,
		.it_value.tv_nsec = 1,
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd >= 0)
		timerfd_settime(fd, 0, &times, NULL);
	return fd;
}

static void lock_memory(const struct recorder *recorder)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
		tell(recorder, errno, "memory",
		     "it cannot be locked, so the recorder may wait for a disk "
		     "(it needs CAP_IPC_LOCK)");
}

/* After the writer was started, which would have a copy, and lock it. */
static int allocate(struct recorder *recorder, struct error *err)
{
	recorder->taker.frames = (struct frames){ .bytes = malloc(MOST_TAKEN),
						  .room = MOST_TAKEN };
	recorder->tracer.frames = (struct frames){ .bytes = malloc(MOST_TRACED),
						   .room = MOST_TRACED };
	recorder->totals = malloc(TRACING_TEXT);
	if (!recorder->taker.frames.bytes || !recorder->tracer.frames.bytes ||
	    !recorder->totals ||
	    document_writer_init(&recorder->writer, MOST_STATE) < 0)
		return error_errno(err, ENOMEM, "recording", "memory");
	return record_ring_fill(&recorder->ring, err);
}

/* What the tracer has counted until now, while it is still there. */
static void take_last_report(struct recorder *recorder)
{
	struct pollfd answer = { .fd = recorder->tracer.pipe,
				 .events = POLLIN };

	tracer_ask(&recorder->tracer, true);
	if (recorder->tracer.pid && poll(&answer, 1, LAST_REPORT_MS) > 0)
		tracer_hear(&recorder->tracer, take_traced, recorder);
	tracer_stop(&recorder->tracer);
}

static void record(struct recorder *recorder)
{
	const struct store_time now = store_time_now();

	record_ring_begin(&recorder->ring, recorder->disk.next_number,
			  recorder->disk.next_sequence, &now);
	cost_begin(&recorder->cost, recorder->ring.shared);
	append_start(recorder);
	lock_memory(recorder);
	oom_score_set(OOM_SCORE_LAST);
	/* Those that have ended already. */
	reap(recorder);
	while (!recorder->ended)
		look(recorder);
	take_last_report(recorder);
	append_state(recorder, &(struct store_state){ .what = STORE_STOPPED },
		     true);
}

static int end(struct recorder *recorder, struct error *err)
{
	const struct recorder_options *options = recorder->options;
	struct ring_shared *shared = recorder->ring.shared;

	if (recorder->taker.pid)
		kill(recorder->taker.pid, SIGKILL);
	/* There may be something left to write. */
	if (!recorder->disk.pid &&
	    disk_replace(&recorder->disk, &recorder->ring, err) < 0)
		return -EIO;
	if (!disk_stop(&recorder->disk))
		return error_doing(err, EBUSY, "recording", options->dir,
				   "the disk does not answer");
	if (atomic_load(&shared->failed))
		return error_errno(err, atomic_load(&shared->failed),
				   "recording", options->dir);
	return 0;
}

static void tell_begin(const struct recorder_options *options)
{
	char text[PATH_MAX + 128];

	snprintf(text, sizeof(text),
		 "recording in %s every %g s, at most %s (Ctrl-C ends it)",
		 options->dir, (double)options->interval_ms / 1000,
		 SIZE((int64_t)options->size));
	options->tell(text);
}

/* Begins to wait for all that there is to wait for, and records. */
static int run(struct recorder *recorder, struct error *err)
{
	struct error no_socket;

	recorder->signals = block_signals(recorder->signals, SIGCHLD);
	recorder->timer = start_timer(recorder->options->interval_ms);
	if (recorder->signals < 0 || recorder->timer < 0)
		return error_errno(err, errno, "recording", "waiting");
	if (answers_init(&recorder->answers, &no_socket) < 0)
		tell_error(recorder, &no_socket);
	tell_begin(recorder->options);
	record(recorder);
	return 0;
}

int recorder_run(const struct recorder_options *options, struct error *err)
{
	struct recorder recorder = {
		.options = options,
		.ring.fd = -1,
		.taker.pipe = -1,
		.tracer = { .orders = -1, .pipe = -1 },
		.timer = -1,
		.signals = -1,
		.answers.listener = -1,
	};
	int ret, stopped = 0;

	recorder.signals = block_signals(-1, 0);
	if (recorder.signals < 0)
		return error_errno(err, errno, "recording", "waiting");
	/* Before there is memory that it would have a copy of. */
	tracer_start(&recorder.tracer);
	recorder.traced_key_ns = monotonic_ns();
	ret = record_ring_init(&recorder.ring, err);
	if (!ret)
		ret = disk_start(&recorder.disk, &recorder.ring, options->dir,
				 options->size, recorder.signals, err);
	if (!ret) {
		ret = allocate(&recorder, err);
		if (!ret)
			ret = run(&recorder, err);
		stopped = end(&recorder, ret < 0 ? NULL : err);
	}
	tracer_stop(&recorder.tracer);
	answers_deinit(&recorder.answers);
	closep(&recorder.taker.pipe);
	closep(&recorder.timer);
	closep(&recorder.signals);
	record_ring_deinit(&recorder.ring);
	free(recorder.taker.frames.bytes);
	free(recorder.tracer.frames.bytes);
	free(recorder.totals);
	document_writer_deinit(&recorder.writer);
	if (ret == -EINTR)
		return 0;
	return ret < 0 ? ret : stopped;
}
