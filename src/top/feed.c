// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/patience.h"
#include "ask/worker.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "top/details.h"
#include "top/feed.h"
#include "top/sheet.h"
#include "top/tab.h"

#define READ_SIZE 65536

/* Forks. Returns 1 in the child, 0 in the parent, or a negative errno. */
static int start(struct feed *feed, int kept)
{
	sigset_t none;
	pid_t pid;

	if (feed_is_busy(feed))
		return -EBUSY;
	*feed = (struct feed){ .pipe = -1 };
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

static void write_all(const char *data, size_t size)
{
	while (size) {
		ssize_t written = write(WORKER_PIPE, data, size);

		if (written <= 0)
			return;
		data += written;
		size -= (size_t)written;
	}
}

/* The sysroot in the child, which has only the descriptor that it was given. */
struct child_root {
	struct sysroot root;
	struct patience patience;
};

static int kept_by(const struct tab_question *question)
{
	struct sysroot root = *question->root;

	return *sysroot_fd(&root);
}

static const struct sysroot *child_root(struct child_root *child,
					const struct tab_question *question)
{
	child->root = *question->root;
	if (*sysroot_fd(&child->root) >= 0)
		*sysroot_fd(&child->root) = WORKER_KEPT;
	child->patience = (struct patience){ 0 };
	child->root.patience = &child->patience;
	patience_begin(&child->patience);
	return &child->root;
}

static _Noreturn void measure_tab(const struct tab *tab,
				  const struct tab_question *question)
{
	struct tab_question own = *question;
	struct tab_rows rows = { 0 };
	struct child_root child;
	struct error err = { 0 };
	char *data = NULL;
	size_t size = 0;
	int ret;

	own.root = child_root(&child, question);
	ret = tab->take(&own, &rows, &err);
	if (sheet_pack(tab, ret < 0 ? NULL : &rows, &err, &data, &size) == 0)
		write_all(data, size);
	/* What was measured goes with the process. */
	_exit(0);
}

int feed_measure(struct feed *feed, const struct tab *tab,
		 const struct tab_question *question)
{
	int ret = start(feed, kept_by(question));

	if (ret == 1)
		measure_tab(tab, question);
	return ret;
}

int feed_details(struct feed *feed, const struct tab *tab, const char *key,
		 const char *name, const struct tab_question *question)
{
	struct child_root child;
	int ret = start(feed, kept_by(question));
	FILE *out;

	if (ret != 1)
		return ret;
	out = fdopen(WORKER_PIPE, "w");
	if (out) {
		details_print(out, tab, key, name,
			      child_root(&child, question));
		fflush(out);
	}
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

int feed_follow(struct feed *feed, const char *const *words)
{
	_cleanup_(freep) char **argv = NULL;
	size_t count = 0;
	int ret;

	while (words[count])
		count++;
	argv = calloc(count + 2, sizeof(*argv));
	ret = argv ? start(feed, -1) : -ENOMEM;
	if (ret != 1)
		return ret;
	argv[0] = (char *)"bufstat";
	memcpy(argv + 1, words, count * sizeof(*argv));
	become(argv);
}

char *feed_line(struct feed *feed)
{
	char *end = feed->size ? memchr(feed->data, '\n', feed->size) : NULL;
	char *line = end ? strndup(feed->data, (size_t)(end - feed->data)) :
			   NULL;

	if (!line)
		return NULL;
	feed->size -= (size_t)(end + 1 - feed->data);
	memmove(feed->data, end + 1, feed->size);
	return line;
}

int feed_drop(struct feed *feed, const struct string_list *words, bool dry_run)
{
	_cleanup_(freep) char **argv = calloc(words->count + 4, sizeof(*argv));
	size_t count = 0;
	int ret = argv ? start(feed, -1) : -ENOMEM;

	if (ret != 1)
		return ret;
	argv[count++] = (char *)"bufstat";
	argv[count++] = (char *)"drop";
	if (dry_run)
		argv[count++] = (char *)"--dry-run";
	for (size_t i = 0; i < words->count; i++)
		argv[count++] = words->strings[i];
	become(argv);
}

int feed_read(struct feed *feed)
{
	char *more;
	ssize_t size;

	for (;;) {
		if (feed->capacity - feed->size < READ_SIZE) {
			more = realloc(feed->data,
				       feed->capacity * 2 + READ_SIZE + 1);
			if (!more)
				return -ENOMEM;
			feed->data = more;
			feed->capacity = feed->capacity * 2 + READ_SIZE;
		}
		size = read(feed->pipe, feed->data + feed->size, READ_SIZE);
		if (size < 0 && errno == EAGAIN)
			return 0;
		if (size <= 0)
			break;
		feed->size += (size_t)size;
	}
	feed->data[feed->size] = '\0';
	return 1;
}

void feed_end(struct feed *feed)
{
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
	free(feed->data);
	*feed = (struct feed){ 0 };
}
