// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "top/details.h"
#include "top/feed.h"
#include "top/replay.h"
#include "top/sheet.h"
#include "top/tab.h"
#include "worker/patience.h"
#include "worker/worker.h"

/* Forks. Returns 1 in the child, 0 in the parent, or a negative errno. */
static int start(struct feed *feed, int kept)
{
	sigset_t none;
	pid_t pid;

	if (feed_is_busy(feed))
		return -EBUSY;
	free(feed->frames.bytes);
	*feed = (struct feed){ .pipe = -1, .frames.grows = true };
	pid = worker_start(kept, false, &feed->pipe);
	if (pid) {
		feed->pid = pid < 0 ? 0 : pid;
		return pid < 0 ? pid : 0;
	}
	/* The screen waits for its signals; this process takes them. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return 1;
}

/* The sysroot in the child, which has only the descriptor that it was given. */
struct child_root {
	struct sysroot root;
	struct patience patience;
};

static int kept_by(const struct tab_asking *question)
{
	struct sysroot root = *question->root;

	return *sysroot_fd(&root);
}

static const struct sysroot *child_root(struct child_root *child,
					const struct tab_asking *question)
{
	child->root = *question->root;
	if (*sysroot_fd(&child->root) >= 0)
		*sysroot_fd(&child->root) = WORKER_KEPT;
	child->patience = (struct patience){ 0 };
	child->root.patience = &child->patience;
	patience_begin(&child->patience);
	return &child->root;
}

/* The last that a process has to say. @ret: whether there is an error. */
static _Noreturn void end(int ret, const struct error *err)
{
	(void)frame_send(WORKER_PIPE, ret < 0 ? FEED_ERROR : FEED_END, err,
			 ret < 0 ? sizeof(*err) : 0);
	/* What was measured goes with the process. */
	_exit(0);
}

static _Noreturn void send_replay(const struct question *tab,
				  const struct replay *replay)
{
	struct patience patience = { 0 };
	struct error err = { 0 };

	patience_begin(&patience);
	end(replay_send(WORKER_PIPE, tab, replay, &patience, &err), &err);
}

int feed_replay(struct feed *feed, const struct question *tab,
		const struct replay *replay)
{
	int ret = start(feed, -1);

	if (ret == 1)
		send_replay(tab, replay);
	return ret;
}

static _Noreturn void send_steps(const struct replay *replay)
{
	struct patience patience = { 0 };
	struct past_steps steps = { 0 };
	struct error err = { 0 };
	int ret;

	patience_begin(&patience);
	ret = past_steps_read(&steps, replay->path, &patience, &err);
	if (!ret)
		(void)frame_send(WORKER_PIPE, FEED_ANSWER, steps.steps,
				 steps.count * sizeof(*steps.steps));
	end(replay_name_error(replay, ret, &err), &err);
}

int feed_steps(struct feed *feed, const struct replay *replay)
{
	int ret = start(feed, -1);

	if (ret == 1)
		send_steps(replay);
	return ret;
}

bool feed_is_error(unsigned int kind, const char *text, size_t size,
		   struct error *err)
{
	if (kind != FEED_ERROR || size != sizeof(*err))
		return false;
	memcpy(err, text, size);
	return true;
}

/* The data of take_steps(). */
struct steps_taken {
	struct past_steps *steps;
	struct error *err;
};

static int take_steps(void *data, unsigned int kind, const char *text,
		      size_t size)
{
	const struct steps_taken *taken = data;
	struct past_steps *steps = taken->steps;
	const size_t count = size / sizeof(*steps->steps);

	if (feed_is_error(kind, text, size, taken->err))
		return -ENODATA;
	if (kind != FEED_ANSWER)
		return 0;
	steps->steps = malloc(size);
	if (!steps->steps)
		return error_errno(taken->err, ENOMEM, "reading a recording",
				   NULL);
	memcpy(steps->steps, text, size);
	steps->count = steps->capacity = count;
	return 0;
}

int feed_take_steps(struct feed *feed, struct past_steps *steps,
		    struct error *err)
{
	struct steps_taken taken = { steps, err };
	int ret = frames_take(&feed->frames, take_steps, &taken);

	/* The process has died. */
	if (!ret && !steps->count)
		return error_errno(err, EIO, "reading a recording", NULL);
	return ret;
}

static int send_rows(void *data, const struct tab_rows *rows)
{
	const struct question *tab = data;
	char *packed;
	size_t size;
	int ret = sheet_pack(tab, rows, &packed, &size);

	if (ret < 0)
		return ret;
	ret = frame_send(WORKER_PIPE, FEED_ANSWER, packed, size);
	free(packed);
	return ret;
}

static _Noreturn void measure_tab(const struct question *tab,
				  const struct tab_asking *question)
{
	struct tab_asking own = *question;
	struct tab_rows rows = { 0 };
	struct child_root child;
	struct error err = { 0 };
	int ret;

	own.root = child_root(&child, question);
	ret = tab_take(tab, &own, &rows, &err);
	if (!ret && send_rows((void *)tab, &rows) == -ENOMEM)
		ret = error_errno(&err, ENOMEM, "measuring", tab->name);
	end(ret, &err);
}

int feed_measure(struct feed *feed, const struct question *tab,
		 const struct tab_asking *question)
{
	int ret = start(feed, kept_by(question));

	if (ret == 1)
		measure_tab(tab, question);
	return ret;
}

static _Noreturn void follow_tab(const struct question *tab,
				 const struct tab_asking *question,
				 double seconds)
{
	struct tab_asking own = *question;
	struct child_root child;
	struct error err = { 0 };

	own.root = child_root(&child, question);
	end(tab_more(tab)->follow(&own, seconds, send_rows, (void *)tab, &err),
	    &err);
}

int feed_follow(struct feed *feed, const struct question *tab,
		const struct tab_asking *question, double seconds)
{
	int ret = start(feed, kept_by(question));

	if (ret == 1)
		follow_tab(tab, question, seconds);
	return ret;
}

/* The tree that a question is about, in a process of its own. */
static const struct sysroot *asked_root(struct child_root *child,
					const struct tab_asking *question,
					const struct replay *replay,
					struct error *err)
{
	const struct sysroot *root = child_root(child, question);

	if (!replay)
		return root;
	if (replay_root(&child->root, replay, &child->patience, err) < 0)
		return NULL;
	child->root.patience = &child->patience;
	return root;
}

int feed_details(struct feed *feed, const struct question *tab, const char *key,
		 const struct tab_asking *question, const struct replay *replay)
{
	char text[ERROR_TEXT_SIZE];
	const struct sysroot *root;
	struct child_root child;
	int ret = start(feed, kept_by(question));
	struct error err;
	FILE *out;

	if (ret != 1)
		return ret;
	out = fdopen(WORKER_PIPE, "w");
	root = asked_root(&child, question, replay, &err);
	if (out && root)
		details_print(out, tab, key, root);
	else if (out)
		fputs(error_text(&err, text), out);
	if (out)
		fflush(out);
	_exit(0);
}

/* Goes on as bufstat, whose stdout and stderr are the pipe. */
static _Noreturn void become(char **argv)
{
	if (dup2(WORKER_PIPE, STDOUT_FILENO) >= 0 &&
	    dup2(WORKER_PIPE, STDERR_FILENO) >= 0)
		execv("/proc/self/exe", argv);
	_exit(1);
}

int feed_drop(struct feed *feed, const struct string_list *words, bool dry_run)
{
	_cleanup_(freep) char **argv = calloc(words->count + 4, sizeof(*argv));
	size_t count = 0;
	int ret;

	if (!argv)
		return -ENOMEM;
	argv[count++] = (char *)"bufstat";
	argv[count++] = (char *)"drop";
	if (dry_run)
		argv[count++] = (char *)"--dry-run";
	for (size_t i = 0; i < words->count; i++)
		argv[count++] = words->strings[i];
	ret = start(feed, -1);
	if (ret == 1)
		become(argv);
	return ret;
}

int feed_watch(struct feed *feed, int epoll, uint32_t id)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = id };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, feed->pipe, &event) < 0)
		return -errno;
	feed->is_watched = true;
	feed->epoll = epoll;
	return 0;
}

char *feed_line(struct feed *feed)
{
	struct frames *read = &feed->frames;
	char *end = read->used ? memchr(read->bytes, '\n', read->used) : NULL;
	char *line = end ? strndup(read->bytes, (size_t)(end - read->bytes)) :
			   NULL;

	if (!line)
		return NULL;
	read->used -= (size_t)(end + 1 - read->bytes);
	memmove(read->bytes, end + 1, read->used);
	/* There was room for the newline. */
	read->bytes[read->used] = '\0';
	return line;
}

int feed_read(struct feed *feed)
{
	int ret = frames_read(&feed->frames, feed->pipe);

	if (ret < 0)
		return ret == -EAGAIN ? 0 : ret;
	/* Where the end was read, there was room for more. */
	feed->frames.bytes[feed->frames.used] = '\0';
	return 1;
}

void feed_end(struct feed *feed)
{
	/*
	 * Closing is not enough: processes that were forked meanwhile may have
	 * the pipe open for a moment, and events would go on.
	 */
	if (feed->is_watched)
		epoll_ctl(feed->epoll, EPOLL_CTL_DEL, feed->pipe, NULL);
	feed->is_watched = false;
	close(feed->pipe);
	feed->pipe = -1;
	/* It closed the pipe by ending, so this is short. */
	worker_reap(feed->pid, monotonic_ns());
	feed->pid = 0;
}

void feed_stop(struct feed *feed)
{
	if (feed_is_busy(feed)) {
		kill(feed->pid, SIGKILL);
		feed_end(feed);
	}
	free(feed->frames.bytes);
	*feed = (struct feed){ 0 };
}
