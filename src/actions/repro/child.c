// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sentence.h"
#include "lib/string_list.h"
#include "repro/child.h"
#include "repro/progress.h"
#include "repro/stop.h"

#define ADMIN_PATH "/usr/local/sbin:/usr/sbin:/sbin"
#define POLL_MS 100
#define COMPANY_MS 20 /* the same with company, which must not be late */
#define PATIENCE_MS 3000

/* ---- commands ------------------------------------------------------------ */

static const struct word *name_at(const char *text, const struct word *words)
{
	for (; words->name; words++) {
		if (strncmp(text, words->name, strlen(words->name)) == 0)
			return words;
	}
	return NULL;
}

static int add_filled(const char *text, size_t length, const struct word *words,
		      struct string_list *list)
{
	_cleanup_(freep) char *filled = NULL;
	const char *end = text + length;
	struct sentence out;

	sentence_begin(&out);
	while (text < end) {
		const struct word *word = name_at(text, words);

		if (word) {
			say(&out, "%s", word->value);
			text += strlen(word->name);
		} else {
			say(&out, "%c", *text++);
		}
	}
	return sentence_end(&out, &filled) ?: string_list_add(list, filled);
}

int words_fill(const char *line, const struct word *words,
	       struct string_list *list)
{
	int ret = 0;

	while (!ret && *line) {
		size_t length = strcspn(line, " ");

		ret = add_filled(line, length, words, list);
		line += length;
		line += *line == ' ';
	}
	return ret;
}

/* ---- processes ----------------------------------------------------------- */

/*
 * PATH plus the sbin directories, where mkfs is: a user's PATH may lack them.
 * The caller frees it. NULL: out of memory.
 */
static char *search_path(void)
{
	const char *path = getenv("PATH");
	char *whole;

	if (asprintf(&whole, "%s:" ADMIN_PATH, path ? path : "/usr/bin:/bin") <
	    0)
		return NULL;
	return whole;
}

int child_find_program(const char *name)
{
	_cleanup_(freep) char *path = search_path();
	char *rest = NULL;

	if (!path)
		return -ENOMEM;
	for (char *dir = strtok_r(path, ":", &rest); dir;
	     dir = strtok_r(NULL, ":", &rest)) {
		_cleanup_(freep) char *program = NULL;

		if (asprintf(&program, "%s/%s", dir, name) < 0) {
			program = NULL;
			return -ENOMEM;
		}
		if (access(program, X_OK) == 0)
			return 0;
	}
	return -ENOENT;
}

/* Returns the child's id to the parent and 0 in the child. */
static pid_t start(const struct stop *stop)
{
	pid_t parent = getpid(), child;

	fflush(NULL);
	child = fork();
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have ended before prctl() took effect. */
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	sigprocmask(SIG_SETMASK, &stop->before, NULL);
	return 0;
}

/* Returns 0 and the status, or -EINTR if we asked the child to end. */
static int wait_for(struct stop *stop, struct progress *progress,
		    const struct child_company *company, pid_t child,
		    int *status)
{
	const unsigned int pause_ms = company ? COMPANY_MS : POLL_MS;
	unsigned int patience = PATIENCE_MS / pause_ms;
	bool asked = false;

	while (waitpid(child, status, WNOHANG) == 0) {
		if (stop_is_asked(stop) && !asked) {
			kill(child, SIGTERM);
			asked = true;
		}
		if (asked && !patience--)
			kill(child, SIGKILL);
		progress_show(progress, 0, 0);
		stop_wait_child_ms(stop, pause_ms);
		if (company)
			company->serve(company->data);
	}
	return asked ? -EINTR : 0;
}

/*
 * @said is a non-blocking pipe: a program that fills it must not wait for us.
 */
static void redirect(int said)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (dup2(said, STDERR_FILENO) < 0)
		_exit(127);
	/* Otherwise its output would be mixed with ours. */
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0) {
		dprintf(STDERR_FILENO, "/dev/null: %s\n", strerror(errno));
		_exit(127);
	}
}

static void execute(const struct string_list *words)
{
	char **argv = calloc(words->count + 1, sizeof(*argv));
	char *path = search_path();

	if (!argv || !path || setenv("PATH", path, 1) < 0) {
		dprintf(STDERR_FILENO, "%s\n", strerror(ENOMEM));
		_exit(127);
	}
	for (size_t i = 0; i < words->count; i++)
		argv[i] = words->strings[i];
	/* Other locales would quote the words in messages differently. */
	setenv("LC_ALL", "C", 1);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s\n", strerror(errno));
	_exit(127);
}

/* The last line in the pipe, or "". */
static void read_last_line(int fd, char *line, size_t size)
{
	char text[65536];
	ssize_t got = read(fd, text, sizeof(text) - 1);
	char *last;

	*line = '\0';
	if (got <= 0)
		return;
	text[got] = '\0';
	while (got && text[got - 1] == '\n')
		text[--got] = '\0';
	last = strrchr(text, '\n');
	snprintf(line, size, "%.400s", last ? last + 1 : text);
}

static int failed(const char *program, int status, int said, struct error *err)
{
	char line[512];

	read_last_line(said, line, sizeof(line));
	if (WIFSIGNALED(status))
		return error_doing(err, EIO, "running", program, "ended by: %s",
				   strsignal(WTERMSIG(status)));
	return error_doing(err, EIO, "running", program, "exit status %d%s%s",
			   WEXITSTATUS(status), *line ? ": " : "", line);
}

int child_run(struct stop *stop, struct progress *progress,
	      const struct string_list *words, struct error *err)
{
	_cleanup_(closep) int reading = -1;
	_cleanup_(closep) int writing = -1;
	const char *program = words->strings[0];
	int ends[2], status, ret;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return error_errno(err, errno, "running", program);
	reading = ends[0];
	writing = ends[1];
	child = start(stop);
	if (child < 0)
		return error_errno(err, errno, "running", program);
	if (child == 0) {
		redirect(writing);
		execute(words);
	}
	ret = wait_for(stop, progress, NULL, child, &status);
	if (ret < 0)
		return stop_check(stop, err);
	return status ? failed(program, status, reading, err) : 0;
}

/* In the child: waits for a byte, unless @go is -1. */
static void wait_to_go(int go)
{
	char byte;

	if (go >= 0 && read(go, &byte, 1) != 1)
		_exit(EINTR);
}

int child_call(struct stop *stop, struct progress *progress,
	       const struct child_company *company, int (*call)(void *data),
	       void *data, const char *doing, struct error *err)
{
	_cleanup_(closep) int waiting = -1;
	_cleanup_(closep) int go = -1;
	int ends[2], status, ret = 0;
	pid_t child;

	if (company && pipe2(ends, O_CLOEXEC) < 0)
		return error_errno(err, errno, "starting a process", doing);
	if (company) {
		waiting = ends[0];
		go = ends[1];
	}
	child = start(stop);
	if (child < 0)
		return error_errno(err, errno, "starting a process", doing);
	if (child == 0) {
		closep(&go);
		wait_to_go(waiting);
		/* An errno is small enough for an exit status. */
		_exit(-call(data));
	}
	if (company)
		ret = company->ready(company->data, child, err);
	if (!ret && company && write(go, "", 1) != 1)
		ret = error_errno(err, errno, "starting a process", doing);
	closep(&go);
	go = -1;
	if (ret < 0) {
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		return ret;
	}
	ret = wait_for(stop, progress, company, child, &status);
	if (ret < 0)
		return stop_check(stop, err);
	if (WIFSIGNALED(status))
		return error_doing(err, EIO, doing, NULL, "%s",
				   strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return error_errno(err, WEXITSTATUS(status), doing, NULL);
	return 0;
}
