// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bufstat/version.h>

#include "ask/worker.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "record/disk.h"
#include "record/recorder.h"
#include "record/ring.h"
#include "record/take.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

enum {
	/* Documents of one reading. */
	MOST_TAKEN = 1 << 20, /* bytes */
	KEY_S = 60,
	/* Words that were lost cost what needs them until they are repeated. */
	WORDS_EVERY_KEYS = 30,
	/* A walk over all inodes may take this part of the time. */
	WALK_PART = 300,
	/* A processor may be used for this part of the time, in 1/1000. */
	MOST_PERMILLE = 5,
	MOST_SLOWED = 60, /* intervals, at most */
};

/* Longer than any reading that makes progress (take.c). */
#define READING_NS (8 * NS_PER_S)

struct recorder {
	const struct recorder_options *options;
	struct record_ring ring;
	struct disk disk;
	struct answers answers;
	int timer;
	int signals;
	/* The child that takes a reading. */
	pid_t taker; /* 0: there is none */
	int pipe; /* -1: all of it has been read */
	int64_t taken_since_ns;
	char *taken; /* MOST_TAKEN bytes */
	size_t taken_size;
	bool is_key;
	unsigned int keys;
	int64_t key_ns; /* when the last key records were asked for */
	int64_t walk_again_ns; /* when the filesystems may be walked again */
	/* What it cost when that was last noted. */
	int64_t cost_at_ns;
	int64_t cost_ns;
	unsigned int slowed; /* readings only every so many intervals */
	unsigned int skipped;
	int told_failed; /* the disk's error that was told, or 0 */
	bool told_stuck;
	bool ended;
};

/* These messages are about what goes on: they do not end the recorder. */
static void tell(int what, const char *doing, const char *object,
		 const char *reason)
{
	struct error err;

	error_doing(&err, what, doing, object, "%s", reason);
	error_print(&err);
}

static void append_text(struct recorder *recorder, const char *text, bool key)
{
	const struct store_time now = store_time_now();

	record_ring_append(&recorder->ring, STORE_STATE, &now, text,
			   strlen(text), key);
}

static void append_start(struct recorder *recorder)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "{\"state\":\"started\",\"bufstat\":\"" BUFSTAT_VERSION
		 "\",\"pid\":%d,\"interval_ms\":%" PRId64 "}",
		 getpid(), recorder->options->interval_ms);
	append_text(recorder, text, true);
}

static int64_t usage_ns(int who)
{
	struct rusage usage;

	if (getrusage(who, &usage) < 0)
		return 0;
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) *
		       INT64_C(1000);
}

static int64_t cost_so_far_ns(const struct recorder *recorder)
{
	return usage_ns(RUSAGE_SELF) + usage_ns(RUSAGE_CHILDREN) +
	       atomic_load(&recorder->ring.shared->cpu_ns);
}

/* What is resident of the recorder itself, in KiB; -1 if not known. */
static int64_t resident_kib(void)
{
	_cleanup_(closep) int fd =
		open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[128];
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	long pages;

	if (length <= 0)
		return -1;
	text[length] = '\0';
	if (sscanf(text, "%*d %ld", &pages) != 1)
		return -1;
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Readings get rarer if they cost more than they may. */
static void keep_budget(struct recorder *recorder, int64_t cost_ns,
			int64_t over_ns)
{
	int64_t most_ns = over_ns * MOST_PERMILLE / 1000;

	/* To start costs more than to go on. */
	if (over_ns < KEY_S * NS_PER_S / 2)
		return;
	if (cost_ns > most_ns && recorder->slowed < MOST_SLOWED)
		recorder->slowed++;
	else if (cost_ns < most_ns / 2 && recorder->slowed > 1)
		recorder->slowed--;
}

static void append_cost(struct recorder *recorder)
{
	const struct ring_shared *shared = recorder->ring.shared;
	int64_t now_ns = monotonic_ns(), cost_ns = cost_so_far_ns(recorder);
	int64_t over_ns = now_ns - recorder->cost_at_ns;
	char text[320];

	keep_budget(recorder, cost_ns - recorder->cost_ns, over_ns);
	snprintf(
		text, sizeof(text),
		"{\"state\":\"running\",\"interval_ms\":%" PRId64
		",\"cpu_us\":%" PRId64 ",\"over_ms\":%" PRId64
		",\"resident_kib\":%" PRId64
		",\"disk_errno\":%d,\"disk_waits\":%s,\"lost_segments\":%" PRIu64
		"}",
		recorder->options->interval_ms * recorder->slowed,
		(cost_ns - recorder->cost_ns) / 1000, over_ns / NS_PER_MS,
		resident_kib(), atomic_load(&shared->failed),
		atomic_load(&shared->syncs) ==
				atomic_load(&shared->sync_wanted) ?
			"false" :
			"true",
		atomic_load(&shared->lost));
	recorder->cost_at_ns = now_ns;
	recorder->cost_ns = cost_ns;
	append_text(recorder, text, true);
}

static void tell_about_disk(struct recorder *recorder)
{
	int failed = atomic_load(&recorder->ring.shared->failed);
	struct error err;

	if (failed && failed != recorder->told_failed) {
		error_errno(&err, failed, "recording", recorder->options->dir);
		error_remedy(&err, 0, "what is newer is in memory only");
		error_print(&err);
	}
	recorder->told_failed = failed;
}

static void append_too_large(struct recorder *recorder)
{
	append_text(recorder,
		    "{\"state\":\"failed\",\"reason\":\"a reading was too "
		    "large for the recording\"}",
		    false);
}

static void take_document(struct recorder *recorder, unsigned int kind,
			  const char *text, size_t size)
{
	const struct store_time now = store_time_now();
	int64_t walk_ns;
	int ret;

	if (kind == TAKEN_WALK_NS && size == sizeof(walk_ns)) {
		memcpy(&walk_ns, text, sizeof(walk_ns));
		recorder->walk_again_ns = monotonic_ns() + walk_ns * WALK_PART;
		return;
	}
	if (kind <= STORE_WORDS || kind >= STORE_KINDS)
		return;
	ret = record_ring_append(&recorder->ring, kind, &now, text, size,
				 recorder->is_key);
	if (ret < 0)
		append_too_large(recorder);
}

/* A frame that was cut short is not there. */
static void take_documents(struct recorder *recorder)
{
	const char *at = recorder->taken, *end = at + recorder->taken_size;
	struct taken head;

	if (recorder->taken_size == MOST_TAKEN)
		append_too_large(recorder);

	while ((size_t)(end - at) >= sizeof(head)) {
		memcpy(&head, at, sizeof(head));
		at += sizeof(head);
		if (head.size > (size_t)(end - at))
			break;
		take_document(recorder, head.kind, at, head.size);
		at += head.size;
	}
	if (recorder->is_key) {
		const struct store_time now = store_time_now();

		append_cost(recorder);
		if (++recorder->keys % WORDS_EVERY_KEYS == 0)
			record_ring_repeat_words(&recorder->ring, &now);
		record_ring_sync(&recorder->ring);
		tell_about_disk(recorder);
	}
	disk_wake(&recorder->disk);
}

/* Reads what the child has written. At its end, takes the documents. */
static void hear(struct recorder *recorder)
{
	ssize_t length;

	for (;;) {
		size_t room = MOST_TAKEN - recorder->taken_size;

		length = read(recorder->pipe,
			      recorder->taken + recorder->taken_size, room);
		if (length <= 0)
			break;
		recorder->taken_size += (size_t)length;
	}
	if (length < 0 && errno == EAGAIN)
		return;
	close(recorder->pipe);
	recorder->pipe = -1;
	take_documents(recorder);
}

static void start_taking(struct recorder *recorder)
{
	int64_t now_ns = monotonic_ns();
	unsigned int also = 0;
	pid_t pid;

	recorder->is_key = !recorder->key_ns ||
			   now_ns - recorder->key_ns >= KEY_S * NS_PER_S;
	if (recorder->is_key) {
		recorder->key_ns = now_ns;
		also = TAKE_MEMORY | TAKE_NAMES;
		if (now_ns >= recorder->walk_again_ns)
			also |= TAKE_FILESYSTEMS;
	}
	recorder->taken_size = 0;
	recorder->taken_since_ns = now_ns;
	pid = worker_start(-1, false, &recorder->pipe);
	if (!pid) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		take_reading(WORKER_PIPE, also);
		_exit(0);
	}
	if (pid < 0) {
		append_text(recorder,
			    "{\"state\":\"failed\",\"reason\":\"no process "
			    "could be started\"}",
			    false);
		disk_wake(&recorder->disk);
		return;
	}
	recorder->taker = pid;
}

/* A reading that does not come back is left alone: there is never a second. */
static void give_up_taking(struct recorder *recorder)
{
	if (monotonic_ns() - recorder->taken_since_ns < READING_NS)
		return;
	kill(recorder->taker, SIGKILL);
	if (recorder->told_stuck)
		return;
	recorder->told_stuck = true;
	append_text(recorder,
		    "{\"state\":\"failed\",\"reason\":\"a reading did not come "
		    "back\"}",
		    false);
	disk_wake(&recorder->disk);
}

static void tick(struct recorder *recorder)
{
	uint64_t times;

	if (read(recorder->timer, &times, sizeof(times)) < 0)
		return;
	if (recorder->taker) {
		give_up_taking(recorder);
		return;
	}
	if (++recorder->skipped < recorder->slowed)
		return;
	recorder->skipped = 0;
	start_taking(recorder);
}

static void reap(struct recorder *recorder)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		answers_forget(&recorder->answers, pid);
		if (pid == recorder->disk.pid) {
			recorder->disk.pid = 0;
			tell(EIO, "recording", recorder->options->dir,
			     "the writer has died: it goes on in memory");
		}
		if (pid != recorder->taker)
			continue;
		/* What it wrote before it ended is still in the pipe. */
		if (recorder->pipe >= 0)
			hear(recorder);
		recorder->taker = 0;
		recorder->told_stuck = false;
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

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getppid(),
		 recorder->ring.fd);
	return recorder->options->answer(path, line);
}

static void look(struct recorder *recorder)
{
	struct pollfd events[] = {
		{ .fd = recorder->signals, .events = POLLIN },
		{ .fd = recorder->timer, .events = POLLIN },
		{ .fd = recorder->pipe, .events = POLLIN },
		{ .fd = recorder->answers.listener, .events = POLLIN },
	};

	if (poll(events, sizeof(events) / sizeof(*events), -1) < 0)
		return;
	if (events[0].revents)
		take_signal(recorder);
	if (events[1].revents)
		tick(recorder);
	if (recorder->pipe >= 0 && events[2].revents)
		hear(recorder);
	if (events[3].revents)
		answers_accept(&recorder->answers, answer, recorder,
			       recorder->disk.wake);
}

static int block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
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

/*
 * Others have more to lose, and it is what says afterwards what happened. The
 * writer inherits this.
 */
static void be_killed_last(void)
{
	_cleanup_(closep) int fd =
		open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		(void)!write(fd, "-900", 4);
}

static void lock_memory(void)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
		tell(errno, "recording", "memory",
		     "it cannot be locked, so the recorder may wait for a disk "
		     "(it needs CAP_IPC_LOCK)");
}

static int allocate(struct recorder *recorder, struct error *err)
{
	recorder->taken = malloc(MOST_TAKEN);
	if (!recorder->taken)
		return error_errno(err, ENOMEM, "recording", "memory");
	return record_ring_init(&recorder->ring, err);
}

static void record(struct recorder *recorder)
{
	const struct store_time now = store_time_now();

	record_ring_begin(&recorder->ring, recorder->disk.next_number,
			  recorder->disk.next_sequence, &now);
	recorder->cost_at_ns = monotonic_ns();
	recorder->cost_ns = cost_so_far_ns(recorder);
	append_start(recorder);
	lock_memory();
	while (!recorder->ended)
		look(recorder);
	append_text(recorder, "{\"state\":\"stopped\"}", true);
}

static int end(struct recorder *recorder, struct error *err)
{
	const struct recorder_options *options = recorder->options;
	struct ring_shared *shared = recorder->ring.shared;

	if (recorder->taker)
		kill(recorder->taker, SIGKILL);
	if (!recorder->disk.pid)
		return 0;
	if (!disk_stop(&recorder->disk))
		return error_doing(err, EBUSY, "recording", options->dir,
				   "the disk does not answer");
	if (atomic_load(&shared->failed))
		return error_errno(err, atomic_load(&shared->failed),
				   "recording", options->dir);
	return 0;
}

int recorder_run(const struct recorder_options *options, struct error *err)
{
	struct recorder recorder = {
		.options = options,
		.ring.fd = -1,
		.pipe = -1,
		.timer = -1,
		.signals = -1,
		.answers.listener = -1,
		.slowed = 1,
	};
	int ret = allocate(&recorder, err), stopped = 0;
	struct error no_socket;

	be_killed_last();

	if (!ret)
		ret = disk_start(&recorder.disk, &recorder.ring, options->dir,
				 options->size, err);
	if (!ret) {
		recorder.signals = block_signals();
		recorder.timer = start_timer(options->interval_ms);
		if (recorder.signals < 0 || recorder.timer < 0)
			ret = error_errno(err, errno, "recording", "waiting");
		else if (answers_init(&recorder.answers, &no_socket) < 0)
			error_print(&no_socket);
		if (!ret)
			record(&recorder);
		stopped = end(&recorder, ret < 0 ? NULL : err);
	}
	answers_deinit(&recorder.answers);
	closep(&recorder.pipe);
	closep(&recorder.timer);
	closep(&recorder.signals);
	record_ring_deinit(&recorder.ring);
	free(recorder.taken);
	return ret < 0 ? ret : stopped;
}
