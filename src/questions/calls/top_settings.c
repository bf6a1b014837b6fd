// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls/top_settings.h"
#include "calls/tracing_file.h"
#include "lib/cleanup.h"
#include "lib/crc32c.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "worker/stuck.h"

/* A run that was killed with its guard has left it for the next one. */
#define MARKS RUN_DIRECTORY "/path"

/* Settings of the top that are put back to what they were. */
static const char *const settings[] = {
	"trace_clock",
	"options/function-fork",
	"options/event-fork",
	"tracing_on",
};

#define SETTINGS (sizeof(settings) / sizeof(*settings))

/* Lists of the top that are empty unless somebody traces. */
static const struct list {
	const char *path;
	const char *empty; /* what it says then */
} lists[] = {
	{ "set_ftrace_filter", "#### all functions enabled ####" },
	{ "set_ftrace_notrace", "#### no functions disabled ####" },
	{ "set_ftrace_pid", "no pid" },
	{ "set_ftrace_notrace_pid", "no pid" }, /* Linux 5.7 */
	{ "set_event_pid", "" },
	{ "set_event_notrace_pid", "" }, /* Linux 5.7 */
	{ "set_graph_function", "#### all functions enabled ####" },
	{ "set_graph_notrace", "#### no functions disabled ####" },
	{ "max_graph_depth", "0" },
	{ "events/enable", "0" },
	{ "current_tracer", "nop" },
};

#define LISTS (sizeof(lists) / sizeof(*lists))

/*
 * In memory that the guard shares, and in a file of /run if it can be: the lock
 * of that is its owner's for as long as he lives.
 */
struct top_marks {
	bool are_set; /* what the program has set is noted here */
	char saved[SETTINGS]
		  [64]; /* what settings said; "": not in this kernel */
	uint32_t checksums[LISTS + SETTINGS]; /* of what files said */
	char events[1024]; /* set_event: a line for each */
};

/* ---- the marks ----------------------------------------------------------- */

/* Returns a descriptor with the lock, or -1. */
static int open_marks(int flags)
{
	_cleanup_(closep) int fd =
		open(MARKS, flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 ? steal_fd(&fd) :
							      -1;
}

/* @fd is -1 for memory alone. */
static struct top_marks *map_marks(int fd)
{
	void *marks = mmap(NULL, sizeof(struct top_marks),
			   PROT_READ | PROT_WRITE,
			   MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	return marks == MAP_FAILED ? NULL : marks;
}

static void remove_marks(void)
{
	unlink(MARKS);
	run_directory_remove();
}

/* ---- what somebody else changed ------------------------------------------ */

/* The file of a list, or after them of a setting, that tells a change. */
static const char *file_of(size_t i)
{
	if (i >= LISTS)
		return settings[i - LISTS];
	return strcmp(lists[i].path, "events/enable") == 0 ? "set_event" :
							     lists[i].path;
}

/*
 * Returns 0 for what is not looked at: the kernel adds threads and takes them
 * off, and tracing_on is set often.
 */
static uint32_t checksum(int top, size_t i)
{
	_cleanup_(freep) char *text = NULL;

	if (strstr(file_of(i), "_pid") ||
	    strcmp(file_of(i), "tracing_on") == 0 ||
	    tracing_read(top, file_of(i), &text, NULL) < 0)
		return 0;
	return crc32c(0, text, strlen(text));
}

int top_mark(struct top_marks *marks, int top)
{
	_cleanup_(freep) char *events = NULL;
	int ret = tracing_read(top, "set_event", &events, NULL);

	if (ret < 0 || strlen(events) >= sizeof(marks->events))
		return ret < 0 ? ret : -E2BIG;
	strcpy(marks->events, events);
	for (size_t i = 0; i < LISTS + SETTINGS; i++)
		marks->checksums[i] = checksum(top, i);
	marks->are_set = true;
	return 0;
}

static bool is_changed(const struct top_marks *marks, int top, size_t i)
{
	return marks->are_set && checksum(top, i) != marks->checksums[i];
}

bool top_changed(const struct top_marks *marks, int top)
{
	for (size_t i = 0; i < LISTS + SETTINGS; i++) {
		if (is_changed(marks, top, i))
			return true;
	}
	return false;
}

/* ---- putting back -------------------------------------------------------- */

/*
 * For a tracer that cannot be changed, as somebody has trace_pipe open: leaves
 * it one function, which is called once in a kernel's life. An empty filter
 * would mean all of them; it would be empty, too, if there were none called so.
 */
void tracing_hardly(int directory)
{
	static const char name[] = "kernel_restart";

	if (tracing_append(directory, "set_ftrace_filter", name, NULL) == 0)
		tracing_write(directory, "set_ftrace_filter", name, NULL);
}

/* The events that this program has set go, and no other. */
static int clear_events(const struct top_marks *marks, int top)
{
	char line[128], events[sizeof(marks->events)], *rest = events;
	int first = 0;

	/* The program needs them, too, if the guard is killed here. */
	strcpy(events, marks->events);

	for (char *event; (event = strsep(&rest, "\n")) && *event;) {
		int ret;

		snprintf(line, sizeof(line), "!%.100s", event);
		ret = tracing_append(top, "set_event", line, NULL);
		if (!first)
			first = ret;
	}
	return first;
}

static int clear_list(const struct top_marks *marks, int top, size_t i)
{
	const struct list *list = &lists[i];
	const bool is_number = list->empty[0] == '0' ||
			       strcmp(list->empty, "nop") == 0;
	int ret;

	if (tracing_says(top, list->path, list->empty))
		return 0;
	if (marks->are_set && strcmp(list->path, "events/enable") == 0)
		return clear_events(marks, top);
	if (is_changed(marks, top, i))
		return 0;
	ret = tracing_write(top, list->path, is_number ? list->empty : "",
			    NULL);
	return ret == -ENOENT ? 0 : ret;
}

static int restore_setting(const struct top_marks *marks, int top, size_t i)
{
	if (!*marks->saved[i] || is_changed(marks, top, LISTS + i) ||
	    tracing_says(top, settings[i], marks->saved[i]))
		return 0;
	return tracing_write(top, settings[i], marks->saved[i], NULL);
}

int top_put_back(struct top_marks *marks, int top)
{
	const bool is_shared = top_changed(marks, top);
	int first = 0, ret;

	if (!is_shared)
		first = tracing_write(top, "tracing_on", "0", NULL);
	/* The tracer first: it may use the lists. */
	for (size_t i = LISTS; i-- > 0;) {
		ret = clear_list(marks, top, i);
		first = first ? first : ret;
		if (i == LISTS - 1 && ret == -EBUSY) {
			tracing_hardly(top);
			clear_events(marks, top);
			return ret;
		}
	}
	/* What was recorded goes, as the buffer was empty before. */
	if (!is_shared) {
		ret = tracing_write(top, "trace", "", NULL);
		first = first ? first : ret;
	}
	for (size_t i = 0; i < SETTINGS; i++) {
		ret = restore_setting(marks, top, i);
		first = first ? first : ret;
	}
	marks->are_set = first;
	if (!first)
		remove_marks();
	return !first && is_shared ? -ESTALE : first;
}

bool top_recover(int top)
{
	_cleanup_(closep) int fd = open_marks(0);
	struct stat status;
	struct top_marks *marks;

	if (fd < 0 || fstat(fd, &status) < 0 ||
	    status.st_size != sizeof(*marks))
		return false;
	marks = map_marks(fd);
	if (!marks)
		return false;
	if (marks->are_set)
		top_put_back(marks, top);
	else
		remove_marks();
	munmap(marks, sizeof(*marks));
	return true;
}

/* ---- taking it ----------------------------------------------------------- */

/* What a setting says, which is the word in brackets if there are some. */
static int save(struct top_marks *marks, int top, size_t which,
		struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	int ret = tracing_read(top, settings[which], &text, err);
	const char *word;

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	word = strchr(text, '[');
	word = word ? word + 1 : text;
	snprintf(marks->saved[which], sizeof(marks->saved[which]), "%.*s",
		 (int)strcspn(word, "]\n"), word);
	return 0;
}

static int in_use(enum lack lack, const char *path, char *says,
		  const char *remedy, struct error *err)
{
	says[strnlen(says, 60)] = '\0';
	lack_error(err, lack, says);
	return error_within(err,
			    error_remedy(err, -EOPNOTSUPP, "if nobody does, %s",
					 remedy),
			    "tracing", path);
}

static int check_list(int top, enum lack lack, const struct list *list,
		      struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	int ret = tracing_read(top, list->path, &text, err);

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	text[strcspn(text, "\n")] = '\0';
	/* Functions that trigger something are listed after the headline. */
	if (strcmp(text, list->empty) == 0)
		return 0;
	return in_use(lack, list->path, text,
		      strcmp(list->empty, "nop") == 0 ? "echo nop >it" :
		      list->empty[0] == '0'	      ? "echo 0 >it" :
							"echo >it",
		      err);
}

static bool is_empty_buffer(const char *trace)
{
	const char *at;

	/* "# entries-in-buffer/entries-written: 0/0   #P:2" */
	at = strstr(trace, "entries-written: ");
	if (at)
		return strncmp(at + strlen("entries-written: "), "0/", 2) == 0;
	/* Only comments. */
	for (at = trace; at && *at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (*at && *at != '#' && *at != '\n')
			return false;
	}
	return true;
}

/* Looks only at the beginning: the whole may be large. */
static int check_buffer(int top, enum lack lack, struct error *err)
{
	_cleanup_(closep) int fd = openat(top, "trace", O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (got < 0)
		return error_errno(err, errno, "reading", "trace");
	text[got] = '\0';
	if (is_empty_buffer(text))
		return 0;
	strcpy(text, "something was recorded");
	return in_use(lack, "trace", text, "echo >it", err);
}

int top_check(int top, enum lack lack, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < LISTS; i++)
		ret = check_list(top, lack, &lists[i], err);
	return ret ? ret : check_buffer(top, lack, err);
}

int top_take(struct top_marks **marks, int *lock, int top, enum lack lack,
	     struct error *err)
{
	int ret;

	mkdir(RUN_DIRECTORY, 0755);
	*lock = open_marks(O_CREAT);
	if (*lock >= 0 && ftruncate(*lock, sizeof(**marks)) < 0)
		closep(lock), *lock = -1;
	*marks = map_marks(*lock);
	if (!*marks)
		return error_errno(err, ENOMEM, "saving", "settings");
	memset(*marks, 0, sizeof(**marks));
	ret = top_check(top, lack, err);
	for (size_t i = 0; !ret && i < SETTINGS; i++)
		ret = save(*marks, top, i, err);
	return ret;
}

void top_release(struct top_marks *marks, int *lock)
{
	if (marks)
		munmap(marks, sizeof(*marks));
	closep(lock);
	*lock = -1;
}
