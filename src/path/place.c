// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ask/worker.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "path/place.h"
#include "path/tracing_file.h"
#include "store/crc32c.h"
#include "trace/tracefs.h"

#define TRACING "tracing"
#define INSTANCES "instances"
#define PREFIX "bufstat-path."

/* An instance cannot be removed while somebody reads from it. */
#define REMOVE_ATTEMPTS 40
#define REMOVE_WAIT_NS 50000000 /* two seconds in all */

static const char still_read[] =
	"somebody reads its trace; it is switched off, and the next bufstat "
	"path or record removes it";

/* Settings of the top that are put back to what they were. */
static const char *const settings[PLACE_SETTINGS] = {
	"trace_clock",
	"options/function-fork",
	"options/event-fork",
	"tracing_on",
};

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

/* What this program has set, in memory that its guard shares. */
struct place_marks {
	bool are_set;
	uint32_t checksums[LISTS + PLACE_SETTINGS]; /* of what files said */
	char events[1024]; /* set_event: a line for each */
};

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
static uint32_t checksum(const struct place *place, size_t i)
{
	_cleanup_(freep) char *text = NULL;

	if (strstr(file_of(i), "_pid") ||
	    strcmp(file_of(i), "tracing_on") == 0 ||
	    tracing_read(place->top, file_of(i), &text, NULL) < 0)
		return 0;
	return crc32c(0, text, strlen(text));
}

int place_mark(struct place *place)
{
	struct place_marks *marks = place->marks;
	_cleanup_(freep) char *events = NULL;
	int ret;

	if (!marks)
		return 0;
	ret = tracing_read(place->top, "set_event", &events, NULL);
	if (ret < 0 || strlen(events) >= sizeof(marks->events))
		return ret < 0 ? ret : -E2BIG;
	strcpy(marks->events, events);
	for (size_t i = 0; i < LISTS + PLACE_SETTINGS; i++)
		marks->checksums[i] = checksum(place, i);
	marks->are_set = true;
	return 0;
}

static bool is_changed(const struct place *place, size_t i)
{
	return place->marks->are_set &&
	       checksum(place, i) != place->marks->checksums[i];
}

bool place_changed(const struct place *place)
{
	for (size_t i = 0; place->marks && i < LISTS + PLACE_SETTINGS; i++) {
		if (is_changed(place, i))
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
static void trace_hardly(int directory)
{
	static const char name[] = "kernel_restart";

	if (tracing_append(directory, "set_ftrace_filter", name, NULL) == 0)
		tracing_write(directory, "set_ftrace_filter", name, NULL);
}

/* Stops an instance that a program may have left. */
static void stop_instance(int instance)
{
	tracing_write(instance, "tracing_on", "0", NULL);
	if (tracing_write(instance, "current_tracer", "nop", NULL) < 0)
		trace_hardly(instance);
	else
		tracing_write(instance, "set_ftrace_filter", "", NULL);
	tracing_write(instance, "events/enable", "0", NULL);
}

/* Who has made an instance holds its lock for as long as he lives. */
static bool lock(int instance)
{
	return flock(instance, LOCK_EX | LOCK_NB) == 0;
}

/* Leaves one that somebody else made under this name. */
static int remove_instance(int top, const char *instance)
{
	const struct timespec pause = { .tv_nsec = REMOVE_WAIT_NS };

	for (int i = 0; i < REMOVE_ATTEMPTS; i++) {
		_cleanup_(closep) int fd = openat(
			top, instance, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0 && errno == ENOENT)
			return 0;
		if (fd >= 0 && lock(fd)) {
			stop_instance(fd);
			if (unlinkat(top, instance, AT_REMOVEDIR) == 0)
				return 0;
			if (errno != EBUSY)
				return -errno;
		}
		nanosleep(&pause, NULL);
	}
	return -EBUSY;
}

/* The events that this program has set go, and no other. */
static int clear_events(const struct place *place)
{
	char line[128], events[sizeof(place->marks->events)], *rest = events;
	int first = 0;

	/* The program needs them, too, if the guard is killed here. */
	strcpy(events, place->marks->events);

	for (char *event; (event = strsep(&rest, "\n")) && *event;) {
		int ret;

		snprintf(line, sizeof(line), "!%.100s", event);
		ret = tracing_append(place->top, "set_event", line, NULL);
		if (!first)
			first = ret;
	}
	return first;
}

static int clear_list(const struct place *place, size_t i)
{
	const struct list *list = &lists[i];
	const bool is_number = list->empty[0] == '0' ||
			       strcmp(list->empty, "nop") == 0;
	int ret;

	if (tracing_says(place->top, list->path, list->empty))
		return 0;
	if (place->marks->are_set && strcmp(list->path, "events/enable") == 0)
		return clear_events(place);
	if (is_changed(place, i))
		return 0;
	ret = tracing_write(place->top, list->path,
			    is_number ? list->empty : "", NULL);
	return ret == -ENOENT ? 0 : ret;
}

static int restore_setting(const struct place *place, size_t i)
{
	if (!place->saved[i] || is_changed(place, LISTS + i) ||
	    tracing_says(place->top, settings[i], place->saved[i]))
		return 0;
	return tracing_write(place->top, settings[i], place->saved[i], NULL);
}

/*
 * Only what is still as this program set it. Goes on after an error. Returns
 * the first one, or -ESTALE if somebody else has changed something.
 */
static int put_back(const struct place *place)
{
	bool is_shared;
	int first = 0, ret;

	if (place->instance[0])
		return remove_instance(place->top, place->instance);
	if (!place->marks)
		return 0; /* nothing was set yet */
	is_shared = place_changed(place);
	if (!is_shared)
		first = tracing_write(place->top, "tracing_on", "0", NULL);
	/* The tracer first: it may use the lists. */
	for (size_t i = LISTS; i-- > 0;) {
		ret = clear_list(place, i);
		first = first ? first : ret;
		if (i == LISTS - 1 && ret == -EBUSY) {
			trace_hardly(place->top);
			clear_events(place);
			return ret;
		}
	}
	/* What was recorded goes, as the buffer was empty before. */
	if (!is_shared) {
		ret = tracing_write(place->top, "trace", "", NULL);
		first = first ? first : ret;
	}
	for (size_t i = 0; i < PLACE_SETTINGS; i++) {
		ret = restore_setting(place, i);
		first = first ? first : ret;
	}
	return !first && is_shared ? -ESTALE : first;
}

/* The guard. Waits until the program closes the pipe or ends. */
__attribute__((noreturn)) static void guard(struct place *place)
{
	struct pollfd program = { .fd = WORKER_PIPE };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	while (poll(&program, 1, -1) < 0 && errno == EINTR)
		;
	place->top = WORKER_KEPT;
	_exit(-put_back(place));
}

static int guard_start(struct place *place, struct error *err)
{
	const pid_t pid = worker_start(place->top, true, &place->guard_pipe);

	if (pid == 0)
		guard(place);
	if (pid < 0)
		return error_errno(err, -pid, "starting", "a process");
	place->guard = pid;
	return 0;
}

/* Returns 0, or the negative errno that the guard ended with. */
static int guard_end(struct place *place)
{
	int status = 0;

	if (!place->guard)
		return 0;
	close(place->guard_pipe);
	while (waitpid(place->guard, &status, 0) < 0 && errno == EINTR)
		;
	place->guard = 0;
	/* One that was killed: somebody has to do its work. */
	return WIFEXITED(status) ? -WEXITSTATUS(status) : put_back(place);
}

/* ---- an instance --------------------------------------------------------- */

/*
 * Whether this process's number is a bufstat's: one that makes its instance at
 * the moment, or an older version, holds no lock.
 */
static bool is_bufstat(long pid)
{
	static const struct sysroot live = { .fd = -1 };
	_cleanup_(freep) char *name = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	return pid != getpid() &&
	       sysroot_read(&live, path, 16, &name, NULL) == 0 &&
	       strncmp(name, "bufstat", 7) == 0;
}

/*
 * Stops and removes the instances of programs that were killed together with
 * the guard. Returns 0, or -EBUSY with the name of one that somebody reads.
 */
static int remove_dead(int top, struct error *err)
{
	_cleanup_(closep) int fd =
		openat(top, INSTANCES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(closedirp) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const char *name;
	int ret = 0;

	if (!dir)
		return 0;
	steal_fd(&fd);
	while (sysroot_next_name(dir, &name) > 0) {
		_cleanup_(closep) int left = -1;

		if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 ||
		    is_bufstat(strtol(name + strlen(PREFIX), NULL, 10)))
			continue;
		left = openat(dirfd(dir), name,
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (left < 0 || !lock(left))
			continue;
		stop_instance(left);
		if (unlinkat(dirfd(dir), name, AT_REMOVEDIR) < 0 &&
		    errno == EBUSY)
			ret = error_remedy(
				err, error_errno(err, EBUSY, "removing", name),
				still_read);
	}
	return ret;
}

int place_clean(const struct sysroot *root, struct error *err)
{
	struct error unused;
	_cleanup_(closep) int top = tracefs_open(root, &unused);

	return top < 0 ? 0 : remove_dead(top, err);
}

/*
 * Returns 1 if function_graph can be used in @directory, 0 if not, or a
 * negative errno.
 */
static int has_tracer(int directory, struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	int ret = tracing_read(directory, "available_tracers", &text, err);
	char *rest = text;

	if (ret < 0)
		return ret;
	for (char *item; (item = strsep(&rest, " \n"));) {
		if (strcmp(item, PLACE_TRACER) == 0)
			return 1;
	}
	return 0;
}

/*
 * Makes the instance. Returns 1, 0 if it cannot have function_graph, or a
 * negative errno.
 */
static int make_instance(struct place *place, struct error *err)
{
	struct error unused;
	int ret;

	remove_dead(place->top, &unused);
	/* Somebody may read what is left of one, or be this in a container. */
	for (int i = 0;
	     !i || faccessat(place->top, place->instance, F_OK, 0) == 0; i++)
		snprintf(place->instance, sizeof(place->instance),
			 INSTANCES "/" PREFIX "%d.%d", getpid(), i);
	ret = guard_start(place, err);
	if (ret < 0)
		return ret;
	if (mkdirat(place->top, place->instance, 0700) < 0) {
		ret = -errno;
		place->instance[0] = '\0';
		guard_end(place);
		/* Without CONFIG_TRACING_INSTANCES or the right. */
		return ret == -ENOENT || ret == -EOPNOTSUPP ?
			       0 :
			       error_errno(err, -ret, "making",
					   "an instance of tracefs");
	}
	place->directory = openat(place->top, place->instance,
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->directory < 0)
		return error_errno(err, errno, "opening", place->instance);
	if (!lock(place->directory))
		return error_errno(err, errno, "locking", place->instance);
	ret = has_tracer(place->directory, err);
	if (ret)
		return ret;
	closep(&place->directory);
	place->directory = -1;
	ret = guard_end(place);
	place->instance[0] = '\0';
	return ret < 0 ? error_errno(err, -ret, "removing",
				     "an instance of tracefs") :
			 0;
}

/* ---- the top ------------------------------------------------------------- */

/* What a setting says, which is the word in brackets if there are some. */
static int save(struct place *place, size_t which, struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	int ret = tracing_read(place->top, settings[which], &text, err);
	const char *word;

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	word = strchr(text, '[');
	word = word ? word + 1 : text;
	place->saved[which] = strndup(word, strcspn(word, "]\n"));
	return place->saved[which] ? 0 : -ENOMEM;
}

static int in_use(const char *path, const char *says, const char *remedy,
		  struct error *err)
{
	return error_remedy(err,
			    error_doing(err, ERROR_UNUSABLE, TRACING, path,
					"somebody uses the only tracer that "
					"this kernel has: it says \"%.60s\"",
					says),
			    "if nobody does, %s", remedy);
}

static int check_list(const struct place *place, const struct list *list,
		      struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	int ret = tracing_read(place->top, list->path, &text, err);

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	text[strcspn(text, "\n")] = '\0';
	/* Functions that trigger something are listed after the headline. */
	if (strcmp(text, list->empty) == 0)
		return 0;
	return in_use(list->path, text,
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
static int check_buffer(const struct place *place, struct error *err)
{
	_cleanup_(closep) int fd =
		openat(place->top, "trace", O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (got < 0)
		return error_errno(err, errno, "reading", "trace");
	text[got] = '\0';
	return is_empty_buffer(text) ? 0 :
				       in_use("trace", "something was recorded",
					      "echo >it", err);
}

static int check_top(const struct place *place, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < LISTS; i++)
		ret = check_list(place, &lists[i], err);
	return ret ? ret : check_buffer(place, err);
}

static int take_top(struct place *place, struct error *err)
{
	int ret = check_top(place, err);

	for (size_t i = 0; !ret && i < PLACE_SETTINGS; i++)
		ret = save(place, i, err);
	if (!ret) {
		place->marks = mmap(NULL, sizeof(*place->marks),
				    PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (place->marks == MAP_FAILED) {
			place->marks = NULL;
			ret = -ENOMEM;
		}
	}
	if (ret == -ENOMEM)
		error_errno(err, ENOMEM, "saving", "settings");
	if (!ret)
		ret = guard_start(place, err);
	if (ret < 0)
		return ret;
	place->directory =
		openat(place->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return place->directory < 0 ?
		       error_errno(err, errno, "opening", "tracefs") :
		       0;
}

static int open_top(struct place *place, const struct sysroot *root,
		    struct error *err)
{
	_cleanup_(freep) char *enabled = NULL;
	int ret;

	*place = (struct place){ .top = -1, .directory = -1 };
	ret = tracefs_open(root, err);
	if (ret < 0)
		return ret;
	place->top = ret;
	if (sysroot_read(root, "/proc/sys/kernel/ftrace_enabled", 16, &enabled,
			 NULL) == 0 &&
	    enabled[0] == '0')
		return error_remedy(err,
				    error_doing(err, ERROR_UNUSABLE, TRACING,
						NULL,
						"the functions of this kernel "
						"are not traced"),
				    "sysctl kernel.ftrace_enabled=1");
	ret = has_tracer(place->top, err);
	if (ret)
		return ret < 0 ? ret : 0;
	return error_doing(err, ERROR_UNUSABLE, TRACING, NULL,
			   "this kernel has no function_graph "
			   "(CONFIG_FUNCTION_GRAPH_TRACER)");
}

int place_open(struct place *place, const struct sysroot *root,
	       struct error *err)
{
	int ret = open_top(place, root, err);

	if (!ret)
		ret = make_instance(place, err);
	if (ret)
		return ret < 0 ? ret : 0;
	return take_top(place, err);
}

int place_look(struct place *place, const struct sysroot *root,
	       struct error *err)
{
	int ret = open_top(place, root, err);
	struct error unused;

	if (ret)
		return ret;
	ret = check_top(place, err);
	/* Who has an instance does not need the top. */
	return ret == -EOPNOTSUPP && make_instance(place, &unused) > 0 ? 0 :
									 ret;
}

int place_close(struct place *place, struct error *err)
{
	int ret;

	closep(&place->directory);
	ret = guard_end(place);
	if (ret < 0 && place->instance[0])
		error_remedy(err,
			     error_errno(err, -ret, "removing",
					 place->instance),
			     ret == -EBUSY ? still_read :
					     "rmdir it in /sys/kernel/tracing");
	else if (ret == -ESTALE)
		error_doing(err, ERROR_PARTIAL, "putting back",
			    "settings of tracefs",
			    "somebody else changed some meanwhile: these stay "
			    "as he set them, and the answer may be wrong");
	else if (ret < 0)
		error_errno(err, -ret, "putting back", "settings of tracefs");
	closep(&place->top);
	if (place->marks)
		munmap(place->marks, sizeof(*place->marks));
	for (size_t i = 0; i < PLACE_SETTINGS; i++)
		free(place->saved[i]);
	*place = (struct place){ .top = -1, .directory = -1 };
	return ret;
}
